"""The server: routes, and nothing that knows attention."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from importlib.resources import files
from typing import Annotated, Any, TypeVar

from fastapi import FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException

from regard import __version__
from regard.errors import RegardError, UnknownName
from regard.viewer import payload
from regard.viewer.guard import Guard, ServerAddress
from regard.viewer.limits import LIMITS, Limits
from regard.viewer.payload import (
    ExportRequest,
    Fault,
    Health,
    InsidePayload,
    LessonNumbers,
    ModelList,
    Pooling,
    RunPayload,
    RunRequest,
    ScoreDetail,
    SoftmaxRow,
    TopicList,
    TopLinks,
)
from regard.viewer.refusals import Busy, Dropped, NotYet
from regard.viewer.runs import RunStore
from regard.viewer.shelf import ModelStore

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
}
FOR_EVER = {"cache-control": "private, max-age=31536000, immutable"}
BINARY: dict[str, Any] = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
FAULTS: dict[int | str, dict[str, Any]] = {
    code: {"model": Fault} for code in (400, 401, 403, 404, 409, 410, 413, 421, 422, 429)
}
Name = Annotated[str, Path(max_length=64)]
Place = Annotated[str, Query(max_length=200)]
Number = Annotated[int, Query(ge=0, lt=2**31)]
Found = TypeVar("Found")


class QueryLimiter:
    """Questions about finished runs: a few at a time, and none for a page that has gone."""

    def __init__(self, at_once: int, most: int) -> None:
        self.turns, self.most, self.asked = asyncio.Semaphore(at_once), most, 0

    async def __call__(self, request: Request, of: Callable[[], Found]) -> Found:
        if self.asked >= self.most:
            raise Busy(f"{self.asked} questions are waiting: try again in a moment")
        self.asked += 1
        try:
            async with self.turns:
                if await request.is_disconnected():
                    raise HTTPException(499, "nobody waits for this any more")
                return await asyncio.to_thread(of)
        finally:
            self.asked -= 1


def create_app(
    shelf: ModelStore, address: ServerAddress, *, first: str | None = None, text: str = "", limits: Limits = LIMITS
) -> FastAPI:
    """The application. `first` is loaded at once, behind the page, which begins with `text`."""
    runs, desk = RunStore(shelf, limits), QueryLimiter(limits.running, limits.questions)

    @asynccontextmanager
    async def lifespan(app: FastAPI):
        runs.open()
        loading = asyncio.create_task(asyncio.to_thread(begin, shelf, first))
        yield
        loading.cancel()
        await asyncio.to_thread(runs.close)

    app = FastAPI(
        title="regard", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan, responses=FAULTS
    )
    app.state.runs = runs
    app.add_middleware(Guard, address=address, body=limits.body)
    refuse(app)

    @app.get("/health")
    async def health() -> Health:
        """That the server is there."""
        going = [job for job in runs.jobs.values() if not job.is_cancelled]
        running = min(len(going), limits.running)
        told = {"running": running, "waiting": len(going) - running, "stored": len(runs.finished)}
        return Health(status="ok", version=__version__, **told)

    @app.get("/api/models")
    async def models() -> ModelList:
        """What can be asked for, and what is loaded."""
        return ModelList(
            models=shelf.model_infos(first),
            first=first,
            text=text,
            version=__version__,
            bounds=payload.Bounds(
                letters=limits.letters,
                tokens=limits.tokens,
                max_new_tokens=limits.max_new_tokens,
                beam=limits.beam,
                edits=limits.edits,
                runs=limits.stored_runs,
            ),
        )

    @app.post("/api/runs", response_class=StreamingResponse, responses={200: {"content": {"application/x-ndjson": {}}}})
    async def run(ask: RunRequest) -> StreamingResponse:
        """Ask a model; a line of JSON for every step."""
        within(ask, limits)
        job = runs.submit(ask)
        return StreamingResponse(runs.stream(job), media_type="application/x-ndjson", headers={"x-regard-run": job.id})

    @app.get("/api/runs/{name}")
    async def told(name: Name) -> RunPayload:
        """What came out, and where one may look."""
        return runs.get(name).payload

    @app.delete("/api/runs/{name}", status_code=204)
    async def forget(name: Name) -> None:
        """Cancel a run, or drop it."""
        if not runs.forget(name):
            raise UnknownName("no such run")

    @app.get("/api/edits/{name}")
    async def edits(name: Name) -> JSONResponse:
        """The edits as a file that `regard translate --edit` and `regard.edit` read."""
        headers = {"content-disposition": 'attachment; filename="edits.json"'}
        return JSONResponse(runs.get(name).request.edits, headers=headers)

    @app.get("/api/runs/{name}/tile", response_class=Response, responses={200: BINARY})
    async def tile(
        request: Request,
        name: Name,
        place: Place,
        head: Number,
        level: Annotated[int, Query(ge=0, le=31)],
        row: Number,
        column: Number,
        how: Pooling = "mean",
    ) -> Response:
        """Cells of the map."""
        kept = runs.get(name)
        from regard.viewer import maps

        pattern, known = kept.pattern(place), kept.pyramids.get(place)
        found = await desk(request, partial(maps.map_tile, pattern, known, place, head, level, row, column, how))
        return Response(found, media_type="application/octet-stream", headers=FOR_EVER)

    @app.get("/api/runs/{name}/overview", response_class=Response, responses={200: BINARY})
    async def overview(
        request: Request, name: Name, how: Pooling = "mean", size: Annotated[int, Query(ge=4, le=128)] = 32
    ) -> Response:
        """Every head, small."""
        kept = runs.get(name)
        from regard.viewer import maps

        found = await desk(request, partial(maps.overview, kept.patterns, kept.pyramids, how, size))
        return Response(found, media_type="application/octet-stream", headers=FOR_EVER)

    @app.get("/api/runs/{name}/row")
    async def row(
        request: Request,
        name: Name,
        place: Place,
        head: Number,
        row: Number,
        top: Annotated[int, Query(ge=1, le=1000)] = 10,
    ) -> SoftmaxRow:
        """One row of the softmax."""
        pattern = runs.get(name).pattern(place)
        from regard.viewer import maps

        return await desk(request, partial(maps.softmax_row, pattern, place, head, row, top))

    @app.get("/api/runs/{name}/pair")
    async def pair(
        request: Request, name: Name, place: Place, head: Number, row: Number, column: Number
    ) -> ScoreDetail:
        """One score, taken apart."""
        pattern = runs.get(name).pattern(place)
        from regard.viewer import maps

        return await desk(request, partial(maps.score_detail, pattern, place, head, row, column))

    @app.get("/api/runs/{name}/links")
    async def links(
        request: Request,
        name: Name,
        place: Place,
        heads: Annotated[str, Query(max_length=400, pattern=r"^\d{1,4}(,\d{1,4})*$")] = "0",
        top: Annotated[int, Query(ge=1, le=16)] = 3,
        first: Number = 0,
        count: Annotated[int, Query(ge=1, le=512)] = 256,
    ) -> TopLinks:
        """The keys that each token looks at most."""
        pattern = runs.get(name).pattern(place)
        from regard.viewer import maps

        wanted = [int(head) for head in heads.split(",")]
        return await desk(request, partial(maps.top_links, pattern, place, wanted, top, first, count))

    @app.get("/api/runs/{name}/inside/{view}")
    async def inside(
        request: Request,
        name: Name,
        view: Name,
        other: Annotated[str | None, Query(max_length=64)] = None,
        model: Annotated[str | None, Query(max_length=200)] = None,
        place: Annotated[str | None, Query(max_length=200)] = None,
        head: Number = 0,
    ) -> InsidePayload:
        """Importance, rollout, lens, alignment; or the difference from another run or model, of all heads or of one."""
        kept, before = runs.get(name), None if other is None else runs.get(other)

        def answer() -> InsidePayload:
            from regard.viewer.apart import Comparison
            from regard.viewer.inside import inside

            task = None if model is None else shelf.get(model)
            return inside(view, kept, Comparison(before, model or "", task, place, head))

        return await desk(request, answer)

    @app.post(
        "/api/export",
        response_class=Response,
        responses={200: {"content": {"image/svg+xml": {}, "text/html": {}}}},
    )
    async def export(request: Request, wanted: ExportRequest) -> Response:
        """A region of one head as a file of its own."""
        kept = runs.get(wanted.run)
        from regard.viewer import exporting

        kind, found = await desk(request, partial(exporting.region_picture, kept, wanted))
        ending = {"image/svg+xml": "svg", "text/html": "html"}[kind]
        headers = {"content-disposition": f'attachment; filename="regard.{ending}"'}
        return Response(found, media_type=kind, headers=headers)

    @app.get("/api/learn")
    async def topics() -> TopicList:
        """The Learn pages, and what each begins with."""
        return await asyncio.to_thread(topics_of)

    @app.post("/api/learn/{topic}")
    async def lesson(request: Request, topic: Name, given: dict[str, Any]) -> LessonNumbers:
        """The numbers of a Learn page."""
        return await desk(request, partial(lesson_of, topic, given, shelf))

    serve_page(app)
    return app


def begin(shelf: ModelStore, first: str | None) -> None:
    """Load what the page begins with; what goes wrong is told by the list of models."""
    try:
        shelf.models()
        if first is not None:
            shelf.get(first)
    except RegardError:
        return


def topics_of() -> TopicList:
    from regard.viewer import learn  # in a thread: torch may not be there yet

    return learn.topics()


def lesson_of(topic: str, given: dict[str, Any], shelf: ModelStore) -> LessonNumbers:
    from regard.viewer import learn

    if not is_finite(given):
        raise RegardError("a number that is not finite")
    return learn.lesson(topic, given, shelf)


def within(ask: RunRequest, limits: Limits) -> None:
    """Raise unless a request keeps to the limits."""
    for name, found, most in (
        ("letters", len(ask.text) + len(ask.second or ""), limits.letters),
        ("beams", ask.beam, limits.beam),
        ("tokens to write", ask.max_new_tokens or 0, limits.max_new_tokens),
        ("edits", len(ask.edits), limits.edits),
    ):
        if found > most:
            raise RegardError(f"at most {most} {name} expected, got {found}")
    if not is_finite(ask.edits):
        raise RegardError("edits hold a number that is not finite")


def is_finite(value: Any) -> bool:
    """Whether there is neither NaN nor infinity anywhere in some JSON."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, float) and one - one != 0:
            return False
        waiting += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
    return True


def refuse(app: FastAPI) -> None:
    """Every error is one line and a status."""

    def line(status: int, text: str, seconds: int | None = None) -> JSONResponse:
        headers = {} if seconds is None else {"retry-after": str(seconds)}
        return JSONResponse({"error": text}, status, headers)

    @app.exception_handler(RequestValidationError)
    async def wrong(request: Request, problem: RequestValidationError) -> JSONResponse:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return line(422, f"{where}: {first['msg']}")

    @app.exception_handler(HTTPException)
    async def http(request: Request, problem: HTTPException) -> JSONResponse:
        return line(problem.status_code, str(problem.detail))

    @app.exception_handler(RegardError)
    async def ours(request: Request, problem: RegardError) -> JSONResponse:
        if isinstance(problem, Busy):
            return line(429, str(problem), problem.seconds)
        if isinstance(problem, NotYet):
            return line(409, str(problem), 1)
        status = 410 if isinstance(problem, Dropped) else 404 if isinstance(problem, UnknownName) else 400
        return line(status, str(problem))


def serve_page(app: FastAPI) -> None:
    """The built page: files that were there when the server started, by their exact names."""
    found: dict[str, tuple[bytes, str]] = {}

    def collect(folder: Any, prefix: str) -> None:
        for entry in folder.iterdir():
            if entry.is_dir():
                collect(entry, f"{prefix}{entry.name}/")
            elif (kind := TYPES.get(f".{entry.name.rpartition('.')[2]}")) is not None:
                found[prefix + entry.name] = (entry.read_bytes(), kind)

    static = files("regard.viewer") / "static"
    if static.is_dir():
        collect(static, "")

    def page(path: str) -> Callable[[], Awaitable[Response]]:
        async def send() -> Response:
            body, kind = found[path]
            kept = FOR_EVER if path.startswith("assets/") else {"cache-control": "no-cache"}
            return Response(body, headers={"content-type": kind, **kept})

        return send

    for path in found:
        app.get(f"/{path}", include_in_schema=False)(page(path))
    if "index.html" in found:
        app.get("/", include_in_schema=False)(page("index.html"))

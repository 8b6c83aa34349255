"""Every error is one line and a status."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from regard.errors import EditError, RegardError, UnknownName
from regard.viewer.payload import Fault
from regard.viewer.refusals import Busy, Dropped, NotYet

FAULTS: dict[int | str, dict[str, Any]] = {
    code: {"model": Fault} for code in (400, 401, 403, 404, 409, 410, 413, 421, 422, 429)
}


LONGEST = 500  # letters of a line: what was sent may be in it


def fault(status: int, line: str, seconds: int | None = None) -> JSONResponse:
    headers = {} if seconds is None else {"retry-after": str(seconds)}
    line = " ".join(line.split())
    line = line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
    return JSONResponse(Fault(error=line).model_dump(), status, headers)


def handle_errors(app: FastAPI) -> None:
    """Answer what routes raise."""

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, problem: RequestValidationError) -> JSONResponse:
        first = problem.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        return fault(422, f"{field}: {first['msg']}")

    @app.exception_handler(HTTPException)
    async def http(request: Request, problem: HTTPException) -> JSONResponse:
        return fault(problem.status_code, str(problem.detail))

    @app.exception_handler(RegardError)
    async def regard(request: Request, problem: RegardError) -> JSONResponse:
        if isinstance(problem, Busy):
            return fault(429, str(problem), problem.seconds)
        if isinstance(problem, NotYet):
            return fault(409, str(problem), 1)
        statuses = {Dropped: 410, UnknownName: 404, EditError: 422}
        status = next((statuses[kind] for kind in statuses if isinstance(problem, kind)), 400)
        return fault(status, str(problem))

"""What a run is worth beyond its weights: the Inside views, and pictures to keep."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from regard.freed_memory import release_memory
from regard.pictures.writing import AnimationKind
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import ExportRequest, HeadRoles, InsidePayload
from regard.viewer.query_limiter import QueryLimiter
from regard.viewer.routes.json_body import JsonRoute
from regard.viewer.routes.parameters import Name, Number
from regard.viewer.runs import RunStore

ANIMATED: dict[str, Any] = {"content": {"image/gif": {}, "image/apng": {}}}
ENDINGS = {"image/svg+xml": "svg", "text/html": "html"}


def router(run_store: RunStore, model_store: ModelStore, limiter: QueryLimiter) -> APIRouter:
    router = APIRouter(route_class=JsonRoute)

    @router.get("/api/runs/{name}/inside/{view}")
    async def inside(
        request: Request,
        name: Name,
        view: Name,
        other: Annotated[str | None, Query(max_length=64)] = None,
        model: Annotated[str | None, Query(max_length=200)] = None,
        layer: Annotated[str | None, Query(max_length=200)] = None,
        head: Number = 0,
    ) -> InsidePayload:
        """Importance, rollout, lens, alignment; or the difference from another run or model, of all heads or of one."""
        run, other_run = run_store.get(name), None if other is None else run_store.get(other)

        def compute() -> InsidePayload:
            from regard.viewer.comparison import Comparison
            from regard.viewer.inside import inside

            task = None if model is None else model_store.get(model)
            try:
                return inside(view, run, Comparison(other_run, model or "", task, layer, head))
            finally:
                release_memory()

        return await limiter(request, compute)

    @router.get("/api/runs/{name}/roles")
    async def roles(request: Request, name: Name) -> HeadRoles:
        """What the heads do."""
        run = run_store.get(name)

        def compute() -> HeadRoles:
            from regard.viewer.roles import head_roles

            return head_roles(run)

        return await limiter(request, compute)

    @router.get("/api/runs/{name}/animation", response_class=Response, responses={200: ANIMATED})
    async def animation(request: Request, name: Name, kind: AnimationKind = "gif", dark: bool = False) -> Response:
        """The translation being written."""
        run = run_store.get(name)
        from regard.viewer.animated_run import animated_run

        body = await limiter(request, partial(animated_run, run, kind, dark=dark))
        return Response(body, media_type={"gif": "image/gif", "apng": "image/apng"}[kind])

    @router.post("/api/export", response_class=Response, responses={200: {"content": {kind: {} for kind in ENDINGS}}})
    async def export(request: Request, export_request: ExportRequest) -> Response:
        """A region of one head as a file of its own."""
        run = run_store.get(export_request.run)
        from regard.viewer.region_picture import region_picture

        media_type, body = await limiter(request, partial(region_picture, run, export_request))
        headers = {"content-disposition": f'attachment; filename="regard.{ENDINGS[media_type]}"'}
        return Response(body, media_type=media_type, headers=headers)

    return router

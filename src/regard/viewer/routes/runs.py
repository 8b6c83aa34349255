"""A text for a model: begin a run, follow it, read what came out, drop it."""

import asyncio

from fastapi import APIRouter
from fastapi.responses import JSONResponse, StreamingResponse

from regard.errors import UnknownName
from regard.viewer.limits import Limits, check_request
from regard.viewer.payload import RunPayload, RunRequest
from regard.viewer.routes.json_body import JsonRoute
from regard.viewer.routes.parameters import Name
from regard.viewer.runs import RunStore

LINES = "application/x-ndjson"


def router(run_store: RunStore, limits: Limits) -> APIRouter:
    router = APIRouter(route_class=JsonRoute)

    @router.post("/api/runs", response_class=StreamingResponse, responses={200: {"content": {LINES: {}}}})
    async def submit(run_request: RunRequest) -> StreamingResponse:
        """Ask a model; a line of JSON for every step."""
        await asyncio.to_thread(check_request, run_request, limits)
        job = run_store.submit(run_request)
        return StreamingResponse(run_store.stream(job), media_type=LINES, headers={"x-regard-run": job.id})

    @router.get("/api/runs/{name}")
    async def run(name: Name) -> RunPayload:
        """What came out, and the layers that attended to something."""
        return run_store.get(name).payload

    @router.delete("/api/runs/{name}", status_code=204)
    async def forget(name: Name) -> None:
        """Cancel a run, or drop it."""
        if not run_store.forget(name):
            raise UnknownName("no such run")

    @router.get("/api/edits/{name}")
    async def edits(name: Name) -> JSONResponse:
        """The edits as a file that `regard translate --edit` and `regard.edit` read."""
        headers = {"content-disposition": 'attachment; filename="edits.json"'}
        return JSONResponse(run_store.get(name).request.edits, headers=headers)

    return router

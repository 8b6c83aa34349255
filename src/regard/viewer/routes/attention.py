"""The attention weights of a run: tiles of the map, thumbnails, rows, scores, links."""

import asyncio
import time
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from regard.viewer.payload import CellPooling, InsidePayload, ScoreDetail, SoftmaxRow, TopLinks
from regard.viewer.query_limiter import QueryLimiter
from regard.viewer.routes.parameters import BINARY, LayerName, Name, Number, WholeNumber
from regard.viewer.runs import RunStore
from regard.viewer.static_page import FOR_EVER

if TYPE_CHECKING:
    from regard.viewer.finished_run import FinishedRun

PATIENCE = 8.0  # seconds that a question waits for the overview it is about
PAUSE = 0.04


def router(run_store: RunStore, limiter: QueryLimiter) -> APIRouter:
    router = APIRouter(prefix="/api/runs/{name}")

    @router.get("/tile", response_class=Response, responses={200: BINARY})
    async def tile(
        request: Request,
        name: Name,
        layer: LayerName,
        head: Number,
        level: Annotated[WholeNumber, Query(ge=0, le=31)],
        row: Number,
        column: Number,
        how: CellPooling = "mean",
    ) -> Response:
        """Cells of the map."""
        run = run_store.get(name)
        from regard.viewer import maps

        pattern = run.pattern(layer)
        if run.needs_pyramid(layer, level):
            await wait_until_pooled(request, run, [layer])
        pyramid = run.pyramids.get(layer)
        body = await limiter(request, partial(maps.map_tile, pattern, pyramid, layer, head, level, row, column, how))
        return Response(body, media_type="application/octet-stream", headers=FOR_EVER)

    @router.get("/overview", response_class=Response, responses={200: BINARY})
    async def overview(
        request: Request, name: Name, how: CellPooling = "mean", size: Annotated[WholeNumber, Query(ge=4, le=128)] = 32
    ) -> Response:
        """Every head, small."""
        run = run_store.get(name)
        from regard.viewer import maps

        await wait_until_pooled(request, run, run.patterns)
        body = await limiter(request, partial(maps.overview, run.patterns, run.pyramids, how, size))
        return Response(body, media_type="application/octet-stream", headers=FOR_EVER)

    @router.get("/saved", response_class=Response, responses={200: BINARY})
    async def saved(request: Request, name: Name, layer: LayerName) -> Response:
        """A layer for a page that is taken along: its queries and keys in half precision."""
        run = run_store.get(name)
        pattern = run.pattern(layer)
        await wait_until_pooled(request, run, [layer])
        from regard.viewer.saved_layer import saved_layer

        body = await limiter(request, partial(saved_layer, pattern, run.pyramids.get(layer), layer))
        return Response(body, media_type="application/octet-stream", headers=FOR_EVER)

    @router.get("/row")
    async def row(
        request: Request,
        name: Name,
        layer: LayerName,
        head: Number,
        row: Number,
        top: Annotated[WholeNumber, Query(ge=1, le=1000)] = 10,
    ) -> SoftmaxRow:
        """One row of the softmax."""
        pattern = run_store.get(name).pattern(layer)
        from regard.viewer import maps

        return await limiter(request, partial(maps.softmax_row, pattern, layer, head, row, top))

    @router.get("/pair")
    async def pair(
        request: Request, name: Name, layer: LayerName, head: Number, row: Number, column: Number
    ) -> ScoreDetail:
        """One score, taken apart."""
        pattern = run_store.get(name).pattern(layer)
        from regard.viewer import maps

        return await limiter(request, partial(maps.score_detail, pattern, layer, head, row, column))

    @router.get("/writers")
    async def writers(
        request: Request, name: Name, layer: LayerName, head: Number, row: Number, column: Number
    ) -> InsidePayload:
        """Which blocks wrote what a query and a key are made of, and how much of their score is whose."""
        run = run_store.get(name)

        def compute() -> InsidePayload:
            from regard.viewer.writers import score_writers

            return score_writers(run, layer, head, row, column)

        return await limiter(request, compute)

    @router.get("/links")
    async def links(
        request: Request,
        name: Name,
        layer: LayerName,
        heads: Annotated[str, Query(max_length=400, pattern=r"^[0-9]{1,4}(,[0-9]{1,4})*$")] = "0",
        top: Annotated[WholeNumber, Query(ge=1, le=16)] = 3,
        first: Number = 0,
        count: Annotated[WholeNumber, Query(ge=1, le=512)] = 256,
    ) -> TopLinks:
        """The keys that each token attends to most."""
        pattern = run_store.get(name).pattern(layer)
        from regard.viewer import maps

        numbers = [int(head) for head in heads.split(",")]
        return await limiter(request, partial(maps.top_links, pattern, layer, numbers, top, first, count))

    return router


async def wait_until_pooled(request: Request, run: "FinishedRun", layers: Iterable[str]) -> None:
    """Wait a while for what is being pooled, so that a page need not ask again and again."""
    until = time.monotonic() + PATIENCE
    missing = [layer for layer in layers if run.needs_pyramid(layer)]
    while missing and time.monotonic() < until and not await request.is_disconnected():
        await asyncio.sleep(PAUSE)
        missing = [layer for layer in missing if layer not in run.pyramids]

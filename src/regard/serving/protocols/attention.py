"""Attention over the wire: exact regions of a recent answer, computed when they are asked for."""

import asyncio
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import JSONResponse

from regard.serving.attention_query import AttentionQuery, attention_fields, region
from regard.serving.refusals import Refusal
from regard.serving.service import Service

Region = Annotated[str, Query(pattern=r"^[0-9]{1,9}:[0-9]{1,9}$")]
BINARY = "application/octet-stream"


def router(service: Service) -> APIRouter:
    router = APIRouter(prefix="/v1", tags=["Attention"])

    @router.get("/attention/{name}", response_model=None)
    async def attention(
        request: Request,
        name: Annotated[str, Path(max_length=80)],
        layer: Annotated[str | None, Query(max_length=200)] = None,
        head: Annotated[int, Query(ge=0, lt=4096)] = 0,
        sentence: Annotated[int, Query(ge=0, lt=2**31)] = 0,
        rows: Region = "0:64",
        columns: Region = "0:64",
        top: Annotated[int, Query(ge=0, le=64)] = 0,
        format: Literal["json", "binary"] = "json",
    ) -> Response:
        """The weights of a layer and head; without a layer, which there are. As JSON, or as float32 row by row, the
        smallest byte first, with the region in the headers."""
        stored = service.answers.get(name, service.client(request, status=401))
        query = AttentionQuery(
            layer=layer, head=head, sentence=sentence, rows=bounds(rows), columns=bounds(columns), top=top
        )
        cells = service.limits.cells
        if format == "json":
            work = asyncio.to_thread(attention_fields, stored, query, cells)
            return JSONResponse(await service.within_time(request, work))
        if layer is None or top:
            raise Refusal(400, "format: binary is for the weights of a layer, without top")
        weights: np.ndarray = await service.within_time(request, asyncio.to_thread(region, stored, query, cells))
        shape = {
            "x-regard-shape": ",".join(map(str, weights.shape)),
            "x-regard-rows": rows,
            "x-regard-columns": columns,
        }
        return Response(weights.astype("<f4").tobytes(), media_type=BINARY, headers=shape)

    return router


def bounds(text: str) -> tuple[int, int]:
    first, _, last = text.partition(":")
    return int(first), int(last)

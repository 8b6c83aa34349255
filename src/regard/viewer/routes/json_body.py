"""Bodies are JSON with one meaning, before anything else is asked of them."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute

from regard.json_text import JsonError, parse_json


class JsonRequest(Request):
    """A request whose body is read as `parse_json` reads it."""

    async def json(self) -> Any:
        try:
            return parse_json(await self.body())
        except JsonError as problem:
            raise HTTPException(422, f"body: {problem}") from None


class JsonRoute(APIRoute):
    """A route that takes such a body."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await handler(JsonRequest(request.scope, request.receive))

        return handle

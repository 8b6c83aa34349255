"""What Ray's proxy answers to a request whose replica died: 503 and when to ask again, in the shape of the protocol.

Ray itself answers nothing then, which its server makes a 500 of. Its proxy reads MIDDLEWARES from the environment that
its cluster was started in; `ray_service.py` says it for a cluster of its own.
"""

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from regard.serving.error_shapes import error_response
from regard.serving.refusals import LostReplica

MIDDLEWARES = "RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH"
HERE = "regard.serving.ray_proxy:middlewares"


class LostRequests:
    """Answers what the application left without an answer. A status waits for what comes after it: of a replica that
    died between the two, nobody is told that all is well."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start: Message | None = None
        is_answered = False

        async def pass_on(message: Message) -> None:
            nonlocal start, is_answered
            if message["type"] == "http.response.start":
                start = message
                return
            if not is_answered and start is not None:
                await send(start)
            is_answered = True
            await send(message)

        await self.app(scope, receive, pass_on)
        if not is_answered:
            await error_response(scope["path"], LostReplica())(scope, receive, send)


def middlewares() -> list[Middleware]:
    """For Ray's proxy."""
    return [Middleware(LostRequests)]

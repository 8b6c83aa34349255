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
    """Answers what the application left without an answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_answered = scope["type"] != "http"

        async def note(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            await send(message)

        await self.app(scope, receive, note)
        if not is_answered:
            await error_response(scope["path"], LostReplica())(scope, receive, send)


def middlewares() -> list[Middleware]:
    """For Ray's proxy."""
    return [Middleware(LostRequests)]

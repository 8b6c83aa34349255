"""Before anything else is asked: who talks to whom, how much is sent, and how much goes on. After it: a line of log.

A service that only this machine reaches, without keys, answers to its own address alone, so that no page of somebody
else's can ask it through a browser. Logs are JSON, a line a request, and never hold a text.
"""

import asyncio
import json
import logging
import time

from starlette.exceptions import HTTPException

from regard.serving.error_shapes import error_body
from regard.serving.service import GONE, Service
from regard.viewer.guard import HEADERS, App, Message, Receive, Scope, Send, ServerAddress, values

LOG = logging.getLogger("regard.serve")
FILES = "/translate_file"


class AccessGuard:
    """Refuses foreign hosts and pages, long bodies and too many requests at once; counts and logs the others."""

    def __init__(self, app: App, service: Service, address: ServerAddress) -> None:
        self.app = app
        self.service = service
        self.address = address
        self.open_requests: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0
        limits = self.service.limits
        most = limits.file if scope["path"] == FILES else limits.body
        size, has_more = 0, True

        async def receive_limited() -> Message:
            nonlocal size, has_more
            try:  # a body has to come in time; for a client that leaves, one waits as long as it stays
                message = await (asyncio.wait_for(receive(), limits.seconds) if has_more else receive())
            except TimeoutError:
                raise HTTPException(408, f"the body was not there in {limits.seconds:g} seconds") from None
            has_more = bool(message.get("more_body"))
            size += len(message.get("body", b""))
            if size > most:
                raise HTTPException(413, f"a body of at most {most} bytes expected")
            return message

        async def send_counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *added]
            await send(message)

        self.open_requests += 1
        try:
            if problem := self.refusal(scope, most):
                await refuse(send_counted, scope["path"], *problem)
            else:
                await self.app(scope, receive_limited, send_counted)
        finally:
            self.open_requests -= 1
            seconds = time.perf_counter() - started
            route = getattr(scope.get("route"), "path", "other")
            self.service.metrics.request(route, status or GONE, seconds)
            LOG.info(
                json.dumps(
                    {
                        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                        "method": scope["method"],
                        "route": route,
                        "status": status or GONE,
                        "milliseconds": round(1000 * seconds, 1),
                        "bytes": size,
                    }
                )
            )

    def refusal(self, scope: Scope, most: int) -> tuple[int, str, int | None] | None:
        """The status, the line and the seconds to wait, for a request that is not answered."""
        headers = list(scope["headers"])
        if self.address.is_loopback and not self.service.keys.are_needed:
            hosts = values(headers, "host")
            if len(hosts) != 1 or not self.address.knows(hosts[0]):
                return 421, "this service answers to its own address only", None
            for origin in values(headers, "origin"):
                scheme, _, authority = origin.partition("://")
                if scheme != "http" or not self.address.knows(authority):
                    return 403, "this service answers programs and its own page, no other page", None
        for length in values(headers, "content-length"):
            if not length.isascii() or not length.isdigit():
                return 400, "content-length is not a number", None
            if len(length) > 12 or int(length) > most:
                return 413, f"a body of at most {most} bytes expected", None
        if self.open_requests > self.service.limits.requests:
            return 503, f"{self.open_requests - 1} requests are open: try again in a moment", 1
        return None


async def refuse(send: Send, path: str, status: int, line: str, seconds: int | None) -> None:
    """One line in the shape of the protocol."""
    headers = [(b"content-type", b"application/json")]
    headers += [] if seconds is None else [(b"retry-after", str(seconds).encode())]
    body = json.dumps(error_body(path, status, line)).encode()
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

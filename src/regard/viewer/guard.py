"""Who may talk to the server, and what every answer says about itself."""

import hmac
import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.exceptions import HTTPException

from regard.errors import RegardError
from regard.viewer.payload import Fault

Scope = MutableMapping[str, Any]  # this and the next as ASGI has them
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "regard-token"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True)
class ServerAddress:
    """Where the server listens, and the token that others than this machine have to know."""

    host: str = "127.0.0.1"
    port: int = 0
    token: str | None = None

    def __post_init__(self) -> None:
        if not self.is_loopback and not self.token:
            raise RegardError(f"{self.host} can be reached by others: choose a --token that they have to know")

    @property
    def is_loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def knows(self, authority: str) -> bool:
        """Whether a `Host` or the rest of an `Origin` means this server, and no name that was bent to point here."""
        try:
            parts = urlsplit(f"//{authority}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if port != self.port or parts.path or parts.query or parts.fragment or parts.username is not None:
            return False
        if name in LOOPBACK or name == self.host.lower():
            return True
        if self.is_loopback:
            return False
        try:
            ipaddress.ip_address(name)  # a number cannot be bent
            return True
        except ValueError:
            return False


class Guard:
    """Refuses foreign hosts, origins, tokens and long bodies before anything else is asked."""

    def __init__(self, app: App, address: ServerAddress, body: int) -> None:
        self.app = app
        self.address = address
        self.body = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = list(scope["headers"])
        if problem := self.refusal(headers, scope):
            await answer(send, *problem)
            return
        size, cookie = 0, self.cookie(scope)

        async def receive_limited() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self.body:
                raise HTTPException(413, f"a body of at most {self.body} bytes expected")
            return message

        async def send_signed(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *added, *cookie]
            await send(message)

        await self.app(scope, receive_limited, send_signed)

    def refusal(self, headers: list[tuple[bytes, bytes]], scope: Scope) -> tuple[int, str] | None:
        """The status and the line for a request that is not answered."""
        values_by_name = {
            name: values(headers, name) for name in ("host", "origin", "sec-fetch-site", "content-length")
        }
        if len(values_by_name["host"]) != 1 or not self.address.knows(values_by_name["host"][0]):
            return 421, "this server answers to its own address only"
        for origin in values_by_name["origin"]:
            scheme, _, authority = origin.partition("://")
            if scheme != "http" or not self.address.knows(authority):
                return 403, "this server answers its own page only"
        if values_by_name["sec-fetch-site"] and values_by_name["sec-fetch-site"][0] not in ("same-origin", "none"):
            return 403, "this server answers its own page only"
        for length in values_by_name["content-length"]:
            if not length.isascii() or not length.isdigit():
                return 400, "content-length is not a number"
            if len(length) > 12 or int(length) > self.body:
                return 413, f"a body of at most {self.body} bytes expected"
        if self.address.token and not any(map(self.is_token, self.tokens(headers, scope))):
            return 401, "a token is needed: open the address that `regard see` printed"
        return None

    def tokens(self, headers: list[tuple[bytes, bytes]], scope: Scope) -> list[str]:
        """What may be the token: in the header, the cookie or, for the page itself, the address."""
        candidates = [value.removeprefix("Bearer ") for value in values(headers, "authorization")]
        for line in values(headers, "cookie"):
            try:
                candidates += [morsel.value for name, morsel in SimpleCookie(line).items() if name == COOKIE]
            except CookieError:
                continue
        return candidates + self.url_tokens(scope)

    def url_tokens(self, scope: Scope) -> list[str]:
        if scope["path"] != "/":
            return []
        return parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])

    def is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), (self.address.token or "").encode())

    def cookie(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        """Remembers the token that the page was opened with."""
        if self.address.token is None or not any(map(self.is_token, self.url_tokens(scope))):
            return []
        jar = SimpleCookie()
        jar[COOKIE] = self.address.token
        return [(b"set-cookie", f"{jar[COOKIE].OutputString()}; Path=/; HttpOnly; SameSite=Strict".encode())]


def values(headers: list[tuple[bytes, bytes]], name: str) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key.decode("latin-1").lower() == name]


async def answer(send: Send, status: int, line: str) -> None:
    """One line, and nothing of what was asked for."""
    named_headers = [("content-type", "application/json"), *HEADERS.items()]
    headers = [(name.encode(), value.encode()) for name, value in named_headers]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": Fault(error=line).model_dump_json().encode()})

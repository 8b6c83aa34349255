"""Requests that no page would send: a generator that gives the same ones for the same seed, and a client that sends
them straight to the application."""

import asyncio
import json
import random
import time
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, urlencode

from looking.bad_edits import BAD, good_edit
from mutations import HUGE, JUNK, NO_NUMBERS, mutated, to_text

from regard.viewer.limits import Limits

TEXTS = ["a b", "Where is the station?", "b", "To be, or not to be", "a [MASK] b", "Brian is a frog. Lily is gray."]
ODD_TEXTS = ["", " ", "\n\n", "\x00", "\u202e", "💩", "e\u0301" * 20, "\ufffe", "</s><pad>", "[MASK]" * 9, "?" * 300]
ODD_TEXTS += ["ß" * 3000, "a " * 700, "\t.\r.", "word. " * 90, "{}", "%s%n", "\U0010ffff", "x" * 5000]
HEADERS = [("host", "127.0.0.1"), ("content-type", "application/json")]
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "BREW", "get", ""]
GONE = "0123456789abcdef"
BAD_NAMES = [
    GONE,
    "%00",
    "..%2f..%2fetc%2fpasswd",
    "%ff%fe",
    "x" * 65,
    "x" * 5000,
    "%F0%9F%92%A9",
    "null",
    "-1",
    "a%0ab",
    "*",
]
BAD_NUMBERS = [
    "",
    "-1",
    "x",
    "1.5",
    "1e3",
    "NaN",
    "inf",
    "2147483648",
    "9" * 30,
    "9" * 5000,
    "0x1",
    "٣٣x",
    "null",
    "1\n",
    "[0]",
]
BAD_TEXTS = {"level": "32", "size": "3", "top": "0", "count": "0", "how": "median", "heads": "0,,1"}
BAD_HEADERS = [
    [("host", "evil.example")],
    [],
    [("host", "127.0.0.1"), ("host", "127.0.0.1")],
    [*HEADERS, ("origin", "http://evil.example")],
    [*HEADERS, ("origin", "null")],
    [*HEADERS, ("sec-fetch-site", "cross-site")],
    [*HEADERS, ("content-length", "-1")],
    [*HEADERS, ("content-length", "9" * 400)],
    [*HEADERS, ("content-length", "x")],
    [("host", "\xff\xfe")],
    [("host", "127.0.0.1:99999")],
    [("host", "[::1")],
]


@dataclass(frozen=True)
class HostileRequest:
    """A request; whether it is certain that it may not succeed. `leaves_after` so many messages nobody listens."""

    method: str
    path: str
    query: list[tuple[str, str]] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=lambda: list(HEADERS))
    body: bytes = b""
    is_bad: bool = False
    leaves_after: int | None = None
    fault: str = "none"


@dataclass
class Response:
    """What came back."""

    status: int = 0
    body: bytes = b""
    seconds: float = 0.0

    @property
    def is_success(self) -> bool:
        """Whether something was done: of a run, whether it came to its end."""
        if not 200 <= self.status < 400:
            return False
        last = self.body.rstrip().rpartition(b"\n")[2]
        return not (b'"state":"failed"' in last or b'"state":"cancelled"' in last)


async def send(app: Any, request: HostileRequest) -> Response:
    """One request through the application, as a server hands it on."""
    response, started, sent = Response(), time.monotonic(), 0
    left = asyncio.Event()
    pieces = [request.body[at : at + 100_000] for at in range(0, len(request.body), 100_000)] or [b""]

    async def receive() -> dict[str, Any]:
        nonlocal sent
        if sent < len(pieces):
            sent += 1
            return {"type": "http.request", "body": pieces[sent - 1], "more_body": sent < len(pieces)}
        await left.wait()
        return {"type": "http.disconnect"}

    messages = 0

    async def listen(message: Any) -> None:
        nonlocal messages
        messages += 1
        if message["type"] == "http.response.start":
            response.status = message["status"]
        else:
            response.body += message.get("body", b"")
        if request.leaves_after is not None and messages > request.leaves_after:
            left.set()

    if request.leaves_after == 0:
        left.set()
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": unquoted(request.path),
        "raw_path": request.path.encode(),
        "query_string": urlencode(request.query).encode(),
        "root_path": "",
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in request.headers],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    await app(scope, receive, listen)
    response.seconds = time.monotonic() - started
    return response


def unquoted(path: str) -> str:
    from urllib.parse import unquote

    return unquote(path)


@dataclass(frozen=True)
class StoredRun:
    """A run that can be asked about."""

    id: str
    model: str
    layer: str


@dataclass
class RequestSource:
    """Valid requests for every operation of the OpenAPI, and what becomes of them under a seed."""

    operations: list[tuple[str, str]]
    runs: list[StoredRun]
    topics: dict[str, dict[str, Any]]
    dice: random.Random

    def valid(self, method: str, path: str) -> HostileRequest:
        """A request that is answered."""
        dice, run = self.dice, self.dice.choice(self.runs)
        view = dice.choice(["importance", "rollout", "lens", "alignment", "diff"])
        topic = dice.choice([*self.topics])
        names = {"name": run.id, "view": view, "topic": topic}
        body: Any = None
        query: list[tuple[str, str]] = []
        if path == "/api/runs":
            body = self.run_request()
        elif path == "/api/export":
            body = {"run": run.id, "layer": run.layer, "head": 0, "rows": [0, 1], "columns": None, "kind": "svg"}
        elif path == "/api/learn/{topic}":
            body = deepcopy(self.topics[topic])
        elif path.endswith(("/tile", "/row", "/pair", "/links")):
            end = path.rpartition("/")[2]
            query = [("layer", run.layer)]
            query += [
                (name, "0")
                for name in {
                    "tile": ["head", "level", "row", "column"],
                    "row": ["head", "row"],
                    "pair": ["head", "row", "column"],
                    "links": ["heads", "first"],
                }[end]
            ]
            query += {"tile": [("how", "max")], "row": [("top", "3")], "links": [("top", "2"), ("count", "4")]}.get(
                end, []
            )
        elif path.endswith("/overview"):
            query = [("how", "mean"), ("size", "16")]
        elif path.endswith("/inside/{view}"):
            query = [("other", run.id)] if view == "diff" else []
        if method == "DELETE":
            names["name"] = GONE
        filled = path.format(**{name: quote(value) for name, value in names.items()})
        return HostileRequest(method, filled, query, body=b"" if body is None else json.dumps(body).encode())

    def run_request(self) -> dict[str, Any]:
        dice, run = self.dice, self.dice.choice(self.runs)
        edits = [good_edit(dice) for _ in range(dice.randrange(3))]
        return {
            "model": run.model,
            "text": dice.choice(TEXTS if dice.random() < 0.7 else ODD_TEXTS),
            "second": dice.choice(["What color is Lily?", *ODD_TEXTS]) if run.layer.startswith("hop") else None,
            "sentence": 0,
            "beam": dice.choice([1, 2]),
            "max_new_tokens": dice.choice([0, 1, 3, None]),
            "sample": dice.choice([None, None, {"temperature": 0.7, "top_k": 3, "top_p": 0.9, "seed": 1}]),
            "edits": edits * dice.choice([1, 1, 1, 60]),
            "base": dice.choice([None, run.id]),
            "page": dice.choice(["", "mine", "other"]),
        }

    def requests(self, count: int) -> Iterator[HostileRequest]:
        for _ in range(count):
            yield self.request()

    def request(self) -> HostileRequest:
        dice = self.dice
        method, path = dice.choice([*self.operations, ("POST", "/api/runs"), ("POST", "/api/runs")])
        valid = self.valid(method, path)
        faults = ["none", "method", "headers", "path", "any header", "leaves"]
        faults += ["query"] * 3 if valid.query else []
        faults += ["body", "body", "field", "field", "coding", "long", "type"] if valid.body else []
        fault = dice.choice(faults)
        changed = getattr(self, f"with_{fault.replace(' ', '_')}")(valid, path)
        return replace(changed, fault=fault)

    def with_none(self, valid: HostileRequest, path: str) -> HostileRequest:
        return valid

    def with_method(self, valid: HostileRequest, path: str) -> HostileRequest:
        known = {method for method, other in self.operations if other == path}
        method = self.dice.choice([method for method in METHODS if method not in known])
        return replace(valid, method=method, is_bad=method not in ("HEAD", "OPTIONS"))

    def with_headers(self, valid: HostileRequest, path: str) -> HostileRequest:
        return replace(valid, headers=self.dice.choice(BAD_HEADERS), is_bad=True)

    def with_any_header(self, valid: HostileRequest, path: str) -> HostileRequest:
        """Headers that a server may read or not."""
        dice = self.dice
        name = dice.choice(
            [
                "accept",
                "accept-encoding",
                "range",
                "cookie",
                "x-regard-version",
                "content-encoding",
                "te",
                "transfer-encoding",
                "x-forwarded-host",
                "if-none-match",
                "upgrade",
                "authorization",
            ]
        )
        value = dice.choice(
            ["", "x" * 5000, "\xff", "bytes=0-", "gzip", "9" * 5000, 'regard-token="', "a=b; =;;", "3", "1e3", "-1"]
        )
        is_bad = name == "x-regard-version" and value != "" and path != "/health"
        return replace(valid, headers=[*valid.headers, (name, value)], is_bad=is_bad)

    def with_path(self, valid: HostileRequest, path: str) -> HostileRequest:
        dice = self.dice
        if "{" not in path:
            path = dice.choice([f"{path}/", f"{path}/x", path.upper(), f"/{path}", f"{path}%00", f"{path}/../x"])
            return replace(valid, path=path, is_bad=True)
        wrong = {name: dice.choice(BAD_NAMES) for name in ("name", "view", "topic")}
        return replace(valid, path=path.format(**wrong), is_bad=True)

    def with_query(self, valid: HostileRequest, path: str) -> HostileRequest:
        dice = self.dice
        query = list(valid.query)
        at = dice.randrange(len(query))
        name = query[at][0]
        kind = dice.choice(["value", "value", "value", "missing", "twice", "extra"])
        if kind == "missing":
            del query[at]
            return replace(valid, query=query, is_bad=name in ("layer", "head", "level", "row", "column", "other"))
        if kind == "twice":
            return replace(valid, query=[*query, query[at]])
        if kind == "extra":
            return replace(valid, query=[*query, ("x" * dice.choice([1, 5000]), "y")])
        if name in ("layer", "other"):
            value = dice.choice(["", "nowhere", "decoder.0", "x" * 201, "*", "\x00", "decoder.0.self "])
        else:
            value = dice.choice([*BAD_NUMBERS, BAD_TEXTS.get(name, "2147483647")])
        query[at] = (name, value)
        return replace(valid, query=query, is_bad=True)

    def with_body(self, valid: HostileRequest, path: str) -> HostileRequest:
        """JSON that was changed somewhere, or no JSON."""
        text = mutated(json.loads(valid.body), self.dice)
        return replace(valid, body=text.encode("utf-8", "surrogatepass"))

    def with_field(self, valid: HostileRequest, path: str) -> HostileRequest:
        """A field of a run or of a picture that holds what it cannot."""
        dice, body = self.dice, json.loads(valid.body)
        if path == "/api/learn/{topic}":
            return replace(valid, body=to_text(body | {"unknown": 1}).encode(), is_bad=True)
        no_text = [value for value in [*NO_NUMBERS, *HUGE] if not isinstance(value, str) or value.startswith("@")]
        no_count = [*NO_NUMBERS[1:], *HUGE, -1, 1.5, []]
        wrong = {
            "model": [*no_text, "nowhere", "", "x" * 201, "../.."],
            "text": [*no_text, "x" * (Limits().letters + 1)],
            "second": [value for value in no_text if value is not None],
            "sentence": [None, *no_count, 10**6],
            "beam": [None, *no_count, 0, 17],
            "max_new_tokens": [*no_count, 1025],
            "sample": [value for value in JUNK if value not in (None, {})],
            "edits": [value for value in JUNK if value != []],
            "base": [GONE, "", *[value for value in no_text if value is not None]],
            "page": [*no_text, "x" * 201],
            "run": [*no_text, GONE, ""],
            "layer": [*no_text, "nowhere", ""],
            "head": [None, *no_count, 99],
            "rows": [value for value in JUNK if value is not None] + [[3, 2], [0, 99], [-1, 1]],
            "columns": [value for value in JUNK if value is not None] + [[3, 2], [0, 10**9]],
            "kind": [*NO_NUMBERS, *HUGE, "png"],
        }
        if path == "/api/runs" and dice.random() < 0.5:
            edit = good_edit(dice)
            name = dice.choice([*edit])
            bad = [value for value in BAD[name] if value is not None or name not in ("heads", "rows")]
            body["edits"] = [*body["edits"], edit | {name: dice.choice(bad)}]
        else:
            name = dice.choice([*body])
            body[name] = dice.choice(wrong[name])
        return replace(valid, body=to_text(body).encode("utf-8", "surrogatepass"), is_bad=True)

    def with_coding(self, valid: HostileRequest, path: str) -> HostileRequest:
        body = valid.body
        codings = [b"\xff" + body, body.decode().encode("utf-16"), body.decode().encode("utf-32"), b"\x00", body[:-1],
                   body + b"x", b"\xef\xbb\xbf" + body, body.replace(b'"', b"'"), b"\x1f\x8b" + body]  # fmt: skip
        return replace(valid, body=self.dice.choice(codings), is_bad=True)

    def with_long(self, valid: HostileRequest, path: str) -> HostileRequest:
        """Longer than any body may be, or just as long."""
        most = 1 << 20
        length, is_bad = self.dice.choice([(most + 1, True), (3 * most, True), (most - len(valid.body), False)])
        return replace(valid, body=valid.body + b" " * length, is_bad=is_bad)

    def with_type(self, valid: HostileRequest, path: str) -> HostileRequest:
        kinds = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "image/png", ""]
        return replace(valid, headers=[HEADERS[0], ("content-type", self.dice.choice(kinds))], is_bad=True)

    def with_leaves(self, valid: HostileRequest, path: str) -> HostileRequest:
        """Whoever asked goes away: before the body, or after so many parts of the answer."""
        return replace(valid, leaves_after=self.dice.choice([0, 0, 1, 2, 3]))

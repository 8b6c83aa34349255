"""The viewer in a notebook: the page's own code, asked through the kernel instead of a port.

The widget answers the same requests as the server (viewer/API.md), by the same routes. Without anywidget (the extra
`notebook`), or without the built page, what is shown are pictures that stand still.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import unquote, urlsplit

from regard.attention import Pattern
from regard.looking import Seen, watch
from regard.looking.edit import is_of_source
from regard.tasks import Task
from regard.tasks.listing import Listed
from regard.viewer import maps, payload, pyramid, sides
from regard.viewer.asking import Found, Look
from regard.viewer.guard import Address
from regard.viewer.kept import Kept, told_of
from regard.viewer.server import served
from regard.viewer.shelf import Shelf

PORT = 80
NAME = "model"


def show(what: Task | Seen | Pattern, text: str = "", **how: Any) -> Any:
    """A model to ask, what was seen, or one pattern, in the cell below; `how` names tokens as `Seen.show` does.

    `show(translator, "Where is the station?")` is the whole viewer: type, run, edit; without it, what was looked at
    in this text. `show(seen)` and `show(pattern)` show what was kept.
    """
    script = files("regard.viewer") / "static" / "widget.js"
    kind = widget() if script.is_file() else None
    if isinstance(what, Task) and kind is not None:
        return kind(app=served(shelf_of(what), Address(port=PORT), first=NAME, text=text))
    if isinstance(what, Task):
        with watch(what.model) as seen:
            what(text)
        return seen.show(**how)
    if kind is None:
        return what.show(**how)
    shelf = Shelf()
    shelf.known = {}
    app = served(shelf, Address(port=PORT))
    run = kept_of(what if isinstance(what, Seen) else {"pattern": what}, **how)
    app.state.runs.keep(run)
    return kind(app=app, run=run.id)


def shelf_of(task: Task) -> Shelf:
    """A shelf with one model, which is loaded already."""
    shelf = Shelf()
    shelf.loaded[NAME], shelf.states[NAME] = task, ("ready", 1.0)
    shelf.known = {NAME: Listed(NAME, "folder", task.name, type(task.model).__name__)}
    return shelf


def kept_of(
    seen: Mapping[str, Pattern],
    tokens: Sequence[str] | None = None,
    source: Sequence[str] | None = None,
    target: Sequence[str] | None = None,
) -> Kept:
    """What was seen, as a run that nobody asked for. Layers of the source look from `source`, others from `target`."""
    looks, lengths = {}, {}
    for name in seen:
        pattern = maps.known(seen[name].narrow(slice(0, 1), slice(0, seen[name].shape[1])))
        ends = (
            "source" if name.startswith("encoder") else "target",
            "source" if is_of_source(name) else "target",
        )
        looks[name] = Look(pattern, *ends)
        lengths |= dict(zip(ends, pattern.shape[2:], strict=True))
    names = {"source": source or tokens, "target": target or tokens}
    named = [sides.named(side, list(names[side] or map(str, range(count)))[:count]) for side, count in lengths.items()]
    found = Found(payload.Answer(text=""), tuple(named), looks)
    ask = payload.Ask.model_validate({"model": NAME, "text": ""})
    patterns = {name: look.pattern for name, look in looks.items()}
    run = Kept("seen", None, ask, found, patterns, told_of("seen", "", ask, found, patterns, None, 0.0), 0)
    for name, pattern in patterns.items():
        if (level := pyramid.base(pattern)) is not None:
            run.pyramids[name] = pyramid.built(pattern, level)
    return run


async def asked(app: Any, request: dict[str, Any], send: Any) -> None:
    """One request through the routes. `send` is given a head and a part of the body, until a head says it was the last.

    A request is {id, method, path, body}; a head {id, status, type, more}.
    """
    path, _, query = str(request.get("path", "/")).partition("?")
    body = str(request.get("body") or "").encode()
    head: dict[str, Any] = {"id": request.get("id"), "status": 500, "type": ""}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": str(request.get("method", "GET")).upper(),
        "scheme": "http",
        "path": unquote(urlsplit(path).path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")],
        "client": None,
        "server": ("127.0.0.1", PORT),
    }
    messages = asyncio.Queue()
    messages.put_nowait({"type": "http.request", "body": body, "more_body": False})

    async def told(message: Any) -> None:
        if message["type"] == "http.response.start":
            kinds = [value.decode() for name, value in message["headers"] if name.lower() == b"content-type"]
            head.update(status=message["status"], type=kinds[0] if kinds else "")
        elif message["type"] == "http.response.body":
            send(head | {"more": bool(message.get("more_body"))}, message.get("body", b""))

    await app(scope, messages.get, told)


@cache
def widget() -> Any:
    """The widget's class, or None without anywidget."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        return None
    static = files("regard.viewer") / "static"

    class Widget(anywidget.AnyWidget):
        """The page in a cell."""

        _esm = (static / "widget.js").read_text("utf-8")
        _css = (static / "page.css").read_text("utf-8") if (static / "page.css").is_file() else ""
        run = traitlets.Unicode("").tag(sync=True)

        def __init__(self, app: Any, run: str = "") -> None:
            super().__init__(run=run)
            self.app, self.asking = app, set()
            self.on_msg(self.heard)

        def heard(self, _: Any, content: Any, buffers: Any) -> None:
            """A request of the page; the kernel's own loop answers it."""
            if not isinstance(content, dict):
                return
            task = asyncio.get_event_loop().create_task(
                asked(self.app, content, lambda head, body: self.send(head, [body]))
            )
            self.asking.add(task)
            task.add_done_callback(self.asking.discard)

    return Widget

"""The viewer in a notebook: the page's own code, asked through the kernel instead of a port.

The widget answers the same requests as the server (viewer/API.md), by the same routes. Without anywidget (the extra
`notebook`), or without the built page, what is shown are pictures that stand still.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import unquote, urlsplit

from regard.attention import Pattern
from regard.attention.regions import numbers
from regard.looking import Seen, watch
from regard.looking.layer_names import attends_to_source, reads_source
from regard.pictures.grids import Labels, check
from regard.pictures.notebook import Looks
from regard.tasks import Task
from regard.tasks.listing import ListedModel
from regard.viewer import maps, payload, pyramid
from regard.viewer.finished_run import FinishedRun
from regard.viewer.guard import App, Message, ServerAddress
from regard.viewer.launcher import folder_name
from regard.viewer.model_store import ModelStore
from regard.viewer.run_payload import run_payload
from regard.viewer.run_result import RunResult, WatchedLayer
from regard.viewer.server import create_app
from regard.viewer.token_columns import sentence_column

PORT = 80
NAME = "what was seen"
MARKS = {"▁": " "}  # SentencePiece's
SPACE = "Ġ"
Head = dict[str, object]
"""What an answer begins with: {id, status, type, more}."""


def show(what: Task | Seen | Pattern, text: str = "", **how: Any) -> Any:
    """A model to ask, what was seen, or one pattern, in the cell below; `how` names tokens as their `show` does.

    `show(translator, "Where is the station?")` is the whole viewer: type, run, edit; without it, what was looked at
    in this text. `show(seen)` and `show(pattern)` show what was kept.
    """
    if isinstance(what, Task):
        if (widget_class := widget()) is not None:
            first = model_name(what)
            return widget_class(
                app=create_app(model_store_with(what), ServerAddress(port=PORT), first=first, text=text)
            )
        with watch(what.model) as seen:
            what(text)
        return seen.album(**how)
    looks = what.looks(**how) if isinstance(what, Seen) else {"pattern": (what, how.get("rows"), how.get("columns"))}
    return page(looks) or what.album(**how)


def page(looks: Looks, batch: int = 0) -> Any:
    """What was looked at, in the page; None without a widget. The entry point of `regard.pictures.notebook`."""
    if (widget_class := widget()) is None:
        return None
    model_store = ModelStore()
    model_store.listed_models = {}
    app = create_app(model_store, ServerAddress(port=PORT))
    run = finished_run(looks, batch)
    app.state.runs.store(run)
    return widget_class(app=app, run=run.id)


def model_store_with(task: Task) -> ModelStore:
    """A store of one model, which is loaded already."""
    model_store, name = ModelStore(), model_name(task)
    model_store.loaded[name], model_store.states[name] = task, ("ready", 1.0)
    model_store.listed_models = {name: ListedModel(name, "folder", task.name, type(task.model).__name__)}
    return model_store


def model_name(task: Task) -> str:
    """What a model is called: as the folder that it came from."""
    return folder_name(str(task.checkpoint.folder)) or NAME


def finished_run(looks: Looks, batch: int = 0) -> FinishedRun:
    """What was seen, as a run that nobody asked for."""
    watched, lines = {}, {}
    for layer, (pattern, rows, columns) in looks.items():
        assert isinstance(pattern, Pattern)
        member = numbers([batch], pattern.shape[0], "batch member")[0]
        pattern = maps.with_row_statistics(pattern.narrow(slice(member, member + 1), slice(0, pattern.shape[1])))
        check("row", rows, pattern.shape[2])
        check("column", columns, pattern.shape[3])
        watched[layer] = watched_layer = WatchedLayer(pattern, *side_names(layer, pattern, rows, columns))
        lines[watched_layer.rows], lines[watched_layer.columns] = (
            plain_texts(texts) if texts else list(map(str, range(count)))
            for texts, count in zip((rows, columns), pattern.shape[2:], strict=True)
        )
    result = RunResult(payload.AnswerPayload(text=""), tuple(sentence_column(*line) for line in lines.items()), watched)
    request = payload.RunRequest.model_validate({"model": NAME, "text": ""})
    patterns = {layer: watched_layer.pattern for layer, watched_layer in watched.items()}
    run = FinishedRun(
        "seen", None, request, result, patterns, run_payload("seen", "", request, result, patterns, None, 0.0)
    )
    for layer, pattern in patterns.items():
        if (level := pyramid.stored_level(pattern)) is not None:
            run.pyramids[layer] = pyramid.build_pyramid(pattern, level)
    return run


def plain_texts(tokens: Sequence[str]) -> list[str]:
    """Tokens as text: tokenisers have letters of their own for spaces, and some for every byte."""
    letters = byte_letters()
    if any(SPACE in token for token in tokens):  # of bytes, as GPT-2's
        return [
            bytes(letters[letter] for letter in token).decode("utf-8", "replace")
            if all(letter in letters for letter in token)
            else token
            for token in tokens
        ]
    return ["".join(MARKS.get(letter, letter) for letter in token) for token in tokens]


@cache
def byte_letters() -> dict[str, int]:
    """The letter that stands for each byte: itself where it can be printed, else one after 255: Radford et al. 2019."""
    printed = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printed]
    return {chr(byte): byte for byte in printed} | {chr(256 + at): byte for at, byte in enumerate(others)}


def side_names(layer: str, pattern: Pattern, rows: Labels, columns: Labels) -> tuple[str, str]:
    """The sides that a layer attends from and to; what attends to its own text does so from a line of its own if it is
    shorter, or has other names."""
    key_side = "source" if attends_to_source(layer) else "text"
    query_side = "source" if reads_source(layer) else "text"
    is_separate = pattern.shape[2] != pattern.shape[3] or rows != columns
    return "from" if query_side == key_side and is_separate else query_side, key_side


async def answer_message(app: App, request: Mapping[str, object], send: Callable[[Head, bytes], None]) -> None:
    """One request through the routes. `send` is given a head and a part of the body, until a head says it was the last.

    A request is {id, method, path, body, version}; a head {id, status, type, more}.
    """
    path, _, query = str(request.get("path", "/")).partition("?")
    body = str(request.get("body") or "").encode()
    version = [(b"x-regard-version", str(request["version"]).encode())] if "version" in request else []
    head: Head = {"id": request.get("id"), "status": 500, "type": ""}
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
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json"), *version],
        "client": None,
        "server": ("127.0.0.1", PORT),
    }
    messages: asyncio.Queue[Message] = asyncio.Queue()
    messages.put_nowait({"type": "http.request", "body": body, "more_body": False})

    async def relay(message: Message) -> None:
        if message["type"] == "http.response.start":
            kinds = [value.decode() for name, value in message["headers"] if name.lower() == b"content-type"]
            head.update(status=message["status"], type=kinds[0] if kinds else "")
        elif message["type"] == "http.response.body":
            send(head | {"more": bool(message.get("more_body"))}, message.get("body", b""))

    await app(scope, messages.get, relay)


@cache
def widget() -> Any:
    """The widget's class, or None without anywidget, or without the built page."""
    static = files("regard.viewer") / "static"
    try:
        import anywidget
        import traitlets
    except ImportError:
        return None
    if not (static / "widget.js").is_file():
        return None

    class Widget(anywidget.AnyWidget):
        """The page in a cell."""

        _esm = (static / "widget.js").read_text("utf-8")
        _css = (static / "page.css").read_text("utf-8") if (static / "page.css").is_file() else ""
        run = traitlets.Unicode("").tag(sync=True)

        def __init__(self, app: App, run: str = "") -> None:
            super().__init__(run=run)
            self.app, self.tasks = app, set()
            self.on_msg(self.answer)

        def answer(self, _: object, content: object, buffers: object) -> None:
            """A request of the page; the kernel's own loop answers it."""
            if not isinstance(content, dict):
                return
            task = asyncio.get_event_loop().create_task(
                answer_message(self.app, content, lambda head, body: self.send(head, [body]))
            )
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    return Widget

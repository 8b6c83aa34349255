"""The same answers in a notebook as from the server."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from viewer.small import framed

import regard
from regard.attention import Pattern
from regard.viewer import widget
from regard.viewer.guard import Address
from regard.viewer.server import served


def ask(app, path: str, method: str = "GET", body: dict | None = None) -> tuple[dict, bytes]:
    """One request as the page sends it, and the whole of the answer."""
    heads, parts = [], []

    def send(head, part):
        heads.append(head)
        parts.append(part)

    told = {"id": 7, "method": method, "path": path, "body": None if body is None else json.dumps(body)}
    with ThreadPoolExecutor(1) as aside:  # a browser that other tests have open keeps a loop running in this thread
        aside.submit(lambda: asyncio.run(widget.asked(app, told, send))).result()
    assert [head["more"] for head in heads] == [True] * (len(heads) - 1) + [False]
    assert {head["id"] for head in heads} == {7}
    return heads[-1], b"".join(parts)


def test_what_was_seen_can_be_asked_about():
    pattern = Pattern(torch.randn(1, 2, 5, 4), torch.randn(1, 2, 7, 4))
    app = served(widget.Shelf(), Address(port=widget.PORT))
    run = widget.kept_of({"decoder.0.cross": pattern}, source=list("abcdefg"), target=list("vwxyz"))
    app.state.runs.keep(run)
    head, body = ask(app, "/api/runs/seen")
    assert head["status"] == 200
    assert {side["name"]: "".join(side["texts"]) for side in json.loads(body)["sides"]} == {
        "target": "vwxyz",
        "source": "abcdefg",
    }
    head, body = ask(app, "/api/runs/seen/tile?place=decoder.0.cross&head=1&level=0&row=0&column=0")
    torch.testing.assert_close(torch.tensor(framed(body)[1]).view(5, 7), torch.softmax(
        pattern.query[0, 1] @ pattern.key[0, 1].T / 2, -1
    ))  # fmt: skip
    assert ask(app, "/api/runs/none")[0]["status"] == 404


def test_a_model_can_be_asked_and_edited():
    task = regard.load("shakespeare")
    app = served(widget.shelf_of(task), Address(port=widget.PORT), first=widget.NAME)
    edits = [{"do": "scale", "place": "decoder.0.self", "heads": [1], "factor": 0.0}]
    wanted = {"model": widget.NAME, "text": "To be", "max_tokens": 3, "edits": edits}
    head, body = ask(app, "/api/runs", "POST", wanted)
    assert head["type"] == "application/x-ndjson"
    last = json.loads(body.splitlines()[-1])
    assert last["state"] == "done"
    _, body = ask(app, f"/api/runs/{last['run']}")
    with regard.edit(task.model, edits):
        assert json.loads(body)["answer"]["text"] == task("To be", max_length=3, sample=False).text
    app.state.runs.close()


def test_without_the_page_or_anywidget_pictures_stand_still(monkeypatch):
    pattern = Pattern(torch.randn(1, 2, 5, 4), torch.randn(1, 2, 7, 4))
    monkeypatch.setattr(widget, "widget", lambda: None)
    assert widget.show(pattern)._repr_html_().startswith("<svg")


def test_the_widget_is_the_page(monkeypatch):
    pytest.importorskip("anywidget")
    static = widget.files("regard.viewer") / "static" / "widget.js"
    if not static.is_file():
        pytest.skip("the page was built without its widget")
    found = widget.show(Pattern(torch.randn(1, 2, 5, 4), torch.randn(1, 2, 7, 4)))
    assert found.run == "seen"
    assert found.app.state.runs.get("seen").patterns["pattern"].shape == (1, 2, 5, 7)

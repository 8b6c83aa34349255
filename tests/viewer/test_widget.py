"""The same answers in a notebook as from the server."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from viewer.small import framed

import regard
from regard.attention import Pattern
from regard.errors import ShapeError
from regard.pictures import Album, notebook
from regard.viewer import widget
from regard.viewer.guard import ServerAddress
from regard.viewer.server import create_app


def ask(app, path: str, method: str = "GET", body: dict | None = None) -> tuple[dict, bytes]:
    """One request as the page sends it, and the whole of the answer."""
    heads, parts = [], []

    def send(head, part):
        heads.append(head)
        parts.append(part)

    request = {"id": 7, "method": method, "path": path, "body": None if body is None else json.dumps(body)}
    with ThreadPoolExecutor(1) as aside:  # a browser that other tests have open keeps a loop running in this thread
        aside.submit(lambda: asyncio.run(widget.answer_message(app, request, send))).result()
    assert [head["more"] for head in heads] == [True] * (len(heads) - 1) + [False]
    assert {head["id"] for head in heads} == {7}
    return heads[-1], b"".join(parts)


def app_with_run(looks, batch: int = 0):
    """An application that knows what was looked at, and nothing else."""
    app = create_app(widget.ModelStore(), ServerAddress(port=widget.PORT))
    app.state.runs.store(widget.finished_run(looks, batch))
    return app


def run_json(app) -> dict:
    head, body = ask(app, "/api/runs/seen")
    assert head["status"] == 200
    return json.loads(body)


def lines(run: dict) -> dict[str, str]:
    """The tokens of each side."""
    return {side["name"]: "".join(side["texts"]) for side in run["sides"]}


def test_what_was_seen_can_be_asked_about():
    pattern = Pattern(torch.randn(2, 2, 5, 4), torch.randn(2, 2, 7, 4))
    app = app_with_run({"decoder.0.cross": (pattern, list("vwxyz"), list("abcdefg"))}, batch=1)
    assert lines(run_json(app)) == {"text": "vwxyz", "source": "abcdefg"}
    assert run_json(app)["model"] == "what was seen"
    _, body = ask(app, "/api/runs/seen/tile?layer=decoder.0.cross&head=1&level=0&row=0&column=0")
    torch.testing.assert_close(torch.tensor(framed(body)[1]).view(5, 7), torch.softmax(
        pattern.query[1, 1] @ pattern.key[1, 1].T / 2, -1
    ))  # fmt: skip
    assert ask(app, "/api/runs/none")[0]["status"] == 404


@pytest.mark.parametrize(
    ("layer", "queries", "rows", "columns", "expected"),
    [
        ("encoder.0.self", 5, "abcde", "abcde", ("source", "source")),
        ("decoder.0.self", 5, "abcde", "abcde", ("text", "text")),
        ("decoder.0.cross", 5, "vwxyz", "abcde", ("text", "source")),
        ("decoder.0.self", 2, "de", "abcde", ("from", "text")),
        ("pattern", 5, "vwxyz", "abcde", ("from", "text")),
        ("pattern", 2, None, None, ("from", "text")),
    ],
)
def test_every_row_has_the_name_that_it_was_given(layer, queries, rows, columns, expected):
    pattern = Pattern(torch.randn(1, 1, queries, 4), torch.randn(1, 1, 5, 4))
    run = run_json(app_with_run({layer: (pattern, rows and list(rows), columns and list(columns))}))
    (output,) = run["layers"]
    assert (output["rows"], output["columns"]) == expected
    assert lines(run) == {expected[0]: rows or "01", expected[1]: columns or "01234"}


def test_a_name_too_few_is_an_error():
    pattern = Pattern(torch.randn(1, 1, 5, 4), torch.randn(1, 1, 5, 4))
    with pytest.raises(ShapeError, match="one label for each column: 5, got 4"):
        widget.finished_run({"pattern": (pattern, list("abcde"), list("abcd"))})


def test_a_model_can_be_asked_and_edited():
    task = regard.load("shakespeare")
    app = create_app(widget.model_store_with(task), ServerAddress(port=widget.PORT), first=widget.model_name(task))
    edits = [{"do": "scale", "layer": "decoder.0.self", "heads": [1], "factor": 0.0}]
    request = {"model": widget.model_name(task), "text": "To be", "max_new_tokens": 3, "edits": edits}
    head, body = ask(app, "/api/runs", "POST", request)
    assert head["type"] == "application/x-ndjson"
    last = json.loads(body.splitlines()[-1])
    assert last["state"] == "done"
    _, body = ask(app, f"/api/runs/{last['run']}")
    with regard.edit(task.model, edits):
        assert json.loads(body)["answer"]["text"] == task("To be", max_new_tokens=3, sample=False).text
    app.state.runs.close()


def test_without_the_page_or_anywidget_pictures_stand_still(monkeypatch):
    pattern = Pattern(torch.randn(1, 2, 5, 4), torch.randn(1, 2, 7, 4))
    monkeypatch.setattr(widget, "widget", lambda: None)
    assert widget.show(pattern)._repr_html_().startswith("<svg")


def test_the_widget_is_the_page():
    pytest.importorskip("anywidget")
    pattern = Pattern(torch.randn(1, 2, 5, 4), torch.randn(1, 2, 7, 4))
    output = widget.show(pattern, rows=list("vwxyz"))
    assert output.run == "seen"
    assert output.app.state.runs.get("seen").patterns["pattern"].shape == (1, 2, 5, 7)


def test_what_is_seen_is_the_page_in_a_notebook_and_a_picture_where_one_is_asked_for(monkeypatch):
    pytest.importorskip("anywidget")
    monkeypatch.setattr(notebook, "in_notebook", lambda: True)
    task = regard.load("shakespeare")
    with torch.no_grad(), regard.watch(task.model, "decoder.*.self") as seen:
        task.model(torch.tensor([[399, 305, 12], [524, 322, 288]]))
    shown = seen.show("decoder.1.*", tokens=list("abc"), batch=1)
    run = shown.page.app.state.runs.get(shown.page.run)
    assert [*run.patterns] == ["decoder.1.self"]
    torch.testing.assert_close(run.patterns["decoder.1.self"].weights(), seen["decoder.1.self"][1:])
    assert shown.svg() == seen.album("decoder.1.*", tokens=list("abc"), batch=1).svg()
    assert type(seen["decoder.1.self"].show(title="one").page).__name__ == "Widget"
    assert type(seen.show(scale="log")) is type(seen["decoder.1.self"].show([0])) is Album


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (["To", "Ġbe", ",", "Ġfr", "Ã¼h", "Ċ"], ["To", " be", ",", " fr", "üh", "\n"]),
        (["▁Wo", "▁ist", "ä"], [" Wo", " ist", "ä"]),
        (["plain", "Ã¼"], ["plain", "Ã¼"]),
    ],
)
def test_tokens_are_written_as_text(tokens, expected):
    assert widget.plain_texts(tokens) == expected


def test_a_byte_is_spelled_as_the_tokenisers_spell_it():
    tokenizers = pytest.importorskip("tokenizers")
    spelled = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for text in ("ein früher Tag\n", "日本語 \t…", "\x7f\x00é"):
        ((token, _),) = spelled.pre_tokenize_str(text)
        assert widget.plain_texts([token, "Ġ"])[0] == text


def test_a_notebook_that_is_exported_has_the_pictures_too(monkeypatch):
    pytest.importorskip("anywidget")
    monkeypatch.setattr(notebook, "in_notebook", lambda: True)
    shown = Pattern(torch.randn(1, 2, 5, 4), torch.randn(1, 2, 7, 4)).show(rows=list("vwxyz"), columns=list("abcdefg"))
    bundle = shown._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "<svg" in data["text/html"]
    long = Pattern(torch.randn(1, 2, 300, 4), torch.randn(1, 2, 300, 4)).show()
    bundle = long._repr_mimebundle_()
    assert "text/html" not in (bundle[0] if isinstance(bundle, tuple) else bundle)

"""Runs: what is told is what the library says, edits are those of `regard.edit`, and old runs make room.

Also tests: viewer/edit_effect.py, viewer/error_answers.py, viewer/limits.py, viewer/overflow.py,
viewer/query_limiter.py, viewer/refusals.py, viewer/routes/models.py, viewer/routes/runs.py, viewer/routes/version.py,
viewer/runs.py, viewer/static_page.py.
"""

import gc
import threading
import time
from itertools import pairwise

import pytest
import torch
from torch.testing import assert_close
from viewer.small import STORY, client, framed, lines, run

import regard
from regard.looking.activations.site_edits import SITE_EDIT_KINDS
from regard.looking.edit_kinds import EDIT_KINDS
from regard.viewer.limits import Limits
from regard.viewer.model_store import ModelStore

OFF = [{"do": "scale", "layer": "decoder.*.self", "heads": [0, 2], "factor": 0.0}]


@pytest.fixture(scope="module")
def server():
    with client() as result:
        yield result


@pytest.fixture(scope="module")
def shakespeare():
    return regard.load("shakespeare")


@pytest.mark.parametrize("edits", [[], OFF, [{"do": "hide", "layer": "decoder.1.self", "positions": [1]}]])
def test_a_run_is_what_the_library_says(server, shakespeare, edits):
    payload = run(server, text="To be, or not", max_new_tokens=6, edits=edits)
    with regard.edit(shakespeare.model, edits):
        expected = shakespeare("To be, or not", max_new_tokens=6, sample=False)
        tokens = torch.tensor([payload["sides"][0]["ids"]])
        with torch.no_grad(), regard.watch(shakespeare.model) as seen:
            shakespeare.model(tokens)
    assert payload["answer"]["text"] == expected.text
    assert payload["answer"]["score"] == pytest.approx(expected.score, abs=1e-3)
    assert "".join(payload["sides"][0]["texts"]) == "To be, or not" + expected.text
    assert payload["edits"] == edits
    count = tokens.shape[1]
    for layer in payload["layers"]:
        where = f"/api/runs/{payload['id']}/tile?layer={layer['name']}&level=0&row=0&column=0"
        for head in range(layer["heads"]):
            _, numbers = framed(server.get(f"{where}&head={head}").content)
            weights = torch.tensor(numbers).view(count, count)
            assert_close(weights, seen[layer["name"]][0, head], atol=1e-5, rtol=0)


def test_every_written_token_was_a_candidate(server):
    payload = run(server, text="My lord", max_new_tokens=5)
    side = payload["sides"][0]
    assert side["prefix_length"] + 5 == len(side["ids"])
    for written, one in enumerate(payload["candidates"]):
        assert one["choice"] == 0  # greedy: the likeliest
        assert one["options"][0]["id"] == side["ids"][one["row"] + 1]
        assert one["options"][0]["probability"] == pytest.approx(
            torch.tensor(side["scores"][side["prefix_length"] + written]).exp().item(), abs=1e-4
        )


def test_a_beam_search_is_a_tree_whose_winner_is_the_answer(server):
    payload = run(server, text="My lord", max_new_tokens=5, beam=3)
    tree = payload["beam_tree"]
    assert "".join(tree["nodes"][node]["text"] for node in tree["winner"]) == payload["answer"]["text"]
    assert all(node["parent"] < number for number, node in enumerate(tree["nodes"]))
    assert tree["nodes"][tree["winner"][-1]]["score"] == pytest.approx(payload["answer"]["score"], abs=1e-3)


def test_an_edit_is_compared_with_the_run_before_it(server, shakespeare):
    before = run(server, text="To be, or not", max_new_tokens=6)
    after = run(server, text="To be, or not", max_new_tokens=6, edits=OFF, base=before["id"])
    result, ids = after["edit_effect"], before["sides"][0]["ids"]
    prefix_length = before["sides"][0]["prefix_length"]
    with torch.no_grad():
        plain = shakespeare.model(torch.tensor([ids]))[0].log_softmax(-1)
        with regard.edit(shakespeare.model, OFF):
            edited = shakespeare.model(torch.tensor([ids]))[0].log_softmax(-1)
    lost = sum(float(plain[row - 1, ids[row]] - edited[row - 1, ids[row]]) for row in range(prefix_length, len(ids)))
    assert result["log_probability_drop"] == pytest.approx(lost, abs=1e-3)
    for contest in result["competing_tokens"]:
        for option in contest["options"]:
            assert option["before"] == pytest.approx(float(plain[contest["row"], option["id"]].exp()), abs=1e-4)
            assert option["after"] == pytest.approx(float(edited[contest["row"], option["id"]].exp()), abs=1e-4)
    for side in ("before", "after"):
        assert [word for change in result["text_changes"] for word in change[side]] == result[side].split()
    same = run(server, text="To be, or not", max_new_tokens=6, base=before["id"])["edit_effect"]
    assert {change["kind"] for change in same["text_changes"]} == {"same"}
    assert same["log_probability_drop"] == pytest.approx(0, abs=1e-4)


def test_a_story_is_read_by_hops_and_can_be_hidden(server):
    payload = run(server, model="babi", text=STORY, second="What color is Greg?")
    assert payload["answer"]["text"] == "yellow"
    assert [layer["name"] for layer in payload["layers"]] == ["hop.0", "hop.1", "hop.2"]
    edits = [{"do": "hide", "layer": "hop.*", "positions": [2]}]
    hidden = run(server, model="babi", text=STORY, second="What color is Greg?", edits=edits, base=payload["id"])
    row = server.get(f"/api/runs/{hidden['id']}/row?layer=hop.2&head=0&row=0").json()
    assert row["weights"][2] == 0
    shares = {option["text"]: option for option in hidden["edit_effect"]["options"]}
    assert shares["yellow"]["before"] > shares["yellow"]["after"]


def test_edits_come_back_as_the_file_that_the_library_reads(server, shakespeare, tmp_path):
    payload = run(server, text="To be", edits=OFF)
    file = tmp_path / "edits.json"
    file.write_bytes(server.get(f"/api/edits/{payload['id']}").content)
    with regard.edit(shakespeare.model, file) as edit:
        assert edit.records == OFF


def test_what_the_library_refuses_is_one_line(server):
    for wrong in (
        {"edits": [{"do": "scale", "layer": "nowhere", "heads": [0], "factor": 0}]},
        {"second": "two"},
        {"model": "no-such-model"},
        {"beam": 2, "sample": {"temperature": 1.0}},
    ):
        payload = lines(
            server.post("/api/runs", json={"model": "shakespeare", "text": "a", "max_new_tokens": 2, **wrong})
        )
        assert payload[-1]["state"] == "failed"
        assert payload[-1]["error"]
        assert "\n" not in payload[-1]["error"]


KNOWN = ", ".join(sorted(EDIT_KINDS | SITE_EDIT_KINDS))


@pytest.mark.parametrize(
    ("edits", "line"),
    [
        ([{"do": "explode"}], f"edits[0].do: unknown edit 'explode': known: {KNOWN}"),
        ([*OFF, OFF[0] | {"heads": [0.5]}], "edits[1].heads[0]: a whole number expected, got 0.5"),
        ([OFF[0] | {"heads": 0}], "edits[0].heads: a list of whole numbers expected, got 0"),
        ([OFF[0] | {"place": "x"}], "edits[0].place: this field is called 'layer' now"),
        (OFF * 257, "edits: at most 256 expected, got 257"),
    ],
)
def test_an_edit_of_the_wrong_form_is_refused_at_once_and_its_field_is_named(server, edits, line):
    answer = server.post("/api/runs", json={"model": "shakespeare", "text": "a", "edits": edits})
    assert answer.status_code == 422
    assert answer.json()["error"] == line


def test_edits_that_drive_a_model_out_of_its_numbers_fail_in_one_line(server):
    story = {"model": "babi", "text": STORY, "second": "What color is Greg?"}
    for edit in ({"do": "scale", "factor": 1e6}, {"do": "temperature", "temperature": 1e-6}):
        last = lines(server.post("/api/runs", json=story | {"edits": [edit | {"heads": None}] * 40}))[-1]
        assert last["state"] == "failed"
        assert "has scores that are not finite numbers: the edits multiply too much" in last["error"]


def test_only_a_translator_reads_one_sentence_of_several(server):
    last = lines(server.post("/api/runs", json={"model": "shakespeare", "text": "a. b.", "sentence": 1}))[-1]
    assert last["error"] == "this model reads the whole text, which is sentence 0, got sentence 1"


def test_a_picture_of_a_head_is_a_file_of_its_own(server):
    payload = run(server, text="<script>alert(1)</script>&\u202e", max_new_tokens=1)
    for kind, begin in (("svg", "<svg"), ("html", "<!DOCTYPE html>")):
        request = {"run": payload["id"], "layer": "decoder.0.self", "head": 1, "kind": kind}
        answer = server.post("/api/export", json=request)
        assert answer.status_code == 200
        assert answer.text.startswith(begin)
        assert "<script>alert" not in answer.text
        assert "\u202e" not in answer.text
    request["rows"] = [3, 2]
    assert server.post("/api/export", json=request).status_code == 400


def test_the_oldest_run_makes_room():
    with client(limits=Limits(stored_runs=2)) as server:
        first, second, third = (run(server, text=text, max_new_tokens=1)["id"] for text in "abc")
        assert server.get(f"/api/runs/{first}").status_code == 410
        assert server.get(f"/api/runs/{second}").status_code == 200
        assert server.delete(f"/api/runs/{third}").status_code == 204
        assert server.delete(f"/api/runs/{third}").status_code == 404
        assert server.get(f"/api/runs/{third}/overview").status_code == 410


def test_runs_make_room_by_their_bytes_but_not_the_one_that_is_compared():
    with client() as server:
        run(server, text="a", max_new_tokens=1)
        size = server.get("/health").json()["stored_bytes"]
    assert size > 10_000
    with client(limits=Limits(stored_bytes=round(2.5 * size))) as server:
        first, second, third = (run(server, text=text, max_new_tokens=1)["id"] for text in "abc")
        assert server.get(f"/api/runs/{first}").status_code == 410
        health = server.get("/health").json()
        assert health["stored"] == 2
        assert size < health["stored_bytes"] <= health["stored_limit"] == round(2.5 * size)
        long = run(server, text="a" * 60, max_new_tokens=1, base=second)["id"]  # which alone would be too large
        assert [server.get(f"/api/runs/{name}").status_code for name in (second, third, long)] == [200, 410, 200]
        for name in (second, long):
            assert server.delete(f"/api/runs/{name}").status_code == 204
        assert server.get("/health").json()["stored_bytes"] == 0


def test_runs_hold_no_more_models_than_may_be_loaded():
    store = ModelStore(max_loaded=1)
    with client(store, limits=Limits(loaded_models=1)) as server:
        first, second = (run(server, text=text, max_new_tokens=1)["id"] for text in "ab")
        third = run(server, model="babi", text=STORY, second="What color is Greg?")["id"]
        assert [server.get(f"/api/runs/{name}").status_code for name in (first, second, third)] == [410, 410, 200]
        gc.collect()
        assert list(store.alive) == ["babi"]


def test_too_many_runs_are_asked_to_come_back():
    with client(limits=Limits(running=1, waiting=0)) as server:
        run(server, text="a", max_new_tokens=1)
        long = {"model": "shakespeare", "text": "To be", "max_new_tokens": 100}
        thread = threading.Thread(target=server.post, args=("/api/runs",), kwargs={"json": long})
        thread.start()
        while not server.get("/health").json()["running"]:
            time.sleep(0.01)
        answer = server.post("/api/runs", json=long)
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) >= 1
        thread.join()


def test_a_new_run_of_a_page_cancels_its_old_one(server):
    result = []
    long = {"model": "shakespeare", "text": "To be", "max_new_tokens": 200, "page": "mine"}
    thread = threading.Thread(target=lambda: result.append(lines(server.post("/api/runs", json=long))))
    thread.start()
    while not server.get("/health").json()["running"]:
        time.sleep(0.01)
    payload = run(server, text="a", max_new_tokens=1, page="mine")
    thread.join()
    assert result[0][-1]["state"] == "cancelled"
    assert server.get(f"/api/runs/{result[0][-1]['run']}").status_code == 404
    assert payload["answer"]["text"]


def test_progress_never_goes_back(server):
    payload = lines(server.post("/api/runs", json={"model": "shakespeare", "text": "My lord", "max_new_tokens": 30}))
    order = ["waiting", "loading", "reading", "writing", "looking", "pooling", "done"]
    keys = [(order.index(line["state"]), line["fraction"]) for line in payload]
    assert keys == sorted(keys)
    written = [line["text"] for line in payload if line["state"] == "writing"]
    assert all(later.startswith(earlier) for earlier, later in pairwise(written))

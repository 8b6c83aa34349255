"""Runs: what is told is what the library says, edits are those of `regard.edit`, and old runs make room."""

import threading
import time
from itertools import pairwise

import pytest
import torch
from torch.testing import assert_close
from viewer.small import STORY, client, framed, lines, run

import regard
from regard.viewer.limits import Limits

OFF = [{"do": "scale", "layer": "decoder.*.self", "heads": [0, 2], "factor": 0.0}]


@pytest.fixture(scope="module")
def asking():
    with client() as found:
        yield found


@pytest.fixture(scope="module")
def shakespeare():
    return regard.load("shakespeare")


@pytest.mark.parametrize("edits", [[], OFF, [{"do": "hide", "layer": "decoder.1.self", "positions": [1]}]])
def test_a_run_is_what_the_library_says(asking, shakespeare, edits):
    told = run(asking, text="To be, or not", max_new_tokens=6, edits=edits)
    with regard.edit(shakespeare.model, edits):
        expected = shakespeare("To be, or not", max_new_tokens=6, sample=False)
        tokens = torch.tensor([told["sides"][0]["ids"]])
        with torch.no_grad(), regard.watch(shakespeare.model) as seen:
            shakespeare.model(tokens)
    assert told["answer"]["text"] == expected.text
    assert told["answer"]["score"] == pytest.approx(expected.score, abs=1e-3)
    assert "".join(told["sides"][0]["texts"]) == "To be, or not" + expected.text
    assert told["edits"] == edits
    count = tokens.shape[1]
    for place in told["layers"]:
        where = f"/api/runs/{told['id']}/tile?layer={place['name']}&level=0&row=0&column=0"
        for head in range(place["heads"]):
            _, numbers = framed(asking.get(f"{where}&head={head}").content)
            weights = torch.tensor(numbers).view(count, count)
            assert_close(weights, seen[place["name"]][0, head], atol=1e-5, rtol=0)


def test_every_written_token_was_a_candidate(asking):
    told = run(asking, text="My lord", max_new_tokens=5)
    side = told["sides"][0]
    assert side["prefix_length"] + 5 == len(side["ids"])
    for written, one in enumerate(told["candidates"]):
        assert one["choice"] == 0  # greedy: the likeliest
        assert one["options"][0]["id"] == side["ids"][one["row"] + 1]
        assert one["options"][0]["probability"] == pytest.approx(
            torch.tensor(side["scores"][side["prefix_length"] + written]).exp().item(), abs=1e-4
        )


def test_a_beam_search_is_a_tree_whose_winner_is_the_answer(asking):
    told = run(asking, text="My lord", max_new_tokens=5, beam=3)
    tree = told["beam_tree"]
    assert "".join(tree["nodes"][node]["text"] for node in tree["winner"]) == told["answer"]["text"]
    assert all(node["parent"] < number for number, node in enumerate(tree["nodes"]))
    assert tree["nodes"][tree["winner"][-1]]["score"] == pytest.approx(told["answer"]["score"], abs=1e-3)


def test_an_edit_is_compared_with_the_run_before_it(asking, shakespeare):
    before = run(asking, text="To be, or not", max_new_tokens=6)
    after = run(asking, text="To be, or not", max_new_tokens=6, edits=OFF, base=before["id"])
    found, ids = after["edit_effect"], before["sides"][0]["ids"]
    given = before["sides"][0]["prefix_length"]
    with torch.no_grad():
        plain = shakespeare.model(torch.tensor([ids]))[0].log_softmax(-1)
        with regard.edit(shakespeare.model, OFF):
            edited = shakespeare.model(torch.tensor([ids]))[0].log_softmax(-1)
    lost = sum(float(plain[row - 1, ids[row]] - edited[row - 1, ids[row]]) for row in range(given, len(ids)))
    assert found["log_probability_drop"] == pytest.approx(lost, abs=1e-3)
    for contest in found["competing_tokens"]:
        for option in contest["options"]:
            assert option["before"] == pytest.approx(float(plain[contest["row"], option["id"]].exp()), abs=1e-4)
            assert option["after"] == pytest.approx(float(edited[contest["row"], option["id"]].exp()), abs=1e-4)
    for side in ("before", "after"):
        assert [word for change in found["text_changes"] for word in change[side]] == found[side].split()
    same = run(asking, text="To be, or not", max_new_tokens=6, base=before["id"])["edit_effect"]
    assert {change["kind"] for change in same["text_changes"]} == {"same"}
    assert same["log_probability_drop"] == pytest.approx(0, abs=1e-4)


def test_a_story_is_read_by_hops_and_can_be_hidden(asking):
    told = run(asking, model="babi", text=STORY, second="What color is Greg?")
    assert told["answer"]["text"] == "yellow"
    assert [place["name"] for place in told["layers"]] == ["hop.0", "hop.1", "hop.2"]
    edits = [{"do": "hide", "layer": "hop.*", "positions": [2]}]
    hidden = run(asking, model="babi", text=STORY, second="What color is Greg?", edits=edits, base=told["id"])
    row = asking.get(f"/api/runs/{hidden['id']}/row?layer=hop.2&head=0&row=0").json()
    assert row["weights"][2] == 0
    shares = {option["text"]: option for option in hidden["edit_effect"]["options"]}
    assert shares["yellow"]["before"] > shares["yellow"]["after"]


def test_edits_come_back_as_the_file_that_the_library_reads(asking, shakespeare, tmp_path):
    told = run(asking, text="To be", edits=OFF)
    file = tmp_path / "edits.json"
    file.write_bytes(asking.get(f"/api/edits/{told['id']}").content)
    with regard.edit(shakespeare.model, file) as edit:
        assert edit.records == OFF


def test_what_the_library_refuses_is_one_line(asking):
    for wrong in (
        {"edits": [{"do": "scale", "layer": "nowhere", "heads": [0], "factor": 0}]},
        {"edits": [{"do": "explode"}]},
        {"edits": [{"do": "scale", "layer": "decoder.0.self", "heads": "all", "factor": "x"}]},
        {"second": "two"},
        {"model": "no-such-model"},
        {"beam": 2, "sample": {"temperature": 1.0}},
    ):
        told = lines(asking.post("/api/runs", json={"model": "shakespeare", "text": "a", "max_new_tokens": 2, **wrong}))
        assert told[-1]["state"] == "failed"
        assert told[-1]["error"]
        assert "\n" not in told[-1]["error"]


def test_a_picture_of_a_head_is_a_file_of_its_own(asking):
    told = run(asking, text="<script>alert(1)</script>&\u202e", max_new_tokens=1)
    for kind, begin in (("svg", "<svg"), ("html", "<!DOCTYPE html>")):
        wanted = {"run": told["id"], "layer": "decoder.0.self", "head": 1, "kind": kind}
        answer = asking.post("/api/export", json=wanted)
        assert answer.status_code == 200
        assert answer.text.startswith(begin)
        assert "<script>alert" not in answer.text
        assert "\u202e" not in answer.text
    wanted["rows"] = [3, 2]
    assert asking.post("/api/export", json=wanted).status_code == 400


def test_the_oldest_run_makes_room():
    with client(limits=Limits(stored_runs=2)) as asking:
        first, second, third = (run(asking, text=text, max_new_tokens=1)["id"] for text in "abc")
        assert asking.get(f"/api/runs/{first}").status_code == 410
        assert asking.get(f"/api/runs/{second}").status_code == 200
        assert asking.delete(f"/api/runs/{third}").status_code == 204
        assert asking.delete(f"/api/runs/{third}").status_code == 404
        assert asking.get(f"/api/runs/{third}/overview").status_code == 410


def test_too_many_runs_are_asked_to_come_back():
    with client(limits=Limits(running=1, waiting=0)) as asking:
        run(asking, text="a", max_new_tokens=1)
        long = {"model": "shakespeare", "text": "To be", "max_new_tokens": 100}
        thread = threading.Thread(target=asking.post, args=("/api/runs",), kwargs={"json": long})
        thread.start()
        while not asking.get("/health").json()["running"]:
            time.sleep(0.01)
        answer = asking.post("/api/runs", json=long)
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) >= 1
        thread.join()


def test_a_new_run_of_a_page_cancels_its_old_one(asking):
    found = []
    long = {"model": "shakespeare", "text": "To be", "max_new_tokens": 200, "page": "mine"}
    thread = threading.Thread(target=lambda: found.append(lines(asking.post("/api/runs", json=long))))
    thread.start()
    while not asking.get("/health").json()["running"]:
        time.sleep(0.01)
    told = run(asking, text="a", max_new_tokens=1, page="mine")
    thread.join()
    assert found[0][-1]["state"] == "cancelled"
    assert asking.get(f"/api/runs/{found[0][-1]['run']}").status_code == 404
    assert told["answer"]["text"]


def test_progress_never_goes_back(asking):
    told = lines(asking.post("/api/runs", json={"model": "shakespeare", "text": "My lord", "max_new_tokens": 30}))
    order = ["waiting", "loading", "reading", "writing", "looking", "pooling", "done"]
    keys = [(order.index(line["state"]), line["fraction"]) for line in told]
    assert keys == sorted(keys)
    written = [line["text"] for line in told if line["state"] == "writing"]
    assert all(later.startswith(earlier) for earlier, later in pairwise(written))

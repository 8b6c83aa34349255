"""What a page is told of a translation is what the task says of it, whichever heads it reads as an alignment."""

import pytest
import torch
from torch.testing import assert_close
from viewer.small import client, run

import regard

TEXT = "The old man reads a book in the garden."
EDITS = [{"do": "hide", "layer": "decoder.*.cross", "positions": [2]}]


@pytest.fixture(scope="module")
def server():
    with client() as result:
        yield result


@pytest.fixture(scope="module")
def task():
    return regard.load("en-de")


@pytest.mark.parametrize(("edits", "most"), [([], None), ([], 4), (EDITS, None)])
def test_the_alignment_is_the_tasks_own(server, task, edits, most):
    payload = run(server, model="en-de", text=TEXT, beam=2, max_new_tokens=most, edits=edits)
    with regard.edit(task.model, edits):
        expected = task(TEXT, beam=2, max_new_tokens=most)
    assert payload["answer"]["is_finished"] == expected.is_finished == (most is None)
    assert payload["alignment"]["heads"] == str(task.alignment_heads)
    weights = torch.from_numpy(expected.alignment.weights)
    assert_close(torch.tensor(payload["alignment"]["weights"]), weights, atol=1e-5, rtol=0)
    assert [tuple(pair) for pair in payload["alignment"]["words"]] == list(expected.alignment.words)


def test_a_paragraph_is_read_a_sentence_at_a_time(server, task):
    text = "The dog sleeps. Where is the station?\nA man  reads."
    payloads = [
        run(server, model="en-de", text=text, beam=2, max_new_tokens=None, sentence=number) for number in range(3)
    ]
    assert (
        [one["text"] for one in payloads]
        == payloads[0]["sentences"]
        == ["The dog sleeps.", "Where is the station?", "A man  reads."]
    )
    first, second, third = (one["answer"]["text"] for one in payloads)
    assert f"{first} {second}\n{third}" == task(text, beam=2).text
    refused = server.post("/api/runs", json={"model": "en-de", "text": text, "sentence": 3}).text.splitlines()[-1]
    assert "the text has sentences 0 to 2, got 3" in refused

"""One sample of each answer, which the page checks, too."""

import json
import struct

import pytest
import torch
from viewer.small import SAMPLES, STORY, client, framed, run

from regard.viewer import payload

KINDS = {path.stem: getattr(payload, path.stem.capitalize()) for path in sorted(SAMPLES.glob("*.json"))}


@pytest.mark.parametrize("name", KINDS)
def test_a_sample_is_what_the_server_sends(name):
    sample = json.loads((SAMPLES / f"{name}.json").read_text())
    assert json.loads(KINDS[name].model_validate(sample).model_dump_json()) == sample


def test_every_answer_has_a_sample():
    parts = {"Side", "Place", "Option", "Answer", "Node", "Tree", "Aligned", "Candidates", "Shift", "Contest", "Change"}
    parts |= {"Difference", "Looked", "Model", "Bounds", "Grid", "Fact", "Topic", "Drawing", "Given", "Told"}
    known = {
        name for name, kind in vars(payload).items() if isinstance(kind, type) and kind.__module__ == payload.__name__
    }
    assert known - parts == {kind.__name__ for kind in KINDS.values()}


def test_answers_have_the_fields_of_the_samples():
    with client() as asking:
        found = {"run": run(asking, text="To be"), "models": asking.get("/api/models").json()}
        found["health"] = asking.get("/health").json()
        where = f"/api/runs/{found['run']['id']}"
        for name, query in (("row", "row=1"), ("pair", "row=1&column=0"), ("links", "heads=0,1")):
            found[name] = asking.get(f"{where}/{name}?place=decoder.0.self&head=0&{query}").json()
        found["topics"] = asking.get("/api/learn").json()
        found["lesson"] = asking.post("/api/learn/softmax", json={}).json()
        found["fault"] = asking.get("/api/runs/none").json()
        memory = run(asking, model="babi", text=STORY, second="What color is Greg?")
    for name, answer in {**found, "run ": memory}.items():
        assert answer.keys() == json.loads((SAMPLES / f"{name.strip()}.json").read_text()).keys(), name


def test_a_frame_is_a_head_and_numbers():
    numbers = torch.arange(6.0).view(2, 3)
    body = payload.frame({"name": "é"}, [numbers])
    head, found = framed(body)
    assert head == {"name": "é"}
    assert found.tolist() == numbers.flatten().tolist()
    assert (len(body) - 4 * 6) % 4 == 0
    assert body[-4:] == struct.pack("<f", 5.0)

"""One sample of each answer, which the page checks, too.

Also tests: viewer/binary_frame.py, viewer/routes/attention.py, viewer/routes/learn.py.
"""

import json
import struct

import pytest
import torch
from viewer.small import SAMPLES, STORY, client, framed, run

from regard.viewer import payload
from regard.viewer.binary_frame import frame

KINDS = {path.stem: getattr(payload, path.stem.title().replace("_", "")) for path in sorted(SAMPLES.glob("*.json"))}


@pytest.mark.parametrize("name", KINDS)
def test_a_sample_is_what_the_server_sends(name):
    sample = json.loads((SAMPLES / f"{name}.json").read_text())
    assert json.loads(KINDS[name].model_validate(sample).model_dump_json()) == sample


def test_every_answer_has_a_sample():
    parts = {"TokenColumn", "LayerInfo", "Option", "AnswerPayload", "BeamNode", "BeamTreePayload", "AlignmentPayload"}
    parts |= {"CandidateTokens", "ProbabilityShift", "CompetingTokens", "TextChange", "EditEffect", "AttendedKey"}
    parts |= {"ModelInfo", "HeadRole", "Bounds", "Grid", "Fact", "Topic", "SamplingOptions"}
    parts |= {"RequestModel", "ResponseModel", "VersionedResponse"}
    models = {
        name for name, kind in vars(payload).items() if isinstance(kind, type) and kind.__module__ == payload.__name__
    }
    assert models - parts == {kind.__name__ for kind in KINDS.values()}


def test_answers_have_the_fields_of_the_samples():
    with client() as server:
        answers = {"run_payload": run(server, text="To be"), "model_list": server.get("/api/models").json()}
        answers["health"] = server.get("/health").json()
        path = f"/api/runs/{answers['run_payload']['id']}"
        for name, route, query in (
            ("softmax_row", "row", "row=1"),
            ("score_detail", "pair", "row=1&column=0"),
            ("top_links", "links", "heads=0,1"),
        ):
            answers[name] = server.get(f"{path}/{route}?layer=decoder.0.self&head=0&{query}").json()
        answers["head_roles"] = server.get(f"{path}/roles").json()
        answers["topic_list"] = server.get("/api/learn").json()
        answers["lesson_numbers"] = server.post("/api/learn/softmax", json={}).json()
        answers["fault"] = server.get("/api/runs/none").json()
        memory = run(server, model="babi", text=STORY, second="What color is Greg?")
    for name, answer in {**answers, "run_payload ": memory}.items():
        assert answer.keys() == json.loads((SAMPLES / f"{name.strip()}.json").read_text()).keys(), name
        assert answer["version"] == payload.API_VERSION


def test_a_page_of_another_version_is_refused_in_one_line():
    with client() as server:
        answer = server.get("/api/models", headers={"x-regard-version": "1"})
        assert answer.status_code == 400
        assert answer.json()["error"] == "this page speaks version 1 of the API, the server version 2: reload the page"
        assert server.get("/health", headers={"x-regard-version": "1"}).json()["version"] == payload.API_VERSION
        same = {"x-regard-version": str(payload.API_VERSION)}
        assert server.get("/api/models", headers=same).status_code == 200


def test_a_frame_is_a_head_and_numbers():
    numbers = torch.arange(6.0).view(2, 3)
    body = frame({"name": "é"}, [numbers])
    head, values = framed(body)
    assert head == {"version": payload.API_VERSION, "name": "é"}
    assert values.tolist() == numbers.flatten().tolist()
    assert (len(body) - 4 * 6) % 4 == 0
    assert body[-4:] == struct.pack("<f", 5.0)

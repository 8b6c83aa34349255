"""The Inside views are the library's own looks at the run's text, under the run's edits.

Also tests: viewer/run_result.py.
"""

import pytest
import torch
from tasks.tiny import bert, transformers
from torch.testing import assert_close
from viewer.small import STORY, client, run

import regard
from regard.viewer.model_store import ModelStore

OFF = [{"do": "scale", "layer": "decoder.1.self", "heads": [0], "factor": 0.0}]


@pytest.fixture(scope="module")
def server():
    with client() as result:
        yield result


@pytest.fixture(scope="module")
def shakespeare():
    return regard.load("shakespeare")


def numbers(server, payload: dict, view: str, query: str = "") -> dict[str, torch.Tensor]:
    answer = server.get(f"/api/runs/{payload['id']}/inside/{view}{query}")
    assert answer.status_code == 200, answer.text
    return {grid["name"]: torch.tensor(grid["numbers"]) for grid in answer.json()["grids"]}


def test_importance_is_the_slope_of_the_loss_at_each_gate(server, shakespeare):
    payload = run(server, text="To be, or not", max_new_tokens=4)
    result = numbers(server, payload, "importance")["importance"]
    ids, prefix_length = torch.tensor([payload["sides"][0]["ids"]]), payload["sides"][0]["prefix_length"]

    def loss(factor: float) -> float:  # of the written tokens, the head turned down by hand
        edits = [{"do": "scale", "layer": "decoder.2.self", "heads": [3], "factor": factor}]
        with torch.no_grad(), regard.edit(shakespeare.model, edits):
            chances = shakespeare.model(ids)[0].double().log_softmax(-1)
        return -sum(float(chances[row - 1, ids[0, row]]) for row in range(prefix_length, ids.shape[1]))

    slope = (loss(1.02) - loss(0.98)) / 0.04 / (ids.shape[1] - prefix_length)
    assert result[2, 3] == pytest.approx(abs(slope), rel=0.02, abs=1e-4)


def test_the_last_row_of_the_lens_is_what_the_model_says(server, shakespeare):
    payload = run(server, text="To be, or not", max_new_tokens=3, edits=OFF)
    result = numbers(server, payload, "lens")
    with torch.no_grad(), regard.edit(shakespeare.model, OFF):
        expected = shakespeare.model(torch.tensor([payload["sides"][0]["ids"]]))[0].softmax(-1).amax(-1)
    assert_close(result["chances"][0], expected, atol=1e-4, rtol=0)


def test_the_lens_of_a_masked_model_reads_each_layer_as_its_last(tmp_path):
    bert("ForMaskedLM", tmp_path / "bert")
    with client(ModelStore({"bert": tmp_path / "bert"})) as server:
        payload = run(server, model="bert", text="the [MASK] sleeps .", second="a dog .")
        result = numbers(server, payload, "lens")
        notes = server.get(f"/api/runs/{payload['id']}/inside/lens").json()["grids"][0]["notes"]
    reference_output = transformers.BertForMaskedLM.from_pretrained(tmp_path / "bert").eval()
    side = payload["sides"][0]
    inputs = {"input_ids": torch.tensor([side["ids"]]), "token_type_ids": torch.tensor([side["segments"]])}
    with torch.no_grad():
        layers = [
            reference_output.cls(x)[0].softmax(-1)
            for x in reference_output(**inputs, output_hidden_states=True).hidden_states[1:]
        ]
    expected = torch.stack(layers[::-1])
    assert_close(result["chances"], expected.amax(-1), atol=1e-5, rtol=0)
    assert_close(result["choice"][1], expected[1].gather(-1, expected[0].argmax(-1, keepdim=True))[:, 0])
    gap = side["texts"].index(" [MASK]")
    assert notes[0][gap].strip() == payload["answer"]["gaps"][0][0]["text"]  # the last layer says what the model says


def test_a_rollout_shares_out_one(server):
    result = numbers(server, run(server, text="To be, or not"), "rollout")["own"]
    assert_close(result.sum(-1), torch.ones(len(result)), atol=1e-4, rtol=0)
    assert not result.triu(1).any()


def test_heads_before_an_edit_stay_and_those_after_it_differ(server):
    before = run(server, text="To be, or not", max_new_tokens=0)
    after = run(server, text="To be, or not", max_new_tokens=0, edits=OFF)
    result = numbers(server, before, "diff", f"?other={after['id']}")["divergence"]
    assert result[:2].max() < 1e-6
    assert (result[2:].amax(-1) > 1e-6).all()


@pytest.mark.parametrize("view", ["alignment", "diff", "lens", "importance", "rollout", "nothing"])
def test_what_a_model_cannot_answer_is_one_line(server, view):
    payload = run(server, model="babi", text=STORY, second="What color is Greg?")
    answer = server.get(f"/api/runs/{payload['id']}/inside/{view}")
    assert answer.status_code in (400, 404)
    assert "\n" not in answer.json()["error"]

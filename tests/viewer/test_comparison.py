"""A run beside another model: heads are as far apart as the weights that transformers writes down for both.

Also tests: viewer/routes/run_views.py.
"""

import pytest
import torch
from tasks.tiny import bart, bert, gpt2
from torch.testing import assert_close
from viewer.small import client, reference_output, run

import regard
from regard.viewer.model_store import ModelStore

TEXT = "ein Hund"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    where = tmp_path_factory.mktemp("models")
    bart(where / "one")
    bart(where / "other", d_model=36)
    bart(where / "deeper", encoder_layers=3)
    bart(where / "wider", encoder_attention_heads=6)
    bert("ForMaskedLM", where / "fill")
    bert("ForSequenceClassification", where / "classify", hidden_size=48)
    gpt2(where / "generate")
    return {path.name: path for path in sorted(where.iterdir())}


@pytest.fixture(scope="module")
def server(folders):
    whole, small = (regard.load(folders["generate"]) for _ in range(2))
    small.model = regard.prune(whole.model, {"decoder.0.self": [1]})
    model_store = ModelStore(folders, max_loaded=9)
    model_store.loaded["pruned"] = small
    with client(model_store) as result:
        yield result


def grids(server, payload: dict, query: str, view: str = "models") -> dict[str, dict]:
    answer = server.get(f"/api/runs/{payload['id']}/inside/{view}?{query}")
    assert answer.status_code == 200, answer.text
    return {grid["name"]: grid for grid in answer.json()["grids"]}


def jensen_shannon(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """The entropy of the middle less the mean of the entropies (Lin 1991, 4.1), in bits; the mean of the rows."""
    middle = torch.special.entr((one + other) / 2).sum(-1)
    mean = (torch.special.entr(one).sum(-1) + torch.special.entr(other).sum(-1)) / 2
    return ((middle - mean) / torch.log(torch.tensor(2.0))).mean(-1)


def test_two_translators_are_as_far_apart_as_their_weights(server, folders):
    payload = run(server, model="one", text=TEXT, beam=2, max_new_tokens=6)
    inputs = dict(
        zip(("input_ids", "decoder_input_ids"), (torch.tensor([s["ids"]]) for s in payload["sides"]), strict=True)
    )
    both = [reference_output(folders[name], "BartForConditionalGeneration", **inputs) for name in ("one", "other")]
    result = grids(server, payload, "model=other")["divergence"]
    rows = dict(zip(result["rows"], result["numbers"], strict=True))
    for layer, part, number in (
        ("encoder.1.self", "encoder_attentions", 1),
        ("decoder.0.self", "decoder_attentions", 0),
        ("decoder.0.cross", "cross_attentions", 0),
    ):
        one, other = (getattr(each, part)[number][0].double() for each in both)
        assert_close(torch.tensor(rows[layer]).double(), jensen_shannon(one, other), atol=1e-5, rtol=0)
        drawn = grids(server, payload, f"model=other&layer={layer}&head=1")["difference"]
        assert_close(torch.tensor(drawn["numbers"]).double(), other[1] - one[1], atol=1e-5, rtol=0)
    assert drawn["rows"][0] == payload["sides"][1]["texts"][1]  # a row that looks across is named by what it writes
    assert drawn["columns"] == payload["sides"][0]["texts"]


def test_edits_change_both_models(server, folders):
    edits = [{"do": "hide", "layer": "encoder.*.self", "positions": [2]}]
    payload = run(server, model="one", text=TEXT, max_new_tokens=4, edits=edits)
    drawn = grids(server, payload, "model=other&layer=encoder.0.self&head=0")["difference"]
    assert not torch.tensor(drawn["numbers"])[:, 2].any()


def test_a_pair_of_texts_is_a_pair_to_both(server, folders):
    payload = run(server, model="fill", text="the [MASK] sleeps .", second="a dog .")
    side = payload["sides"][0]
    inputs = {"input_ids": torch.tensor([side["ids"]]), "token_type_ids": torch.tensor([side["segments"]])}
    assert side["segments"][-1] == 1
    one = reference_output(folders["fill"], "BertForMaskedLM", **inputs).attentions[1][0, 2]
    other = reference_output(folders["classify"], "BertForSequenceClassification", **inputs).attentions[1][0, 2]
    drawn = grids(server, payload, "model=classify&layer=encoder.1.self&head=2")["difference"]
    assert_close(torch.tensor(drawn["numbers"]), other - one, atol=1e-5, rtol=0)


def test_a_pruned_head_is_a_gap(server):
    payload = run(server, model="generate", text="the dog", max_new_tokens=2)
    result = grids(server, payload, "model=pruned")["divergence"]
    rows = dict(zip(result["rows"], result["numbers"], strict=True))
    first, gone, third = rows["decoder.0.self"]
    assert gone is None
    assert max(first, third) < 1e-6  # nothing is gone below the first layer
    answer = server.get(f"/api/runs/{payload['id']}/inside/models?model=pruned&layer=decoder.0.self&head=1")
    assert answer.status_code == 400
    assert answer.json()["error"] == "decoder.0.self has no head 1 on both sides, only 0, 2"


@pytest.mark.parametrize(
    ("model", "query", "status", "line"),
    [
        ("one", "model=deeper", 400, "layers that both have expected; one has encoder.2.self and the other has not"),
        ("one", "model=wider&layer=encoder.0.self&head=5", 400, "encoder.0.self has no head 5 on both sides"),
        ("one", "model=fill", 400, "one and fill do not read alike, Transformer and Encoder"),
        ("one", "model=en-de", 400, "one and en-de do not have the same tokens"),
        ("one", "model=other&layer=encoder.9.self", 404, "encoder.9.self"),
        ("one", "model=nobody", 404, "no model 'nobody'"),
        ("one", "", 400, "name the other one as `model`"),
        ("babi", "model=babi", 400, "babi did not read a text of tokens"),
    ],
)
def test_models_that_do_not_fit_get_one_line(server, model, query, status, line):
    more = {"text": "Brian is a frog.", "second": "What color is Brian?"} if model == "babi" else {"text": TEXT}
    payload = run(server, model=model, **more)
    answer = server.get(f"/api/runs/{payload['id']}/inside/models?{query}")
    assert answer.status_code == status
    assert line in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


def test_the_difference_of_two_runs_is_what_the_edits_added(server):
    before = run(server, model="generate", text="the dog", max_new_tokens=0)
    edits = [{"do": "scale", "layer": "decoder.0.self", "heads": [0], "factor": 0.0}]
    after = run(server, model="generate", text="the dog", max_new_tokens=0, edits=edits)
    drawn = grids(server, after, f"other={before['id']}&layer=decoder.1.self&head=1", "diff")["difference"]
    rows = [
        [
            server.get(f"/api/runs/{payload['id']}/row?layer=decoder.1.self&head=1&row={row}").json()["weights"]
            for row in range(7)
        ]
        for payload in (after, before)
    ]
    expected = torch.tensor(rows[0]) - torch.tensor(rows[1])
    assert expected.abs().max() > 1e-4
    assert_close(torch.tensor(drawn["numbers"]), expected, atol=1e-6, rtol=0)

"""Norm-weighted attention, against the vectors themselves."""

import pytest
import torch
from looking.families import WORDS, made
from torch.testing import assert_close

import regard
from regard.config import RecurrentConfig
from regard.errors import RegardError
from regard.layers import MultiHead
from regard.looking import weighted_norms
from regard.looking.layer_names import LayerNames
from regard.models import Aligner, AlignerConfig, Transformer


def watched(model):
    tokens, target = torch.randint(3, WORDS, (2, 7)), torch.randint(3, WORDS, (2, 5))
    with torch.no_grad(), regard.watch(model, values=True) as seen:
        model(tokens, target) if isinstance(model, Transformer | Aligner) else model(tokens)
    return seen


@pytest.mark.parametrize("kind", ["bert", "llama", "t5", "marian", "alignment"])
def test_lengths_are_those_of_what_heads_put_out(kind, monkeypatch):
    monkeypatch.setattr("regard.looking.norms.KEYS", 3)
    model = made(kind)[0]
    seen = watched(model)
    for layer_name, layer in LayerNames(model).layers.items():
        pattern = seen[layer_name]
        batch, heads, queries, keys = pattern.shape
        value = pattern.values.repeat_interleave(heads // pattern.values.shape[1], 1)
        vectors = torch.zeros(batch, heads, queries, keys, layer.width)
        for head in range(heads):
            alone = torch.zeros(batch, keys, heads, value.shape[-1])
            alone[:, :, head] = value[:, head]
            out = layer.output(alone.flatten(2)) - layer.output(torch.zeros(heads * value.shape[-1]))
            vectors[:, head] = pattern.weights()[:, head, :, :, None] * out[:, None]
        found = weighted_norms(model, seen, layer_name)
        assert_close(found.heads(), vectors.norm(dim=-1), rtol=1e-4, atol=1e-5)
        assert_close(found.summed(), vectors.sum(1).norm(dim=-1), rtol=1e-3, atol=1e-4)
        assert_close(found.heads(slice(1, 3), [0, 2]), found.heads()[:, :, 1:3][..., [0, 2]])
        assert_close(found.summed(2, slice(0, 2)), found.summed()[:, 2:3, :2])


def test_heads_that_are_off_move_nothing():
    model = made("gpt2")[0]
    with regard.edit(model) as edit:
        edit.head("decoder.0.self", 1).off()
        found = weighted_norms(model, watched(model), "decoder.0.self").heads()
    assert found[:, 1].eq(0).all()
    assert found[:, 0].sum() > 0


def test_a_recurrent_translator_gathers_its_annotations_as_they_are():
    model = Aligner(AlignerConfig(RecurrentConfig(WORDS, 6, 6), RecurrentConfig(WORDS, 6, 8))).eval()
    seen = watched(model)
    vectors = seen["align"].weights()[..., None] * seen["align"].values[:, :, None]
    assert_close(weighted_norms(model, seen, "align").heads(), vectors.norm(dim=-1), rtol=1e-4, atol=1e-6)


def test_what_is_not_known_is_refused():
    layer = MultiHead(16, 4)
    with torch.no_grad(), regard.watch(layer) as seen:
        layer(torch.randn(1, 3, 16))
    with pytest.raises(RegardError, match=r"watch\(…, values=True\) keeps them"):
        weighted_norms(layer, seen, "self")
    theirs = torch.nn.MultiheadAttention(16, 4, batch_first=True)
    x = torch.randn(1, 3, 16)
    with torch.no_grad(), regard.watch(theirs, values=True) as seen:
        theirs(x, x, x)
    with pytest.raises(RegardError, match="self is a MultiheadAttention: what its heads put out is known for regard's"):
        weighted_norms(theirs, seen, "self")

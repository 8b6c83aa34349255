"""Single pairs of a query and a key are cut or set, and the rest of the row is shared out anew."""

import pytest
import torch
from looking.activations.zoo import ALL, inputs_of, logits_of, model_of, side_of
from torch.testing import assert_close

import regard
from regard.errors import RegardError, ShapeError


def pattern_of(kind, *arguments, **edits):
    model, layer = model_of(kind), f"{side_of(kind)}.1.self"
    with torch.no_grad(), regard.edit(model) as edit, regard.watch(model, layer) as seen:
        if arguments:
            getattr(edit, arguments[0])(layer, *arguments[1:], **edits)
        logits_of(model, inputs_of(kind))
    return seen[layer].weights()


@pytest.mark.parametrize("kind", ALL)
def test_a_pair_that_is_cut_has_no_weight_and_the_row_sums_to_one(kind):
    plain, cut = pattern_of(kind), pattern_of(kind, "cut", [4], [1, 2], heads=[1], batch=[0])
    expected = plain.clone()
    expected[0, 1, 4, [1, 2]] = 0
    expected[0, 1, 4] /= expected[0, 1, 4].sum()
    assert_close(cut, expected, atol=1e-5, rtol=1e-4)
    assert (cut[0, 1, 4, [1, 2]] == 0).all()


@pytest.mark.parametrize("kind", ["gpt2", "live llama", "live t5"])
def test_a_pair_that_is_set_has_its_weight_and_the_others_share_the_rest(kind):
    plain, edited = pattern_of(kind), pattern_of(kind, "set_pairs", [3], [0], 0.25, heads=[0])
    expected = plain.clone()
    expected[:, 0, 3, 1:] *= 0.75 / plain[:, 0, 3, 1:].sum(-1, keepdim=True)
    expected[:, 0, 3, 0] = 0.25
    assert_close(edited, expected, atol=1e-5, rtol=1e-4)


def test_several_pairs_take_weights_of_their_own():
    weights = torch.tensor([[0.5, 0.1], [0.2, 0.3]])
    edited = pattern_of("gpt2", "set_pairs", [4, 3], [0, 2], weights)
    assert_close(edited[:, :, [4, 3]][..., [0, 2]], weights.expand(2, edited.shape[1], 2, 2))


def test_what_a_row_cannot_be_is_refused():
    with pytest.raises(ShapeError, match="weights of pairs sum to 1 at most"):
        pattern_of("gpt2", "set_pairs", [4], [0, 1], 0.75)
    with pytest.raises(RegardError, match=r"decoder.1.self: the pair of query 1 and key 3 is one the mask forbids"):
        pattern_of("gpt2", "set_pairs", [1], [3], 0.5)


def test_a_pair_that_a_text_never_reached_is_told():
    def run():
        with regard.edit(model_of("gpt2")) as edit:
            edit.cut("decoder.0.self", [60], [1])
            model_of("gpt2")(**inputs_of("gpt2"))

    with pytest.warns(UserWarning, match="the cut position 60 was never reached: 6 tokens at most"):
        run()


@pytest.mark.parametrize("shape", [(3,), (2, 1), (5, 1, 1, 1)])
def test_weights_that_are_not_one_for_each_pair_are_refused(shape):
    with pytest.raises(ShapeError, match="of batch, heads, queries, keys expected, got"):
        pattern_of("gpt2", "set_pairs", [4], [1, 2], torch.full(shape, 0.1))

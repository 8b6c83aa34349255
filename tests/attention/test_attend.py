"""attend() is its definition: output and gradients, over drawn calls, in one block and in many."""

import pytest
import torch
import torch.nn.functional as F
from attention.drawn import blocks_of, budgets, cases, fused_cases, gradients
from attention.plain_scores import SCORE_EXAMPLES
from hypothesis import given, settings
from torch.testing import assert_close

from regard.attention import BIASES, MASKS, NORMALISERS, Causal, Padding, Pattern, Softmax, Tap, Window, attend
from regard.errors import UnknownName, lookup

CLOSE = {"rtol": 1e-4, "atol": 1e-6}
BFLOAT = {"rtol": 2e-2, "atol": 2e-2}
CALL = (2, 2, 5, 7)  # members, heads, queries, keys


class Watcher(Tap):
    def __init__(self):
        self.seen = []

    def see(self, pattern):
        self.seen.append(pattern)


class Editor(Tap):
    def __init__(self, change):
        self.edit = change


def random_heads(batch=2, heads=4, queries=6, keys=6, width=8, value_width=8, groups=None, dtype=torch.float32):
    groups = groups or heads
    sizes = [(batch, heads, queries, width), (batch, groups, keys, width), (batch, groups, keys, value_width)]
    return [torch.randn(size, dtype=dtype).requires_grad_() for size in sizes]


@pytest.mark.parametrize("drawn", [cases(), fused_cases()], ids=["any", "fused"])
def test_attend_and_its_gradients_equal_the_definition(drawn):
    @settings(max_examples=60)
    @given(drawn, budgets)
    def holds(recipe, budget):
        case = recipe()
        toward = torch.randn(*case.query.shape[:3], case.value.shape[-1])
        with blocks_of(budget):
            gathered = attend(*case.heads, **case.told)
            ours = gradients(gathered, case.leaves, toward)
        meant = case.gathered()
        assert_close(gathered, meant.float(), **CLOSE)
        for our, their in zip(ours, gradients(meant, case.leaves, toward), strict=True):
            assert_close(our, their, **CLOSE)

    holds()


@settings(max_examples=40)
@given(cases(), budgets)
def test_watched_output_and_gradients_are_bit_equal_to_unwatched(recipe, budget):
    case, watcher = recipe(), Watcher()
    toward = torch.randn(*case.query.shape[:3], case.value.shape[-1])
    with blocks_of(budget):
        alone = attend(*case.heads, **case.told)
        watched = attend(*case.heads, **case.told, taps=(watcher,))
        assert torch.equal(alone, watched)
        for one, other in zip(*(gradients(x, case.leaves, toward) for x in (alone, watched)), strict=True):
            assert torch.equal(one, other)
    assert len(watcher.seen) == 1


@settings(max_examples=40)
@given(cases(), budgets)
def test_what_a_tap_sees_are_the_weights_that_were_used(recipe, budget):
    case, watcher = recipe(), Watcher()
    with blocks_of(budget), torch.no_grad():
        gathered = attend(*case.heads, **case.told, taps=(watcher,))
        weights = watcher.seen[0].weights()
    assert_close(weights, case.weights().float(), **CLOSE)
    assert_close(gathered, (weights.double() @ case.shared(case.value)).float(), **CLOSE)


@pytest.mark.parametrize("groups", [4, 2, 1])
@pytest.mark.parametrize("is_causal", [False, True])
def test_plain_calls_equal_torch_to_the_bit(groups, is_causal):
    query, key, value = random_heads(groups=groups)
    theirs = F.scaled_dot_product_attention(query, key, value, is_causal=is_causal, enable_gqa=groups < 4)
    assert torch.equal(attend(query, key, value, mask=Causal() if is_causal else None), theirs)


def test_a_bool_tensor_is_a_mask():
    query, key, value = random_heads(queries=3)
    allowed = torch.rand(2, 4, 3, 6) < 0.5
    theirs = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
    assert_close(attend(query, key, value, mask=allowed), theirs)


def test_all_edits_run_before_anybody_sees():
    query, key, value = random_heads()
    first, last = Watcher(), Watcher()
    taps = (first, Editor(lambda p: p.hide([0])), Editor(lambda p: p.scale(0, 1)), last)
    gathered = attend(query, key, value, taps=taps)
    assert first.seen[0] is last.seen[0]
    assert (first.seen[0].column(0) == 0).all()
    assert (gathered[:, 1] == 0).all()
    assert_close(gathered[:, 0], attend(query, key[:, :, 1:], value[:, :, 1:])[:, 0])


@pytest.mark.parametrize("mask", [None, Causal(), Window(2), Causal() & Padding.from_lengths([3, 6])], ids=repr)
@pytest.mark.parametrize("score", list(SCORE_EXAMPLES))
def test_autocast_gathers_in_bfloat16_watched_or_not(mask, score):
    from attention.plain import Sizes

    query, key, value = random_heads()
    told = {"mask": mask, "score": SCORE_EXAMPLES[score](Sizes(queries=6, keys=6, width=8)).score}
    full = attend(query, key, value, **told)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = attend(query, key, value, **told)
        watched = attend(query, key, value, **told, taps=(watcher := Watcher(),))
    assert cast.dtype == torch.bfloat16
    assert torch.equal(cast, watched)
    assert_close(cast.float(), full, **BFLOAT)
    cast.float().sum().backward()
    assert query.grad is not None
    assert query.grad.isfinite().all()
    assert query.grad.dtype == torch.float32
    assert watcher.seen[0].weights().dtype == torch.float32


@pytest.mark.parametrize("table", [MASKS, BIASES, NORMALISERS], ids=["masks", "biases", "normalisers"])
def test_an_unknown_name_gets_the_list_of_known_ones(table):
    with pytest.raises(UnknownName, match=f"unknown part 'nothing': known: {', '.join(sorted(table))}"):
        lookup(table, "nothing", "part")


PARTS = [
    *({"mask": mask.example(*CALL)} for mask in MASKS.values()),
    *({"bias": bias.example(*CALL)} for bias in BIASES.values()),
    *({"normaliser": normaliser.example(heads=2)} for normaliser in NORMALISERS.values()),
]
"""Each entry of each table, alone."""


@pytest.mark.parametrize("part", PARTS, ids=lambda part: repr(*part.values()))
@pytest.mark.parametrize("budget", [1 << 20, 20])
def test_the_example_of_every_part_enters_attention_as_its_weights_say(part, budget):
    query, key, value = random_heads(*CALL, dtype=torch.float64)
    with blocks_of(budget):
        output = attend(query, key, value, **part)
        weights = Pattern(query, key, **part).weights()
    assert_close(output, weights @ value)
    plain = (query @ key.transpose(-1, -2) / 8**0.5).softmax(-1)
    assert ("normaliser" in part and type(part["normaliser"]) is Softmax) == torch.allclose(weights, plain)

"""Edits are data: whatever their order, they equal the dense definition."""

import pytest
import torch
from attention.drawn import blocks_of, budgets, fused_cases
from attention.plain import softmax
from attention.test_attend import Editor, Watcher, random_heads
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from regard.attention import AlibiBias, Causal, Padding, Pattern, attend

CLOSE = {"rtol": 1e-4, "atol": 1e-6}


class Plainly:
    """The same edits in plain torch: a mask, a factor, a gate and rows, and what they make of a call."""

    def __init__(self, case):
        self.case = case
        self.hidden = torch.zeros(case.sizes.keys, dtype=torch.bool)
        self.inverse_temperature, self.gate = (
            torch.ones(case.sizes.heads).double(),
            torch.ones(case.sizes.heads).double(),
        )
        self.rows = []

    def hide(self, positions):
        self.hidden[positions] = True

    def with_temperature(self, temperature, heads):
        self.inverse_temperature[heads] /= temperature

    def scale(self, factor, heads):
        self.gate[heads] *= factor

    def set(self, weights, heads, rows):
        self.rows.append((weights, heads, rows))

    def weights(self):
        scores = self.case.scores() * self.inverse_temperature[:, None, None]
        weights = softmax(scores.masked_fill(self.hidden, -torch.inf))
        for fixed, heads, rows in self.rows:
            for head in heads:
                weights[:, head, rows] = fixed.double()
        return weights

    def gathered(self):
        return self.weights() @ self.case.shared(self.case.value) * self.gate[:, None, None]


@st.composite
def edits(draw, heads, queries, keys):
    """Some edits in some order, as (name, arguments)."""
    some_heads = st.lists(st.integers(0, heads - 1), min_size=1, max_size=heads, unique=True)
    some_rows = st.lists(st.integers(0, queries - 1), min_size=1, max_size=3, unique=True)
    some_keys = st.lists(st.integers(0, keys - 1), max_size=3)
    made = []
    for name in draw(st.lists(st.sampled_from(["hide", "with_temperature", "scale", "set"]), min_size=1, max_size=5)):
        if name == "hide":
            made.append((name, (draw(some_keys),)))
        elif name == "with_temperature":
            made.append((name, (draw(st.sampled_from([0.5, 1.0, 3.0])), draw(some_heads))))
        elif name == "scale":
            made.append((name, (draw(st.sampled_from([0.0, 0.5, -2.0])), draw(some_heads))))
        else:
            made.append((name, (torch.arange(1.0, keys + 1).softmax(-1), draw(some_heads), draw(some_rows))))
    return made


@settings(max_examples=60)
@given(fused_cases(), budgets, st.data())
def test_composed_edits_equal_the_dense_definition(recipe, budget, data):
    if any("padding" in name for _, name in recipe.masks):
        recipe = type(recipe)(recipe.seed, recipe.sizes, bias=recipe.bias, learns=False)  # positions are then columns
    case, watcher = recipe(), Watcher()
    plain, changes = Plainly(case), data.draw(edits(case.sizes.heads, case.sizes.queries, case.sizes.keys))
    for name, arguments in changes:
        getattr(plain, name)(*arguments)

    def change(pattern):
        for name, arguments in changes:
            pattern = getattr(pattern, name)(*arguments)
        return pattern

    with blocks_of(budget), torch.no_grad():
        gathered = attend(*case.heads, **case.told, taps=(Editor(change), watcher))
        assert_close(gathered, plain.gathered().float(), **CLOSE)
        assert_close(watcher.seen[0].weights(), plain.weights().float(), **CLOSE)
        assert_close(change(case.pattern).weights(), plain.weights().float(), **CLOSE)


def test_edits_carry_the_gradient_of_the_dense_definition():
    query, key, value = random_heads(1, 2, 4, 4, 3, 3, dtype=torch.float64)
    gate = torch.rand(1, 2, dtype=torch.float64, requires_grad=True)
    fixed = torch.rand(2, 4, dtype=torch.float64).softmax(-1).requires_grad_()

    def edited(query, key, value, gate, fixed):
        change = Editor(lambda p: p.hide([1]).with_temperature(2.0, 0).set(fixed, heads=1, rows=[0, 3]).scale(gate))
        return attend(query, key, value, mask=Causal(), bias=AlibiBias(torch.rand(2)), taps=(change,))

    torch.manual_seed(0)
    assert torch.autograd.gradcheck(lambda *x: (torch.manual_seed(1), edited(*x))[1], (query, key, value, gate, fixed))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_head_that_is_off_is_its_slice_zeroed_to_the_bit(dtype):
    heads = random_heads(dtype=dtype)
    off = Editor(lambda pattern: pattern.scale(0, [1, -1]))
    zeroed = attend(*heads, mask=Causal()).clone()
    zeroed[:, [1, 3]] = 0
    assert torch.equal(attend(*heads, mask=Causal(), taps=(off,)), zeroed)


def test_a_head_that_is_off_is_off_even_if_it_gathers_rubbish():
    query, key, value = random_heads()
    with torch.no_grad():
        value[:, 2] = torch.nan
    off = Editor(lambda pattern: pattern.scale(0, 2))
    assert (attend(query, key, value, taps=(off,))[:, 2] == 0).all()


@pytest.mark.parametrize(
    "factor", [2.0, torch.rand(4), torch.rand(1, 4), torch.rand(2, 4)], ids=["one", "heads", "row", "all"]
)
def test_a_gate_is_one_number_or_one_per_head_or_per_member_and_head(factor):
    heads = random_heads()
    gathered = attend(*heads, taps=(Editor(lambda pattern: pattern.scale(factor)),))
    assert_close(gathered, attend(*heads) * torch.as_tensor(factor).expand(2, 4)[:, :, None, None])


@pytest.mark.parametrize("side", ["left", "right"])
def test_positions_are_tokens_and_not_columns(side):
    query, key, _ = random_heads(batch=2, keys=6)
    mask = Padding.from_lengths([3, 6], side, 6)
    pattern = Pattern(query, key, mask=Causal() & mask).hide([0, -1])
    for member, length in enumerate([3, 6]):
        first = 6 - length if side == "left" else 0
        assert set(pattern.hidden[member].nonzero().flatten().tolist()) == {first, first + length - 1}
        assert (pattern.weights()[member, :, :, [first, first + length - 1]] == 0).all()


def test_hiding_twice_hides_both_and_hiding_again_changes_nothing():
    query, key, _ = random_heads()
    pattern = Pattern(query, key)
    assert torch.equal(pattern.hide([1]).hide([3]).weights(), pattern.hide([1, 3]).weights())
    assert torch.equal(pattern.hide([1]).hide([1]).weights(), pattern.hide([1]).weights())
    assert torch.equal(pattern.hide([]).weights(), pattern.weights())


def test_keys_can_be_hidden_per_member_of_the_batch():
    query, key, _ = random_heads()
    hidden = torch.rand(2, 6) < 0.4
    weights = Pattern(query, key, mask=Causal()).hide(hidden).weights()
    assert_close(weights, Pattern(query, key, mask=Causal() & Padding(~hidden)).weights())


def test_hiding_everything_leaves_nothing():
    heads = random_heads()
    everything = Editor(lambda pattern: pattern.hide(range(6)))
    assert (attend(*heads, taps=(everything,)) == 0).all()


def test_an_edit_of_what_was_seen_is_weighed_anew():
    query, key, value = (tensor.detach() for tensor in random_heads())
    attend(query, key, value, taps=(watcher := Watcher(),))
    seen, fresh = watcher.seen[0], Pattern(query, key)
    assert seen.row_statistics is not None
    for change in (
        lambda p: p.hide([0]),
        lambda p: p.with_temperature(2.0, 1),
        lambda p: p.hide(torch.eye(6)[:1].bool()),
    ):
        assert_close(change(seen)[..., 1:4], change(fresh).weights()[..., 1:4])
        assert_close(change(seen).received(), change(fresh).weights().sum(2))


def test_tempering_goes_from_uniform_to_the_best_key_and_back():
    query, key, _ = (tensor.detach() for tensor in random_heads())
    pattern = Pattern(query, key)
    assert_close(pattern.with_temperature(1e6).weights(), torch.full(pattern.shape, 1 / 6), rtol=1e-4, atol=1e-4)
    best = torch.nn.functional.one_hot(pattern.weights().argmax(-1), 6).float()
    assert_close(pattern.with_temperature(1e-6).weights(), best, rtol=0, atol=1e-4)
    assert_close(pattern.with_temperature(3.0).with_temperature(1 / 3).weights(), pattern.weights())


def test_rows_stay_as_they_were_set():
    query, key, value = random_heads()
    rows = torch.rand(2, 2, 3, 6).softmax(-1)
    pattern = Pattern(query, key, mask=Causal(), value=value).set(rows, heads=[3, 1], rows=[5, 0, 2])
    later = pattern.hide([0, 1]).with_temperature(0.1)
    assert torch.equal(later.weights()[:, [3, 1]][:, :, [5, 0, 2]], rows)
    assert torch.equal(later[:, 1, 0], rows[:, 1, 1])
    assert torch.equal(later.row(2)[:, 3], rows[:, 0, 2])
    assert_close(later.set(torch.eye(6)[4], heads=1, rows=0)[:, 1, 0], torch.eye(6)[[4, 4]])

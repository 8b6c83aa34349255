"""A Pattern is the definition of the weights: exact for every region, and true to its gradients."""

import numpy as np
import pytest
import torch
from attention.drawn import Recipe, blocks_of, budgets, cases, gradients
from attention.plain import Sizes
from attention.test_attend import Watcher, random_heads
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

import regard.attention.pattern as pattern_module
from regard.attention import (
    AlibiBias,
    Causal,
    Dot,
    Padding,
    Pattern,
    Softmax,
    SumNormaliser,
    TopK,
    Unnormalised,
    Window,
    attend,
    regions,
)
from regard.errors import RegardError, ShapeError, TooLarge

SOFT = ("softmax",)


def close_to(dense, scores):
    """The tolerance of a tile: 1e-6 of the log-sum-exp, which a score is off by if its rounding is."""
    return 1e-6 * scores.logsumexp(-1, keepdim=True).abs().clamp(min=1).nan_to_num(1, posinf=1).expand_as(dense)


@settings(max_examples=40)
@given(cases(SOFT), budgets, st.data())
def test_a_tile_equals_the_same_region_of_the_dense_weights(recipe, budget, data):
    case = recipe()
    _, heads, _, queries, keys, *_ = case.sizes
    ends = [sorted(data.draw(st.tuples(st.integers(0, size), st.integers(0, size)))) for size in (heads, queries, keys)]
    region = (slice(None), *(slice(*pair) for pair in ends))
    with blocks_of(budget), torch.no_grad():
        seen = Watcher()
        attend(*case.heads, **case.told, taps=(seen,))
        dense, scores = case.weights(), case.scores()
        for pattern in (case.pattern, seen.seen[0]):  # with the kernel's log-sum-exp, and with its own
            tile = pattern[region]
            assert tile.shape == dense[region].shape
            assert ((tile - dense[region]).abs() <= close_to(dense, scores)[region]).all()


@settings(max_examples=40)
@given(cases(SOFT), budgets)
def test_rows_sum_to_one_and_masked_weights_are_exactly_zero(recipe, budget):
    case = recipe()
    with blocks_of(budget):
        weights = case.pattern.weights()
    allowed = case.allowed.expand(weights.shape)
    assert (weights[~allowed] == 0).all()
    if recipe.score != "kernel":
        assert_close(weights.sum(-1), allowed.any(-1).float(), rtol=0, atol=1e-5)


@settings(max_examples=30)
@given(cases(SOFT), budgets)
def test_the_log_sum_exp_is_that_of_the_masked_scores(recipe, budget):
    case, seen = recipe(), Watcher()
    if recipe.score == "kernel":
        return
    with blocks_of(budget), torch.no_grad():
        attend(*case.heads, **case.told, taps=(seen,))
        meant = case.scores().logsumexp(-1).float()
        assert_close(case.pattern.logsumexp, meant, rtol=1e-5, atol=1e-5)
        assert_close(seen.seen[0].logsumexp, meant, rtol=1e-5, atol=1e-5)


@settings(max_examples=20)
@given(cases(), budgets)
def test_weights_carry_the_gradient_of_the_definition(recipe, budget):
    case = recipe()
    if recipe.normaliser == "hard":  # a look at hard attention has no gradient, its output has
        return
    with blocks_of(budget):
        weights = case.pattern.weights()
        toward = torch.randn_like(weights)
        ours = gradients(weights, case.leaves, toward)
    for our, their in zip(ours, gradients(case.weights(), case.leaves, toward), strict=True):
        assert_close(our, their, rtol=1e-4, atol=2e-6)


def test_a_look_without_gradients_does_not_end_those_of_the_next():
    query, key, _ = random_heads()
    pattern = Pattern(query, key, mask=Causal())
    with torch.no_grad():
        _, _ = pattern.entropy(), pattern.logsumexp
    for _ in range(2):  # and one backward pass does not use up the next
        (gradient,) = torch.autograd.grad(pattern[..., 1:3].square().sum(), query)
        (fresh,) = torch.autograd.grad(pattern.weights()[..., 1:3].square().sum(), query)
        assert_close(gradient, fresh)
        assert pattern.logsumexp.requires_grad


def test_what_was_read_once_is_not_read_again(monkeypatch):
    query, key, _ = (tensor.detach() for tensor in random_heads())
    pattern, reads = Pattern(query, key), []
    read = pattern_module.compute_statistics
    monkeypatch.setattr(pattern_module, "compute_statistics", lambda pattern: reads.append(pattern) or read(pattern))
    _, _, _ = pattern.row(0), pattern.top(2), pattern.logsumexp
    assert len(reads) == 1


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_looks_are_exact_whatever_the_dtype(dtype):
    query, key, value = random_heads(dtype=dtype)
    told = {"bias": AlibiBias(torch.rand(4)), "mask": Causal()}
    pattern = Pattern(query, key, **told, value=value)
    full = Pattern(query.double(), key.double(), **told).weights()
    assert pattern.weights().dtype == torch.promote_types(dtype, torch.float32)
    assert_close(pattern.weights().double(), full, rtol=1e-5, atol=1e-6)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert_close(Pattern(query, key, **told).weights().double(), full, rtol=1e-5, atol=1e-6)


def test_all_weights_at_once_are_refused_where_they_are_too_many(monkeypatch):
    query, key, _ = random_heads()
    pattern = Pattern(query, key)
    monkeypatch.setattr(regions, "DENSE_LIMIT", 2 * 4 * 6 * 6 * 4 - 1)
    with pytest.raises(
        TooLarge, match=r"use pattern\[b, h, i:j, k:l\], top\(k\) or pool\(rows, columns\), or force=True"
    ):
        pattern.weights()
    with pytest.raises(TooLarge, match="GiB of weights, more than 1 GiB in one piece: take a smaller region"):
        _ = pattern[:]
    assert pattern.weights(force=True).shape == pattern.shape
    assert pattern[:, :2].shape == (2, 2, 6, 6)
    assert pattern.top(2).weights.shape == (2, 4, 6, 2)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_as_an_array_it_is_its_weights(dtype):
    query, key, value = random_heads(dtype=dtype)
    pattern = Pattern(query, key, mask=Causal(), value=value).scale(0.0, 1)
    weights = pattern.weights().detach().numpy()
    for found in (np.asarray(pattern), np.array(pattern), np.array(pattern, copy=True)):
        assert found.dtype == weights.dtype
        assert np.array_equal(found, weights)
    assert np.asarray(pattern, dtype=np.float16).dtype == np.float16
    assert np.array_equal(np.asarray(pattern, dtype=np.float64), weights.astype(np.float64))
    assert np.stack([pattern, pattern]).shape == (2, *pattern.shape)
    with pytest.raises(ShapeError, match="the weights of a Pattern are computed: an array of them is a copy"):
        np.asarray(pattern, copy=False)


def test_an_array_of_too_many_weights_is_refused(monkeypatch):
    query, key, _ = random_heads()
    monkeypatch.setattr(regions, "DENSE_LIMIT", 2 * 4 * 6 * 6 * 4 - 1)
    with pytest.raises(TooLarge, match=r"use pattern\[b, h, i:j, k:l\], top\(k\) or pool"):
        np.asarray(Pattern(query, key))


def test_the_limit_is_one_gibibyte():
    query, key = (
        torch.empty(1, 1, 1, 1).expand(1, 1, 1 << 14, 1),
        torch.empty(1, 1, 1, 1).expand(1, 1, (1 << 14) + 1, 1),
    )
    with pytest.raises(TooLarge, match=r"that is 1\.0 GiB"):
        Pattern(query, key).weights()


@pytest.mark.parametrize("normaliser", [TopK(), SumNormaliser(), Unnormalised()], ids=repr)
def test_only_a_softmax_has_a_log_sum_exp_and_some_have_no_temperature(normaliser):
    query, key, _ = random_heads()
    pattern = Pattern(query, key, normaliser=normaliser)
    with pytest.raises(RegardError, match="has no log-sum-exp: only softmax has one"):
        _ = pattern.logsumexp
    if not isinstance(normaliser, TopK):
        with pytest.raises(RegardError, match="has no temperature: only softmax and hard attention have one"):
            pattern.with_temperature(2.0)


def test_a_pattern_kept_apart_owes_nothing_to_its_origin():
    case = Recipe(1, Sizes(), (("&", "causal"), ("&", "padding")), "shaw", "buckets")()
    edited = (
        case.pattern.hide([0]).with_temperature(2.0, 1).scale(0.5, 0).set(torch.rand(7).softmax(-1), heads=2, rows=1)
    )
    kept = edited.with_tensors(lambda tensor: tensor.detach().clone())
    before = kept.weights()
    with torch.no_grad():
        for tensor in [*case.leaves, case.mask.parts[1].attention_mask]:
            tensor.zero_()
    assert torch.equal(kept.weights(), before)
    assert not before.requires_grad
    assert kept.mask is not case.mask


def test_a_pattern_prints_in_one_line_and_draws_itself():
    query, key, _ = random_heads(queries=3, keys=3)
    pattern = Pattern(query, key, Dot(), AlibiBias(torch.ones(4)), Causal() & Padding.from_lengths([2, 3]))
    shown = repr(pattern.hide([0]).with_temperature(2.0))
    assert shown.startswith("Pattern(2 x 4 heads, 3 queries x 3 keys, Dot(")
    assert "Causal() & Padding(2, 3 tokens of 3)" in shown
    assert shown.endswith("edited by hide and temperature)")
    assert "\n" not in shown
    assert "first" in pattern.draw(head=1, batch=1, columns=["first", "second", "third"])


def test_the_score_names_the_normaliser_unless_somebody_does():
    query, key, _ = random_heads()
    assert isinstance(Pattern(query, key).normaliser, Softmax)
    assert isinstance(Pattern(query, key, mask=Window(1), normaliser=TopK()).normaliser, TopK)

"""What the kernel must survive: blind queries, padding that holds rubbish, huge scores, nothing at all."""

import pytest
import torch
from attention.drawn import blocks_of
from attention.test_attend import Editor, Watcher, random_heads
from torch.testing import assert_close

from regard.attention import (
    Additive,
    AlibiBias,
    BucketBias,
    Causal,
    DenseMask,
    Dot,
    Padding,
    Pattern,
    Shaw,
    Window,
    attend,
    attention_output,
    kernels,
)
from regard.attention.kernels import is_finite
from regard.errors import RegardError

HALVES = [torch.float16, torch.bfloat16]
BLIND = {
    "a padded member": Padding.from_lengths([0, 6]),
    "left padding and causal": Causal() & Padding.from_lengths([3, 0], "left", 6),
    "a row of a dense mask": DenseMask(torch.tensor([False, True, True, False, True, True])[:, None].expand(6, 6)),
    "no key in the window": Window(0) & ~Causal(),
}
WAYS = {
    "fused": {},
    "with a bias": {"bias": AlibiBias(torch.rand(2))},
    "explicit": {"score": Additive(torch.randn(2, 8))},
    "learned": {"bias": BucketBias(torch.randn(2, 5, requires_grad=True))},
    "dropout": {"dropout": 0.5},
}


@pytest.mark.parametrize("budget", [1 << 20, 60])
@pytest.mark.parametrize("dtype", [torch.float32, *HALVES])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("blind", BLIND)
def test_queries_that_see_nothing_gather_zeros_and_their_gradients_are_finite(blind, way, dtype, budget):
    heads, mask, watcher = random_heads(heads=2, dtype=dtype), BLIND[blind], Watcher()
    sees = mask.grid(6, 6).any(-1).expand(2, 2, 6)
    with blocks_of(budget):
        for taps in [(), (watcher,)]:
            gathered = attend(*heads, **WAYS[way], mask=mask, taps=taps)
            assert (gathered[~sees] == 0).all()
            assert (gathered[sees] != 0).any(-1).all() or way == "dropout"
            for gradient in torch.autograd.grad(gathered.float().square().sum(), heads):
                assert gradient.isfinite().all()
        weights = watcher.seen[0].weights()
    assert (weights[~sees] == 0).all()
    assert_close(weights.sum(-1), sees.float(), rtol=0, atol=2e-3 if dtype in HALVES else 1e-5)
    assert ((watcher.seen[0].logsumexp == -torch.inf) == ~sees).all()


@pytest.mark.parametrize("fill", [torch.nan, torch.inf, -torch.inf, 1e30])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("way", ["fused", "with a bias", "explicit", "learned"])
@pytest.mark.parametrize("causal", [False, True])
def test_what_stands_in_padded_positions_changes_no_bit(fill, side, way, causal):
    query, key, value = random_heads(heads=2)
    padding = Padding.from_lengths([4, 0], side, 6)
    mask = Causal() & padding if causal else padding
    rubbish = ~padding.attention_mask[:, None, :, None]
    spoilt = [tensor.detach().masked_fill(rubbish, fill).requires_grad_() for tensor in (key, value)]
    told = {**WAYS[way], "mask": mask}
    clean, dirty = attend(query, key, value, **told), attend(query, *spoilt, **told)
    watched = attend(query, *spoilt, **told, taps=(watcher := Watcher(),))
    assert torch.equal(clean, dirty)
    assert torch.equal(clean, watched)
    with torch.no_grad():
        assert torch.equal(attend(query, key, value, **told), attend(query, key, spoilt[1], **told))
    assert_close(watcher.seen[0].weights(), Pattern(query, key, **told).weights())
    for one, other in zip(*(torch.autograd.grad(x.sum(), query) for x in (clean, dirty)), strict=True):
        assert_close(one, other)


@pytest.mark.parametrize("fill", [torch.nan, torch.inf, -torch.inf])
def test_padded_keys_do_not_reach_the_gradient_where_the_output_hides_them(fill):
    query, key, value = random_heads(heads=2)
    query = query.detach().abs().requires_grad_()  # minus infinity then scores minus infinity, and weighs nothing
    mask = Padding.from_lengths([4, 3], keys=6)
    spoilt = key.detach().masked_fill(~mask.attention_mask[:, None, :, None], fill)
    clean, dirty = attend(query, key, value, mask=mask), attend(query, spoilt, value, mask=mask)
    assert torch.equal(clean, dirty)
    for one, other in zip(*(torch.autograd.grad(x.sum(), (query, value)) for x in (clean, dirty)), strict=True):
        assert_close(one, other)


def test_rows_set_by_hand_do_not_bring_padding_back():
    query, key, value = random_heads(batch=1)
    mask = Padding.from_lengths([4], keys=6)
    spoilt = value.detach().masked_fill(~mask.attention_mask[:, None, :, None], torch.nan)
    first = Editor(lambda pattern: pattern.set(torch.eye(6)[0], heads=0))
    gathered = attend(query, key, spoilt, mask=mask, taps=(first,))
    assert_close(gathered[:, 0], value[:, 0, :1].expand(1, 6, 8))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", [torch.float32, *HALVES])
@pytest.mark.parametrize("masked", [False, True])
def test_huge_scores_give_no_nan(way, dtype, masked):
    size = 6e4 if dtype == torch.float16 else 1e4
    query, key, value = random_heads(heads=2, dtype=dtype)
    with torch.no_grad():
        key[...] = torch.where(torch.rand(key.shape[:-1]) < 0.5, 1, -1)[..., None]
        query[...] = size / 8 * 8**0.5
    told = {**WAYS[way], "mask": Causal() if masked else None}
    gathered = attend(query, key, value, **told, taps=(watcher := Watcher(),))
    assert gathered.isfinite().all()
    assert watcher.seen[0].weights().isfinite().all()
    for gradient in torch.autograd.grad(gathered.float().sum(), (query, key, value), allow_unused=True):
        assert gradient is None or not gradient.isnan().any()


@pytest.mark.parametrize("dtype", HALVES)
def test_far_positions_are_told_apart_in_half_precision(dtype):
    query, key, value = (tensor.detach() for tensor in random_heads(1, 2, 600, 600, dtype=dtype))
    told = {"bias": AlibiBias(torch.tensor([0.3, 0.07])), "mask": ~Window(200, 200)}
    gathered = attend(query, key, value, **told, taps=(watcher := Watcher(),))
    meant = attend(query.double(), key.double(), value.double(), **told)
    assert_close(gathered.double(), meant, rtol=0, atol=4 * torch.finfo(dtype).eps)
    sees = told["mask"].grid(600, 600).any(-1).float().expand(1, 2, 600)
    assert_close(watcher.seen[0].weights().sum(-1), sees, rtol=0, atol=1e-3)


def test_a_sharp_temperature_does_not_overflow_in_half_precision():
    query, key, value = random_heads(dtype=torch.float16)
    sharp = Editor(lambda pattern: pattern.with_temperature(1e-5))
    assert attend(query, key, value, taps=(sharp,)).isfinite().all()


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("empty", ["batch", "queries", "keys"])
def test_nothing_to_attend_to_gathers_zeros(way, empty):
    sizes = {"batch": 2, "queries": 3, "keys": 4, empty: 0}
    heads, watcher = random_heads(heads=2, **sizes), Watcher()
    gathered = attend(*heads, **WAYS[way], mask=Causal(), taps=(watcher,))
    assert gathered.shape == (sizes["batch"], 2, sizes["queries"], 8)
    assert (gathered == 0).all()
    for gradient, tensor in zip(torch.autograd.grad(gathered.sum(), heads), heads, strict=True):
        assert torch.equal(gradient, torch.zeros_like(tensor))
    pattern = watcher.seen[0]
    assert pattern.weights().shape == pattern.shape
    assert pattern.entropy().shape == pattern.logsumexp.shape == pattern.shape[:3]
    assert pattern.received().shape == (sizes["batch"], 2, sizes["keys"])
    assert pattern.top(2).weights.shape == (*pattern.shape[:3], min(2, sizes["keys"]))


def test_vectors_without_numbers_weigh_all_keys_alike():
    query, key, value = random_heads(width=0, keys=4)
    assert_close(attend(query, key, value), value.mean(2, keepdim=True).expand(2, 4, 6, 8))
    assert attend(*random_heads(width=0, value_width=0)).shape == (2, 4, 6, 0)


@pytest.mark.parametrize("score", [Dot(), Shaw(torch.randn(4, 3, 8))], ids=["fused", "explicit"])
def test_a_pattern_without_values_says_so(score):
    query, key, _ = random_heads()
    with pytest.raises(RegardError, match="this pattern has no values"):
        attention_output(Pattern(query, key, score))


def test_finite_numbers_that_add_up_past_half_precision_are_finite():
    assert is_finite(torch.full((1000,), 6e4, dtype=torch.float16))
    assert not is_finite(torch.tensor([1.0, torch.nan]))


@pytest.mark.parametrize("kv_heads", [1, 2])
@pytest.mark.parametrize("queries", [2, 5, 8])
def test_the_last_queries_of_a_text_gather_what_they_gather_in_all_of_it(queries, kv_heads, monkeypatch):
    monkeypatch.setattr(kernels, "BUDGET", 1)
    query, key, value = random_heads(queries=9, keys=9)
    key, value, watcher = key[:, :kv_heads], value[:, :kv_heads], Watcher()
    with torch.no_grad():
        expected = attend(query, key, value, mask=Causal())
        later = attend(query[:, :, -queries:], key, value, mask=Causal(), taps=(watcher,))
    assert_close(later, expected[:, :, -queries:])
    (pattern,) = watcher.seen
    scores = pattern.scores(slice(0, queries), slice(0, 9))
    assert_close(pattern.row_statistics[0], scores.logsumexp(-1, keepdim=True))

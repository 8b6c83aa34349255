"""Watching changes nothing, and what was seen stays as it was."""

import pytest
import torch
from looking.readers import HEADS, WIDTH, Reader, block, dense, stream
from torch import nn
from torch.testing import assert_close

import regard
from regard.attention import SCORES, AlibiBias, Causal, DenseBias, DenseMask, GraphMask, Padding, Pattern, Window
from regard.layers import BlockCache, MultiHead, Stack
from regard.positions import RelativeBuckets

CLOSE = {"rtol": 1e-4, "atol": 1e-6}

MASKS = {
    "none": None,
    "causal": Causal(),
    "padding on the left": Padding.from_lengths([3, 6], "left"),
    "padding on the right": Padding.from_lengths([3, 6]),
    "causal and padding": Causal() & Padding.from_lengths([3, 6], "left"),
    "nothing to see": Padding.from_lengths([0, 6]),
    "window": Window(2, 1),
    "not a window": ~Window(1),
    "either": Causal() | Window(0, 2),
    "dense": DenseMask(torch.rand(2, HEADS, 6, 6, generator=torch.Generator().manual_seed(1)) > 0.5),
    "graph": GraphMask.from_edges([(0, 1), (1, 2), (2, 2), (3, 0), (3, 5), (4, 4)], 6),
}
BIASES = {
    "none": lambda: None,
    "alibi": lambda: AlibiBias(torch.tensor([0.5, 0.1])),
    "buckets": lambda: RelativeBuckets(HEADS).bias(),
    "given": lambda: DenseBias(torch.randn(2, 1, 6, 6)),
}


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("mask", MASKS)
def test_watched_output_is_bit_equal_to_unwatched(mask, bias):
    layer, x = MultiHead(WIDTH, HEADS), stream(length=6)
    given = {"mask": MASKS[mask], "bias": BIASES[bias]()}
    for grad in (False, True):
        for wants in (False, True):
            with torch.set_grad_enabled(grad):
                before = layer(x, **given)
                with regard.watch(layer, grad=wants) as seen:
                    watched = layer(x, **given)
            assert torch.equal(watched, before)
            sums = seen["self"].weights().sum(-1)
            assert_close(sums, sums.round(), rtol=0, atol=1e-5)


def test_watching_leaves_the_gradient_as_it_is():
    model, x = Reader(), stream()
    model(x, Causal()).sum().backward()
    before = [weight.grad.clone() for weight in model.parameters()]
    model.zero_grad()
    with regard.watch(model):
        model(x, Causal()).sum().backward()
    assert all(torch.equal(weight.grad, old) for weight, old in zip(model.parameters(), before, strict=True))


def test_watching_draws_no_random_numbers():
    layer, x = MultiHead(WIDTH, HEADS, dropout=0.4).train(), stream()
    torch.manual_seed(3)
    before = layer(x)
    torch.manual_seed(3)
    with regard.watch(layer) as seen:
        watched = layer(x)
    assert torch.equal(watched, before)
    assert_close(seen["self"].weights(), dense(layer, x), **CLOSE)  # the weights before dropout


# ---- patterns stay true


@pytest.mark.parametrize("grad", [False, True])
def test_a_pattern_stays_true_after_an_optimiser_step(grad):
    position = RelativeBuckets(HEADS)
    layers = [MultiHead(WIDTH, HEADS, score=SCORES[name](heads=HEADS, width=4)) for name in SCORES]
    model, x = nn.ModuleList([*layers, position]), stream()
    with regard.watch(model, grad=grad) as seen:
        loss = sum(layer(x, bias=position.bias() if n == 0 else None).square().sum() for n, layer in enumerate(layers))
    before = {name: pattern.weights().detach().clone() for name, pattern in seen.items()}
    loss.backward()
    torch.optim.SGD(model.parameters(), lr=1.0).step()
    assert len(before) == len(SCORES)
    for name, pattern in seen.items():
        assert torch.equal(pattern.with_tensors(torch.Tensor.detach).weights(), before[name])


def test_a_pattern_stays_true_after_its_cache_moved_on():
    model, x = Stack([block(), block()]), stream(length=6)
    caches = [BlockCache(), BlockCache()]
    with torch.no_grad(), regard.watch(model) as seen:
        for some in x.split(2, 1):
            model(some, mask=Causal(), caches=caches)
    whole = [pattern.weights().clone() for pattern in seen.all("0.self")]
    with torch.no_grad():
        for cache in caches:
            cache.self._key.fill_(torch.nan)
            cache.self._value.fill_(torch.nan)
    assert all(torch.equal(p.weights(), old) for p, old in zip(seen.all("0.self"), whole, strict=True))
    with torch.no_grad(), regard.watch(model) as at_once:
        model(x, mask=Causal())
    assert_close(Pattern.join(seen.all("0.self")).weights(), at_once["0.self"].weights(), **CLOSE)


def test_a_pattern_stays_true_when_its_inputs_are_written_over():
    layer, x = MultiHead(WIDTH, HEADS), stream()
    attention_mask, numbers = Padding.from_lengths([3, 5]).attention_mask, torch.randn(1, 1, 5, 5)
    with torch.no_grad(), regard.watch(layer) as seen:
        layer(x, mask=Padding(attention_mask), bias=DenseBias(numbers))
    before = seen["self"].weights().clone()
    x.zero_(), attention_mask.fill_(True), numbers.zero_()
    assert torch.equal(seen["self"].weights(), before)


def test_a_stream_stays_true_when_somebody_writes_into_it():
    model, x = Reader(), stream()
    with torch.no_grad(), regard.watch(model) as seen:
        out = model(x)
        before = out.clone()
        out.zero_()
    assert torch.equal(seen.stream("encoder.1"), before)

"""Reading step by step is reading all at once."""

from functools import partial

import pytest
import torch
from torch import nn
from torch.testing import assert_close

import regard
from regard.attention import SCORES, Cache, Causal, Padding, Window
from regard.layers import BlockCache, FeedForward, HeadSplit, MultiHead, Stack, TransformerBlock
from regard.positions import POSITIONS, Alibi, positions_of

WIDTH, HEADS = 12, 3
CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def stacked(blocks=2, across=False) -> Stack:
    def block() -> TransformerBlock:
        return TransformerBlock(
            MultiHead(WIDTH, HEADS),
            FeedForward(WIDTH, 16),
            partial(nn.LayerNorm, WIDTH),
            cross=MultiHead(WIDTH, HEADS, source_width=8) if across else None,
        )

    return Stack([block() for _ in range(blocks)])


def stepped(layer, x, sizes=None, **given) -> torch.Tensor:
    """What a layer with a cache puts out, a few tokens at a time."""
    cache, found = Cache(), []
    for some in x.split(sizes or 1, 1):
        found.append(layer(some, cache=cache, **given))
    return torch.cat(found, 1)


@pytest.mark.parametrize("name", POSITIONS)
def test_a_stack_that_reads_token_by_token_sees_what_it_would_see_at_once(name):
    stack, position, x = stacked(), POSITIONS[name].example(WIDTH, HEADS), torch.randn(2, 7, WIDTH)

    def read(x, start, caches=None):
        positions = positions_of(None, x.shape[1], start=start)
        return stack(
            position.embed(x, positions),
            mask=Causal(),
            bias=position.bias(),
            position=position,
            positions=positions,
            caches=caches,
        )

    whole, caches = read(x, 0), [BlockCache(), BlockCache()]
    parts, start = [], 0
    for some in x.split([3, 1, 1, 2], 1):  # a prompt, then single tokens, then two at once
        parts.append(read(some, start, caches))
        start += some.shape[1]
    assert_close(torch.cat(parts, 1), whole, **CLOSE)
    assert [cache.self.length for cache in caches] == [7, 7]


@pytest.mark.parametrize("name", SCORES)
def test_every_score_reads_step_by_step(name):
    layer, x = MultiHead(WIDTH, HEADS, score=SCORES[name].example(HEADS, width=4)), torch.randn(2, 6, WIDTH)
    assert_close(stepped(layer, x, [2, 1, 3], mask=Causal()), layer(x, mask=Causal()), **CLOSE)


@pytest.mark.parametrize(
    "split",
    [{"kv_heads": 1}, {"kv_heads": 2}, {"kv_heads": 2, "remaining_heads": (0, 2, 3)}, {"remaining_heads": (1,)}],
)
def test_shared_and_pruned_heads_read_step_by_step(split):
    layer, x = MultiHead(16, HeadSplit.of(16, 4, **split)), torch.randn(2, 6, 16)
    bias = Alibi(4).bias()
    whole = layer(x, mask=Causal(), bias=bias)
    assert_close(stepped(layer, x, mask=Causal(), bias=bias), whole, **CLOSE)


def test_a_window_reads_step_by_step():
    layer, x = MultiHead(WIDTH, HEADS), torch.randn(2, 9, WIDTH)
    assert_close(stepped(layer, x, mask=Window(3)), layer(x, mask=Window(3)), **CLOSE)


def test_a_source_is_read_once():
    stack, x, source = stacked(across=True), torch.randn(2, 5, WIDTH), torch.randn(2, 6, 8)
    mask = Padding.from_lengths([4, 6])
    whole = stack(x, source, mask=Causal(), source_mask=mask)
    caches, parts = [BlockCache(), BlockCache()], []
    for number, some in enumerate(x.split(1, 1)):
        given = source if number == 0 else None if number % 2 else torch.full_like(source, torch.nan)
        parts.append(stack(some, given, mask=Causal(), source_mask=mask, caches=caches))
    assert_close(torch.cat(parts, 1), whole, **CLOSE)
    assert [cache.cross.length for cache in caches] == [6, 6]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("name", POSITIONS)
def test_prompts_of_several_lengths_go_on_as_each_would_alone(name, side):
    stack, position = stacked(), POSITIONS[name].example(WIDTH, HEADS)
    prompts, more = [torch.randn(1, 3, WIDTH), torch.randn(1, 5, WIDTH)], torch.randn(2, 3, WIDTH)

    def read(x, attention_mask, caches=None):
        positions = positions_of(attention_mask, x.shape[1])
        mask = Causal() & Padding(attention_mask)
        x = position.embed(x, positions)
        return stack(x, mask=mask, bias=position.bias(), position=position, positions=positions, caches=caches)

    together, attention_mask = torch.randn(2, 5, WIDTH), Padding.from_lengths([3, 5], side).attention_mask
    for member, prompt in enumerate(prompts):
        together[member, attention_mask[member]] = prompt[0]
    caches, found = [BlockCache(), BlockCache()], []
    read(together, attention_mask, caches)
    for some in more.split(1, 1):
        attention_mask = torch.cat([attention_mask, torch.ones(2, 1, dtype=torch.bool)], 1)
        found.append(read(some, attention_mask, caches))
    for member, prompt in enumerate(prompts):
        alone = torch.cat([prompt, more[member : member + 1]], 1)
        expected = read(alone, torch.ones(1, alone.shape[1], dtype=torch.bool))[0, -3:]
        is_apart = position.bias() is not None and side == "right" and member == 0
        if not is_apart:  # padding between the prompt and what follows would count as distance
            assert_close(torch.cat(found, 1)[member], expected, **CLOSE)


@torch.no_grad()
@pytest.mark.parametrize("rows", [[1, 0], [0, 0, 1, 1], [1], [1, 1, 1]])
def test_members_are_reordered_repeated_and_dropped(rows):
    stack, x, source = stacked(across=True), torch.randn(2, 6, WIDTH), torch.randn(2, 5, 8)
    caches, chosen = [BlockCache(), BlockCache()], torch.tensor(rows)
    stack(x[:, :4], source, mask=Causal(), caches=caches)
    for cache in caches:
        cache.select(chosen, chosen)
    found = stack(x[chosen, 4:], None, mask=Causal(), caches=caches)
    expected = stack(x[chosen], source[chosen], mask=Causal())[:, 4:]
    assert_close(found, expected, **CLOSE)


@torch.no_grad()
@pytest.mark.parametrize("compare", [None, "additive"])
@pytest.mark.parametrize("watched", [False, True])
def test_members_in_a_row_can_share_a_source(compare, watched):
    layer = MultiHead(WIDTH, HEADS, source_width=8, score=SCORES[compare](heads=HEADS, width=4) if compare else None)
    x, source, mask = torch.randn(6, 2, WIDTH), torch.randn(2, 5, 8), Padding.from_lengths([5, 5, 5, 3, 3, 3])
    cache = Cache()
    layer(x[::3], source, cache=cache)
    every = source.repeat_interleave(3, 0)
    expected = layer(x, every, mask=mask)
    if not watched:
        assert_close(layer(x, mask=mask, cache=cache), expected, **CLOSE)
        return
    with regard.watch(layer) as seen:
        assert_close(layer(x, mask=mask, cache=cache), expected, **CLOSE)
    with regard.watch(layer) as plain:
        layer(x, every, mask=mask)
    assert_close(seen["self"].weights(), plain["self"].weights(), **CLOSE)


@pytest.mark.parametrize("grad", [True, False])
def test_a_cache_grows_past_its_first_room(grad):
    layer, x = MultiHead(WIDTH, HEADS), torch.randn(1, 70, WIDTH)
    with torch.set_grad_enabled(grad):
        assert_close(stepped(layer, x, mask=Causal()), layer(x, mask=Causal()), **CLOSE)


@torch.no_grad()
def test_growing_writes_each_token_few_times():
    cache, rooms = Cache(), set()
    for _ in range(1000):
        cache.extend(torch.zeros(1, 1, 1, 2), torch.zeros(1, 1, 1, 2))
        rooms.add(cache._key.shape[2])
    assert sum(rooms) <= 10 * 1000
    assert max(rooms) <= 1.125 * 1000 + 4


def test_gradients_flow_through_a_cache():
    layer, x = MultiHead(WIDTH, HEADS), torch.randn(2, 5, WIDTH)
    mine, other = x.clone().requires_grad_(), x.clone().requires_grad_()
    wanted = torch.randn(2, 5, WIDTH)
    (stepped(layer, mine, [2, 1, 2], mask=Causal()) * wanted).sum().backward()
    by_steps = layer.qkv.weight.grad.clone()
    layer.zero_grad()
    (layer(other, mask=Causal()) * wanted).sum().backward()
    assert_close(mine.grad, other.grad, **CLOSE)
    assert_close(by_steps, layer.qkv.weight.grad, **CLOSE)


@pytest.mark.parametrize(
    "frozen",
    [
        "prompt",
        "projection",
    ],
)
def test_gradients_flow_where_only_part_of_what_is_remembered_has_them(frozen):
    layer, x = MultiHead(WIDTH, HEADS, score=SCORES["tempered"](heads=HEADS, width=4)), torch.randn(2, 5, WIDTH)
    wanted = torch.randn(2, 3, WIDTH)
    if frozen == "projection":
        layer.qkv.requires_grad_(False)
    cache = Cache()
    with torch.set_grad_enabled(frozen == "projection"):
        layer(x[:, :2], mask=Causal(), cache=cache)
    found = torch.cat([layer(some, mask=Causal(), cache=cache) for some in x[:, 2:].split(1, 1)], 1)
    (found * wanted).sum().backward()
    by_steps = layer.score.log_temperature.grad.clone()
    layer.zero_grad()
    (layer(x, mask=Causal())[:, 2:] * wanted).sum().backward()
    assert_close(by_steps, layer.score.log_temperature.grad, **CLOSE)


def test_an_empty_cache_knows_nothing():
    cache = Cache()
    assert cache.key is None
    assert cache.value is None
    cache.select(torch.tensor([0]))
    assert cache.length == 0

"""A cache holds what it was given, in order, and what it handed out stays as it was."""

import pytest
import torch
from attention.test_attend import random_heads

from regard.attention import Cache
from regard.attention.cache import ROOM


@pytest.mark.parametrize("lengths", [[1] * 5, [ROOM, 1, 1], [3, 2 * ROOM, 1], [1] * (2 * ROOM + 3)], ids=len)
def test_keys_and_values_come_back_in_order(lengths):
    total = sum(lengths)
    _, key, value = (x.detach() for x in random_heads(keys=total, value_width=3))
    cache, start = Cache(), 0
    for length in lengths:
        now = slice(start, start + length)
        start += length
        keys, values = cache.extend(key[:, :, now], value[:, :, now])
        assert torch.equal(keys, key[:, :, :start])
        assert torch.equal(values, value[:, :, :start])
    assert cache.length == total
    assert torch.equal(cache.key, key)
    assert torch.equal(cache.value, value)


def test_a_new_cache_is_empty():
    cache = Cache()
    assert cache.key is None
    assert cache.value is None
    assert cache.length == 0
    assert cache.select(torch.tensor([0, 0])).length == 0


def test_what_was_handed_out_does_not_change():
    _, key, value = (x.detach() for x in random_heads(keys=3 * ROOM))
    cache = Cache()
    earlier = [cache.extend(key[:, :, [place]], value[:, :, [place]]) for place in range(3 * ROOM)]
    for length, (keys, values) in enumerate(earlier, 1):
        assert torch.equal(keys, key[:, :, :length])
        assert torch.equal(values, value[:, :, :length])


@torch.no_grad()
def test_n_tokens_are_not_copied_n_times():
    _, key, value = (x.detach() for x in random_heads(keys=16 * ROOM))
    cache, buffers = Cache(), set()
    for place in range(16 * ROOM):
        keys, _ = cache.extend(key[:, :, [place]], value[:, :, [place]])
        buffers.add(keys.data_ptr())
    assert len(buffers) <= 6


def test_members_are_reordered_repeated_and_dropped_apart_from_the_first():
    _, key, value = (x.detach() for x in random_heads(batch=3))
    cache = Cache()
    cache.extend(key, value)
    rows = torch.tensor([2, 0, 2, 2])
    other = cache.select(rows)
    assert torch.equal(other.key, key[rows])
    assert torch.equal(other.value, value[rows])
    other.extend(key[rows], value[rows])
    cache.extend(-key, -value)
    assert torch.equal(other.key, torch.cat([key[rows], key[rows]], 2))
    assert torch.equal(cache.key, torch.cat([key, -key], 2))


@pytest.mark.parametrize("learns", [[True, True], [False, True], [True, False]], ids=str)
def test_gradients_flow_through_a_cache(learns):
    parts = [torch.randn(1, 2, 3, 4, requires_grad=some) for some in learns]
    cache = Cache()
    for part in parts:
        keys, _ = cache.extend(part, part.detach())
    toward = torch.randn_like(keys)
    wanted = [part for part in parts if part.requires_grad]
    found = torch.autograd.grad((keys * toward).sum(), wanted)
    meant = [some for some, part in zip(toward.split(3, 2), parts, strict=True) if part.requires_grad]
    assert all(torch.equal(one, other) for one, other in zip(found, meant, strict=True))

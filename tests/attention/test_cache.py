"""A cache holds what it was given, in order, and what it handed out stays as it was."""

import pytest
import torch
from attention.test_attend import random_heads

from regard.attention import Cache
from regard.attention.cache import ROOM, SHARE


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
    cache.select(torch.tensor([0, 0]))
    assert cache.length == 0


def test_what_was_handed_out_does_not_change():
    _, key, value = (x.detach() for x in random_heads(keys=3 * ROOM))
    cache = Cache()
    earlier = [cache.extend(key[:, :, [position]], value[:, :, [position]]) for position in range(3 * ROOM)]
    for length, (keys, values) in enumerate(earlier, 1):
        assert torch.equal(keys, key[:, :, :length])
        assert torch.equal(values, value[:, :, :length])


@torch.no_grad()
def test_n_tokens_are_not_copied_n_times():
    _, key, value = (x.detach() for x in random_heads(keys=1024))
    cache, copied, room = Cache(), 0, 0
    for position in range(1024):
        cache.extend(key[:, :, [position]], value[:, :, [position]])
        copied += 0 if cache._key.shape[2] == room else position
        room = cache._key.shape[2]
    assert copied <= (SHARE + 1) * 1024


def test_members_are_reordered_repeated_and_dropped():
    _, key, value = (x.detach() for x in random_heads(batch=3))
    cache = Cache()
    cache.extend(key, value)
    rows = torch.tensor([2, 0, 2, 2])
    cache.select(rows)
    assert torch.equal(cache.key, key[rows])
    assert torch.equal(cache.value, value[rows])
    cache.extend(-key[rows], -value[rows])
    assert torch.equal(cache.key, torch.cat([key[rows], -key[rows]], 2))


@torch.no_grad()
def test_what_does_not_grow_has_no_room_to_grow():
    _, key, value = (x.detach() for x in random_heads(keys=5))
    cache = Cache()
    cache.fill(key.transpose(1, 2).contiguous().transpose(1, 2), value)
    assert torch.equal(cache.key, key)
    assert cache.key.untyped_storage().nbytes() == key.numel() * key.element_size()


@torch.no_grad()
@pytest.mark.parametrize("length", [20, 50, 333])
def test_little_room_is_held_for_tokens_that_never_come(length):
    _, key, value = (x.detach() for x in random_heads(keys=length))
    cache = Cache()
    for position in range(length):
        cache.extend(key[:, :, [position]], value[:, :, [position]])
    assert cache._key.shape[2] <= length * (1 + 1 / SHARE) + ROOM


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


def test_a_cache_that_knows_how_many_will_come_has_room_for_as_many():
    _, key, value = (x.detach() for x in random_heads(keys=11))
    cache = Cache(capacity=10)
    with torch.no_grad():
        first, _ = cache.extend(key[:, :, :3], value[:, :, :3])
        second, _ = cache.extend(key[:, :, 3:10], value[:, :, 3:10])
        assert first.untyped_storage().data_ptr() == second.untyped_storage().data_ptr()
        assert second.untyped_storage().nbytes() == second.nbytes
        third, _ = cache.extend(key[:, :, 10:], value[:, :, 10:])
    assert torch.equal(third, key)

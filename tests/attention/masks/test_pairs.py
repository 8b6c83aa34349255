"""Pairs that are cut: nothing else of a mask changes."""

import torch
from torch.testing import assert_close

from regard.attention import Causal, attend
from regard.attention.masks.pairs import WithoutPairs


def test_only_the_named_pairs_are_cut():
    mask = WithoutPairs.example(batch=2, heads=2, queries=5, keys=7)
    grid = mask.grid(5, 7)
    assert (~grid).nonzero().tolist() == [[0, 0, 4, 0], [0, 0, 4, 1], [1, 0, 4, 0], [1, 0, 4, 1]]
    part = mask.part(slice(1, 2), slice(1, 2))
    assert part.grid(5, 7).all()
    assert repr(mask) == "WithoutPairs(1 queries x 2 keys)"


def test_the_kernel_gathers_as_if_the_keys_were_not_there():
    query, key, value = torch.randn(3, 2, 2, 6, 4).unbind(0)
    cut = WithoutPairs(
        torch.tensor([5]), torch.tensor([1, 4]), torch.ones(1, dtype=torch.bool), torch.ones(1, dtype=torch.bool)
    )
    output = attend(query, key, value, mask=Causal() & cut)
    left = [0, 2, 3, 5]
    alone = attend(query[:, :, 5:], key[:, :, left], value[:, :, left])
    assert_close(output[:, :, 5:], alone)
    assert_close(output[:, :, :5], attend(query, key, value, mask=Causal())[:, :, :5])

"""Heads: their numbers, their groups, and what pruning leaves of them.

Also tests: config/head_split.py.
"""

import pytest
import torch
from torch.testing import assert_close

from regard.attention import SCORES, Causal
from regard.attention.taps import Tap, active
from regard.errors import ShapeError
from regard.layers import HeadSplit, MultiHead
from regard.positions import Alibi, RelativeBuckets


class Off(Tap):
    """These heads gather nothing."""

    def __init__(self, heads: list[int]) -> None:
        self.heads = heads

    def edit(self, pattern):
        return pattern.scale(0.0, self.heads)


def without(layer: MultiHead, missing: list[int], *given, **named) -> torch.Tensor:
    """What the layer puts out when the gates of some heads are zero."""
    tap = Off(missing)
    layer.taps = (tap,)
    with active(tap):
        return layer(*given, **named)


def rows(parts: tuple[int, ...], width: int) -> torch.Tensor:
    """The rows of a weight that belong to some heads."""
    return torch.cat([torch.arange(part * width, (part + 1) * width) for part in parts])


def sliced(full: MultiHead, kept: tuple[int, ...]) -> MultiHead:
    """A smaller layer, its weights cut out of the full one."""
    split = full.split
    serving = sorted({head // (split.heads // split.kv_heads) for head in kept})
    compare = None
    if full.score is not None:
        compare = type(full.score)(heads=len(kept), width=split.width)
        compare.load_state_dict({name: table[list(kept)] for name, table in full.score.state_dict().items()})
    width = full.output.out_features
    across = full.kv.in_features if full.crosses else None
    small = MultiHead(
        width,
        HeadSplit.of(width, split.heads, head_width=split.width, kv_heads=split.kv_heads, remaining_heads=kept),
        source_width=across,
        score=compare,
    )
    queries, pairs = rows(kept, split.width), rows(tuple(serving), split.width)
    every, group = split.heads * split.width, split.kv_heads * split.width
    with torch.no_grad():
        if full.crosses:
            cuts = {"query": queries, "kv": torch.cat([pairs, group + pairs])}
        else:
            cuts = {"qkv": torch.cat([queries, every + pairs, every + group + pairs])}
        for name, cut in cuts.items():
            for kind in ("weight", "bias"):
                part = f"{name}.{kind}"
                small.get_parameter(part).copy_(full.get_parameter(part)[cut])
        small.output.weight.copy_(full.output.weight[:, queries])
        small.output.bias.copy_(full.output.bias)
    return small


KEPT = [
    (4, 4, (0, 3)),  # every head its own keys
    (4, 4, (2,)),
    (4, 2, (0, 1)),  # one group goes
    (4, 2, (0, 2)),  # one head of every group
    (4, 2, (0, 2, 3)),  # groups left uneven
    (8, 2, (1, 4, 5, 7)),
    (8, 4, (0, 1, 2, 7)),  # as many heads as an even sharing would have, in other groups
    (6, 1, (1, 2, 5)),
]


@pytest.mark.parametrize(("heads", "groups", "kept"), KEPT)
@pytest.mark.parametrize("across", [False, True])
def test_a_pruned_layer_is_the_full_one_with_the_missing_heads_off(heads, groups, kept, across):
    full = MultiHead(16, HeadSplit.of(16, heads, head_width=4, kv_heads=groups), source_width=6 if across else None)
    small = sliced(full, kept)
    x = torch.randn(2, 5, 16)
    given = (x, torch.randn(2, 7, 6)) if across else (x,)
    missing = sorted({*range(heads)} - {*kept})
    assert_close(small(*given), without(full, missing, *given), rtol=1e-4, atol=1e-6)
    assert sum(weight.numel() for weight in small.parameters()) < sum(weight.numel() for weight in full.parameters())


@pytest.mark.parametrize(("heads", "groups", "kept"), KEPT)
@pytest.mark.parametrize("position", [Alibi, RelativeBuckets])
def test_heads_that_are_left_keep_the_bias_of_their_old_numbers(heads, groups, kept, position):
    full = MultiHead(16, HeadSplit.of(16, heads, head_width=4, kv_heads=groups))
    x, bias = torch.randn(2, 5, 16), position(heads).bias()
    missing = sorted({*range(heads)} - {*kept})
    found = sliced(full, kept)(x, bias=bias, mask=Causal())
    assert_close(found, without(full, missing, x, bias=bias, mask=Causal()), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", SCORES)
def test_heads_that_are_left_keep_their_way_to_compare(name):
    full = MultiHead(16, 4, score=SCORES[name](heads=4, width=4))
    x = torch.randn(2, 5, 16)
    found = sliced(full, (1, 2))(x, mask=Causal())
    assert_close(found, without(full, [0, 3], x, mask=Causal()), rtol=1e-4, atol=1e-6)


def test_pruning_nothing_changes_nothing():
    full, x = MultiHead(16, 4), torch.randn(2, 5, 16)
    same = MultiHead(16, HeadSplit.of(16, 4, remaining_heads=(0, 1, 2, 3)))
    same.load_state_dict(full.state_dict())
    assert not same.split.is_pruned
    assert torch.equal(same(x), full(x))


def test_heads_share_the_width_evenly_unless_told_otherwise():
    assert HeadSplit.of(12, 3).width == 4
    assert HeadSplit.of(10, 3, head_width=7).width == 7
    assert HeadSplit.of(12, 3).kv_heads == 3
    assert HeadSplit.of(12, 3).remaining_heads == (0, 1, 2)


def test_the_order_and_number_of_mentions_of_a_head_do_not_matter():
    assert HeadSplit.of(12, 3, remaining_heads=(2, 0, 2)) == HeadSplit.of(12, 3, remaining_heads=(0, 2))


def test_groups_that_serve_nobody_go_with_their_heads():
    split = HeadSplit.of(16, 8, head_width=4, kv_heads=4, remaining_heads=(0, 1, 5))
    assert split.remaining_kv_heads == (0, 2)
    assert split.kv_head_of == (0, 0, 1)
    assert HeadSplit.of(16, 8, head_width=4, kv_heads=4, remaining_heads=(0, 5)).kv_head_of is None
    assert HeadSplit.of(16, 8, head_width=4, kv_heads=4).kv_head_of is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"heads": 3}, "a width of 16 cannot be split into 3 heads: give head_width, or another number"),
        ({"heads": 4, "kv_heads": 3}, "3 key heads cannot be shared evenly by 4 heads"),
        ({"heads": 4, "kv_heads": 8}, "8 key heads cannot be shared evenly by 4 heads"),
        ({"heads": 4, "remaining_heads": ()}, "numbered from 0 to 3, at least one of them, got \\[\\]"),
        ({"heads": 4, "remaining_heads": (1, 4)}, "numbered from 0 to 3, at least one of them, got \\[1, 4\\]"),
        ({"heads": 4, "remaining_heads": (-1, 2)}, "numbered from 0 to 3, at least one of them, got \\[-1, 2\\]"),
        ({"heads": 0}, "at least one head expected, got 0"),
        ({"heads": 4, "kv_heads": 0}, "0 key heads cannot be shared evenly by 4 heads"),
        ({"heads": 4, "head_width": 0}, "a head has at least one number in each vector, got 0"),
    ],
)
def test_errors_say_what_was_expected_and_what_came(given, message, unchecked):
    with pytest.raises(ShapeError, match=message):
        HeadSplit.of(16, **given)

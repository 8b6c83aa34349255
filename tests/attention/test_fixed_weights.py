"""Rows set by hand, in the weights and in what is gathered."""

import pytest
import torch
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import Dot, Local, Pattern, Sink, Unnormalised, attention_output
from regard.attention.fixed_weights import FixedWeights
from regard.errors import ShapeError


def rows_of(*shape):
    """Rows that weights can be."""
    return torch.rand(shape).softmax(-1)


ROWS = rows_of(2, 2, 3, 7)


def fixed():
    return FixedWeights(heads=(3, 1), rows=(4, 0, 2), weights=ROWS)


def test_a_tile_gets_the_rows_that_it_holds():
    tile = torch.zeros(2, 4, 3, 2)
    put = fixed().put_rows(tile, slice(2, 5), slice(5, 7))
    meant = torch.zeros(2, 4, 5, 7)
    for number, head in enumerate((3, 1)):
        for line, row in enumerate((4, 0, 2)):
            meant[:, head, row] = ROWS[:, number, line]
    assert_close(put, meant[:, :, 2:5, 5:7])
    assert (tile == 0).all()


def test_a_tile_without_such_rows_or_heads_is_left_alone():
    tile = torch.rand(2, 4, 1, 7)
    assert fixed().put_rows(tile, slice(1, 2), slice(0, 7)) is tile
    other = torch.rand(2, 1, 5, 7)
    assert fixed().part(slice(0, 2), slice(2, 3)).put_rows(other, slice(0, 5), slice(0, 7)) is other


def test_a_part_counts_its_heads_anew():
    part = fixed().part(slice(1, 2), slice(1, 4))
    assert part.heads == (2, 0)
    assert_close(part.weights, ROWS[1:])
    whole = FixedWeights((0,), (0,), torch.rand(1, 1, 1, 7)).part(slice(1, 2), slice(0, 4))
    assert len(whole.weights) == 1


def test_some_members_of_a_batch_are_set_and_the_others_left():
    query, key, value = random_heads(3, 4, 5, 7)
    pattern, rows = Pattern(query, key, value=value), rows_of(2, 1, 1, 7)
    changed = pattern.set(rows, heads=[1], rows=[3], batch=[2, 0])
    weights = pattern.weights().clone()
    weights[2, 1, 3], weights[0, 1, 3] = rows[:, 0, 0]
    assert_close(changed.weights(), weights)
    assert_close(changed[1:, :, 2:4], weights[1:, :, 2:4])
    assert_close(attention_output(changed), weights @ value)
    with pytest.raises(ShapeError, match="weights has 2 batch members, expected 3 or 1"):
        pattern.set(rows, heads=[1], rows=[3], batch=[0, 1, 2])


@pytest.mark.parametrize("groups", [4, 2, 1])
def test_set_rows_gather_by_what_was_set(groups):
    query, key, value = random_heads(2, 4, 5, 7, groups=groups)
    pattern = Pattern(query, key, value=value)
    gathered = attention_output(pattern.set(ROWS, heads=[3, 1], rows=[4, 0, 2]))
    values = value.repeat_interleave(4 // groups, 1)
    assert_close(gathered[:, [3, 1]][:, :, [4, 0, 2]], ROWS @ values[:, [3, 1]])
    plain = attention_output(pattern)
    assert torch.equal(gathered[:, [0, 2]], plain[:, [0, 2]])
    assert torch.equal(gathered[:, :, [1, 3]], plain[:, :, [1, 3]])


@pytest.mark.parametrize("shape", [(7,), (3, 7), (1, 3, 7), (2, 3, 7), (1, 2, 3, 7), (2, 2, 3, 7)], ids=str)
def test_weights_broadcast_to_the_rows_they_are_set_for(shape):
    query, key, _ = random_heads(2, 4, 5, 7)
    weights = rows_of(*shape)
    pattern = Pattern(query, key).set(weights, heads=[3, 1], rows=[4, 0, 2])
    assert_close(pattern[:, [3, 1], [4, 0, 2]], weights.expand(2, 2, 3, 7))


@pytest.mark.parametrize("shape", [(), (1,), (6,), (3, 1), (2, 7), (3, 3, 7), (3, 2, 3, 7), (1, 1, 2, 3, 7)], ids=str)
def test_weights_that_do_not_fit_are_refused(shape):
    query, key, _ = random_heads(2, 4, 5, 7)
    told = r"weights has 3 batch members, expected 2|weights that fit \(batch or 1, 2 heads, 3 rows, 7 keys\) expected"
    with pytest.raises(ShapeError, match=told):
        Pattern(query, key).set(torch.rand(shape), heads=[3, 1], rows=[4, 0, 2])


def test_the_last_word_stands():
    query, key, _ = random_heads(2, 4, 5, 7)
    first, second = rows_of(7), rows_of(7)
    pattern = Pattern(query, key).set(first, heads=1).set(second, rows=2)
    assert_close(pattern[0, 1, 2], second)
    assert_close(pattern[0, 1, 3], first)
    assert_close(pattern[0, 0, 2], second)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ([1.0, 1, 1, 0, 0, 0, 0], "each row of weights sums to 1, or to 0, got one that sums to 3"),
        ([0.5, 0, 0, 0, 0, 0, 0], "each row of weights sums to 1, or to 0, got one that sums to 0.5"),
        ([0.5, 0.4998, 0, 0, 0, 0, 0], "each row of weights sums to 1, or to 0, got one that sums to 0.9998"),
        ([1.25, 0, -0.25, 0, 0, 0, 0], "weights of 0 or more expected, got -0.25"),
        ([1, 0, 0, 0, 0, 0, torch.nan], "weights: finite numbers expected, got nan"),
        ([torch.inf, 0, 0, 0, 0, 0, 0], "weights: finite numbers expected, got inf"),
    ],
)
def test_rows_that_weights_cannot_be_are_refused(row, told):
    query, key, _ = random_heads(2, 4, 5, 7)
    with pytest.raises(ShapeError) as raised:
        Pattern(query, key).set(torch.stack([torch.eye(7)[2], torch.tensor(row)]), heads=1, rows=[0, 3])
    assert str(raised.value) == told


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int64])
def test_rows_of_any_precision_and_rows_of_nothing_can_be_set(dtype):
    query, key, _ = random_heads(2, 4, 5, 7)
    rows = torch.stack([rows_of(7) if dtype.is_floating_point else torch.eye(7)[3], torch.zeros(7)]).to(dtype)
    found = Pattern(query, key).set(rows, heads=1, rows=[0, 3])
    assert torch.equal(found[0, 1, [0, 3]], rows.float())


def test_rows_need_not_sum_to_1_where_those_of_the_pattern_do_not():
    query, key, _ = random_heads(2, 4, 5, 7)
    half, twice = torch.full((7,), 0.5 / 7), torch.full((7,), 2.0 / 7)
    focused = Pattern(query, key, Local(Dot(), 9, fades=True))
    for pattern in (focused, Pattern(query, key, normaliser=Sink(torch.zeros(4)))):
        assert torch.equal(pattern.set(half, rows=2)[0, 0, 2], half)
        with pytest.raises(ShapeError, match="each row of weights sums to 1 at most, got one that sums to 2"):
            pattern.set(twice, rows=2)
    raw = Pattern(query, key, normaliser=Unnormalised())
    assert torch.equal(raw.set(-twice, rows=2)[0, 0, 2], -twice)
    with pytest.raises(ShapeError, match="finite numbers expected"):
        raw.set(torch.full((7,), torch.nan))


@pytest.mark.parametrize(
    ("earlier", "later", "left"),
    [
        ({"heads": [0, 2], "rows": [1]}, {"heads": [0, 1, 2], "rows": [1, 3]}, 1),
        ({"heads": [0], "rows": [1], "batch": [1]}, {"heads": [0], "rows": [1]}, 1),
        ({"heads": [0], "rows": [1], "batch": [1]}, {"heads": [0], "rows": [1], "batch": [0, 1]}, 1),
        ({"heads": [0], "rows": [1]}, {"heads": [0], "rows": [1], "batch": [0]}, 2),
        ({"heads": [0, 3], "rows": [1]}, {"heads": [0], "rows": [1]}, 2),
        ({"heads": [0], "rows": [1, 2]}, {"heads": [0], "rows": [1]}, 2),
    ],
)
def test_rows_that_are_set_again_are_kept_once(earlier, later, left):
    query, key, value = random_heads(2, 4, 5, 7)
    pattern, wanted = Pattern(query, key, value=value), torch.empty(2, 4, 5, 7)
    wanted[:] = pattern[:]
    for where, row in ((earlier, rows_of(7)), (later, rows_of(7))):
        pattern = pattern.set(row, **where)
        for member in where.get("batch", [0, 1]):
            for head in where["heads"]:
                wanted[member, head, where["rows"]] = row
    assert len(pattern.fixed) == left
    assert_close(pattern[:], wanted)
    assert_close(attention_output(pattern), wanted @ value)

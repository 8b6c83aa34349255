"""Divergences, against their definition."""

import pytest
import torch
from looking.test_rollout import seen_by
from torch.testing import assert_close

import regard
from regard.attention import AlibiBias, Causal, Padding
from regard.errors import RegardError, ShapeError
from regard.looking import PatternDifference, differences
from regard.looking.diff import select_heads

scipy = pytest.importorskip("scipy.spatial.distance")


def drawn(seed, groups=4, mask=None, size=(2, 4, 6, 6)):
    generator = torch.Generator().manual_seed(seed)
    batch, heads, queries, keys = size
    query = torch.randn(batch, heads, queries, 8, generator=generator)
    key = torch.randn(batch, groups, keys, 8, generator=generator)
    return regard.Pattern(query * 3, key, mask=mask)


@pytest.mark.parametrize(
    "other_mask", [None, Causal(), Padding.from_lengths([6, 4])], ids=["none", "causal", "padding"]
)
@pytest.mark.parametrize("groups", [4, 2])
def test_rows_diverge_as_scipy_says(groups, other_mask, monkeypatch):
    monkeypatch.setattr("regard.looking.diff.STRIP", 4)
    one, other = drawn(0), drawn(1, groups, other_mask)
    found = PatternDifference(one, other).rows()
    distance = scipy.jensenshannon(one.weights().double(), other.weights().double(), base=2, axis=-1)
    assert_close(found.double(), torch.tensor(distance).square(), rtol=1e-4, atol=1e-6)
    assert_close(PatternDifference(one, other).divergence(), found.mean(-1))


def test_equal_patterns_do_not_diverge_and_disjoint_ones_do_by_one_bit():
    one = drawn(0)
    assert PatternDifference(one, one).rows().abs().max() < 1e-6
    eye = torch.eye(6)
    assert_close(PatternDifference(one.set(eye), one.set(eye.roll(1, 0))).rows(), torch.ones(2, 4, 6))


def test_a_tile_of_the_difference_is_the_difference_of_the_tiles():
    one, other = drawn(0), drawn(1)
    found = PatternDifference(one, other)[1, 2, 1:4, [0, 5]]
    assert_close(found, (other.weights() - one.weights())[1, 2, 1:4][:, [0, 5]])


@pytest.mark.parametrize("groups", [4, 2])
def test_some_heads_of_a_pattern_are_rows_of_all(groups):
    pattern = drawn(0, groups, Causal())
    pattern = regard.Pattern(pattern.query, pattern.key, bias=AlibiBias(torch.rand(4)), mask=Causal())
    assert_close(select_heads(pattern, [3, 1]).weights(), pattern.weights()[:, [3, 1]])
    assert select_heads(pattern, range(4)) is pattern


def test_all_layers_of_two_models_are_compared():
    torch.manual_seed(0)
    one = seen_by("marian")
    torch.manual_seed(0)
    found = differences(one, seen_by("marian"))
    assert [*found] == [*one]
    assert max(float(part.divergence().max()) for part in found.values()) < 1e-6


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(ShapeError, match="got 2 x 4 heads, 6 queries x 6 keys and 2 x 4 heads, 5 queries x 6 keys"):
        PatternDifference(drawn(0), drawn(0, size=(2, 4, 5, 6)))
    with pytest.raises(ShapeError, match=r"^encoder\.0\.self: rows can be compared where"):
        differences({"encoder.0.self": drawn(0)}, {"encoder.0.self": drawn(0, size=(2, 4, 5, 6))})
    with pytest.raises(RegardError, match="one has b and the other has not"):
        differences({"a": drawn(0)}, {"a": drawn(0), "b": drawn(0)})

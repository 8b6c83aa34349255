import math

import pytest
import torch

from regard.errors import ShapeError
from regard.positions import RelativeBuckets


def published(ahead: int, both_ways: bool, buckets: int, reach: int) -> int:
    """Mesh TensorFlow's _relative_position_bucket for one number: memory position minus query position."""
    first, behind = 0, -ahead
    if both_ways:
        buckets //= 2
        if behind < 0:
            first = buckets
        behind = abs(behind)
    else:
        behind = max(behind, 0)
    exact = buckets // 2
    if behind < exact:
        return first + behind
    wide = exact + int(math.log(behind / exact) / math.log(reach / exact) * (buckets - exact))
    return first + min(wide, buckets - 1)


def bucketed(position: RelativeBuckets, ahead: range) -> list[int]:
    """The bucket that a bias uses for each distance, read off a table that holds its own row numbers."""
    rows = torch.arange(position.table.num_embeddings).float()[:, None].expand_as(position.table.weight)
    position.table.weight.data.copy_(rows)
    tile = position.bias().tile(torch.tensor([1000]), torch.tensor(ahead) + 1000)
    return tile[0, 0, 0].int().tolist()


@pytest.mark.parametrize("both_ways", [True, False])
@pytest.mark.parametrize(("buckets", "reach"), [(32, 128), (16, 64), (64, 256), (32, 100), (8, 20), (4, 5)])
def test_every_distance_falls_into_the_bucket_of_the_paper(both_ways, buckets, reach):
    position, ahead = RelativeBuckets(2, buckets, reach, both_ways), range(-300, 301)
    assert bucketed(position, ahead) == [published(distance, both_ways, buckets, reach) for distance in ahead]


def test_the_paper_has_32_buckets_up_to_a_distance_of_128():
    """Raffel et al. 2020, 2.1."""
    position = RelativeBuckets(1)
    assert position.table.num_embeddings == 32
    found = bucketed(position, range(-300, 301))
    assert set(found) == {*range(32)} - {16}  # a key cannot stand after the query at distance 0
    assert len({*found[:173]}) == len({*found[428:]}) == 1  # from 128 on, either way


def test_one_way_all_keys_after_the_query_share_the_first_bucket():
    assert set(bucketed(RelativeBuckets(1, both_ways=False), range(0, 200))) == {0}


def test_heads_have_their_own_numbers_and_keep_them_when_others_go():
    position, rows, columns = RelativeBuckets(4), torch.arange(5), torch.arange(9)
    tile = position.bias().tile(rows, columns)
    left = torch.tensor([0, 3])
    assert torch.equal(position.bias(left).tile(rows, columns), tile[:, left])
    assert torch.equal(position.bias().heads(left).tile(rows, columns), tile[:, left])
    assert tile[0, 0, 0, 1] != tile[0, 1, 0, 1]


def test_only_the_buckets_that_occur_learn():
    position = RelativeBuckets(1)
    position.bias().tile(torch.tensor([3]), torch.arange(4)).sum().backward()
    assert position.table.weight.grad.flatten().nonzero().flatten().tolist() == [0, 1, 2, 3]


def test_a_table_too_small_for_its_rule_is_refused(unchecked):
    with pytest.raises(ShapeError, match="at least 4 buckets expected, got 2"):
        RelativeBuckets(1, buckets=2)
    with pytest.raises(ShapeError, match="at least 2 buckets expected, got 1"):
        RelativeBuckets(1, buckets=1, both_ways=False)
    with pytest.raises(ShapeError, match="32 buckets are single up to 8: a larger reach expected, got 8"):
        RelativeBuckets(1, reach=8)

import math

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from regard.attention import Cache, Causal, Padding, Pattern, attend
from regard.attention.efficient import LSHAttention
from regard.attention.efficient.lsh import factors, hash_buckets
from regard.errors import RegardError, ShapeError
from regard.layers import HeadSplit, MultiHead


def shared(length=100, heads=2, width=8, batch=2):
    query = torch.randn(batch, heads, length, width, dtype=torch.float64)
    return query, query, torch.randn(batch, heads, length, width, dtype=torch.float64)


def buckets(way, query):
    """The bucket of every token in every round, as the way draws them."""
    sides = factors(way.buckets or 2 * math.ceil(query.shape[2] / way.chunk))
    generator = torch.Generator().manual_seed(way.seed)
    return [hash_buckets(query, sides, generator) for _ in range(way.rounds)]


def who_met(bucket, chunk):
    """The sets P_i of one round, Kitaev et al. 2020, 2: same bucket, own chunk of the sorted or the one before."""
    order = sorted(range(len(bucket)), key=lambda token: (bucket[token], token))
    chunk_of = {token: rank // chunk for rank, token in enumerate(order)}
    return [
        {j for j in chunk_of if bucket[i] == bucket[j] and chunk_of[i] - 1 <= chunk_of[j] <= chunk_of[i]}
        for i in range(len(bucket))
    ]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("rounds", "chunk", "count"), [(1, 8, 4), (3, 16, None), (2, 100, 2), (2, 7, 6)])
def test_it_is_the_sum_over_rounds_of_the_paper(rounds, chunk, count, causal):
    """Appendix A, term by term: every round with its log-sum-exp, pairs that meet k times less log k."""
    way, (query, key, value) = LSHAttention(rounds, chunk, count), shared()
    found = attend(query, key, value, mask=Causal() if causal else None, method=way)
    unit = F.normalize(query, dim=-1)
    for batch, head in [(0, 0), (1, 1)]:
        sets = [who_met(bucket[batch, head].tolist(), chunk) for bucket in buckets(way, query)]
        for i in range(query.shape[2]):
            mine = [{j for j in each[i] if not causal or j <= i} for each in sets]
            outputs, totals = [], []
            for met in mine:
                terms = {
                    j: float(query[batch, head, i] @ unit[batch, head, j]) / math.sqrt(8)
                    - math.log(sum(j in others for others in mine))
                    - (1e3 if i == j else 0)
                    for j in met
                }
                most = max(terms.values())
                total = most + math.log(sum(math.exp(term - most) for term in terms.values()))
                outputs.append(sum(math.exp(term - total) * value[batch, head, j] for j, term in terms.items()))
                totals.append(total)
            most = max(totals)
            whole = most + math.log(sum(math.exp(total - most) for total in totals))
            meant = sum(math.exp(total - whole) * out for total, out in zip(totals, outputs, strict=True))
            assert_close(found[batch, head, i], meant, rtol=1e-6, atol=1e-9)


def exact_attention(query, value):
    """Full attention of shared queries: everybody but oneself."""
    scores = query @ F.normalize(query, dim=-1).transpose(-1, -2) / math.sqrt(query.shape[-1])
    own = torch.eye(query.shape[2], dtype=torch.bool)
    return scores.masked_fill(own, -torch.inf).softmax(-1) @ value


def test_its_error_falls_with_its_rounds():
    query, key, value = shared(256, heads=4, width=16, batch=1)
    query = key = query * 8  # sharp enough that some keys matter more than others
    meant = exact_attention(query, value)
    errors = []
    for rounds in (1, 2, 4, 8, 16):
        drawn = [attend(query, key, value, method=LSHAttention(rounds, 32, 8, seed)) - meant for seed in range(4)]
        errors.append(float(torch.stack(drawn).square().mean().sqrt()))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < errors[0] / 3


def test_with_one_chunk_of_two_buckets_and_many_rounds_it_is_full_attention():
    query, key, value = shared(40)
    found = attend(query, key, value, method=LSHAttention(rounds=64, chunk=40, buckets=2))
    assert_close(found, exact_attention(query, value))


def test_a_token_sees_itself_only_where_it_met_nobody_else():
    query, key, value = shared(60)
    way = LSHAttention(rounds=1, chunk=8, buckets=16)
    weights = way.pattern(Pattern(query, key, value=value)).weights()
    own = weights.diagonal(dim1=-2, dim2=-1)
    alone = (weights > 0).sum(-1) == 1
    assert ((own == 1) | (own == 0)).all()
    assert ((own == 1) <= alone).all()
    assert (own == 1).any()
    assert (own == 0).any()


def test_vectors_that_are_alike_share_a_bucket_more_often_and_length_does_not_matter():
    torch.manual_seed(1)
    x, far = F.normalize(torch.randn(2, 1, 1, 2000, 16), dim=-1).unbind()
    found = [hash_buckets(each, (16,), torch.Generator().manual_seed(0)) for each in (x, 3 * x, x + 0.3 * far, far)]
    assert torch.equal(found[0], found[1])
    near, apart = ((found[0] == other).double().mean() for other in found[2:])
    assert near > 0.4 > 0.1 > apart
    assert abs(float(apart) - 1 / 16) < 0.02
    assert found[0].unique().numel() == 16


@pytest.mark.parametrize(("count", "sides"), [(2, (2,)), (128, (128,)), (2048, (46, 46)), (130, (12, 12))])
def test_many_buckets_are_told_apart_by_two_rotations(count, sides):
    assert factors(count) == sides
    assert count <= math.prod(sides) <= 1.2 * count or count <= 130


def test_padding_on_the_right_is_in_nobodys_way():
    query, key, value = shared(64)
    way = LSHAttention(rounds=2, chunk=8, buckets=8)
    padded = attend(query, key, value, mask=Padding.from_lengths([64, 41]), method=way)
    short = query[1:, :, :41].contiguous()
    assert_close(padded[1:, :, :41], attend(short, short, value[1:, :, :41], method=way))


def test_keys_of_ones_own_groups_of_heads_and_caches_are_refused():
    with pytest.raises(RegardError, match="compares queries with each other"):
        attend(*torch.randn(3, 1, 1, 8, 4).unbind(), method=LSHAttention())
    with pytest.raises(ShapeError, match="no source and no groups"):
        MultiHead(8, HeadSplit.of(8, 4, kv_heads=2), method=LSHAttention())
    with pytest.raises(ShapeError, match="no use for a cache"):
        MultiHead(8, 2, method=LSHAttention())(torch.randn(1, 3, 8), cache=Cache())
    with pytest.raises(ShapeError, match="even number of buckets"):
        LSHAttention(buckets=5)
    with pytest.raises(ShapeError, match="1 round or more"):
        LSHAttention(rounds=0)

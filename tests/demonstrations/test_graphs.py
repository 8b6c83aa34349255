"""docs/graphs.md: attention as message passing."""

import math

import pytest
import torch
from torch.testing import assert_close

from regard.attention import GraphMask, attend


def random_graph(nodes, share, seed):
    adjacency = torch.rand(nodes, nodes, generator=torch.Generator().manual_seed(seed)) < share
    adjacency[nodes // 2] = False  # somebody is alone
    return adjacency


def passed_by_hand(query, key, value, adjacency):
    """A loop over nodes and neighbours, for one head: (nodes, width)."""
    heard = torch.zeros_like(value)
    for node in range(len(query)):
        near = [other for other in range(len(query)) if adjacency[node, other]]
        shares = [math.exp(sum((query[node] * key[other]).tolist()) / math.sqrt(query.shape[1])) for other in near]
        for other, share in zip(near, shares, strict=True):
            heard[node] += share / sum(shares) * value[other]
    return heard


@pytest.mark.parametrize(("nodes", "share"), [(2, 0.5), (6, 0.3), (11, 0.6), (8, 1.0), (5, 0.0)])
def test_it_equals_a_loop_over_neighbours(nodes, share):
    adjacency = random_graph(nodes, share, seed=nodes)
    torch.manual_seed(nodes)
    query, key, value = torch.randn(3, 2, 3, nodes, 4, dtype=torch.float64).unbind()
    found = attend(query, key, value, mask=GraphMask(adjacency))
    for batch in range(2):
        for head in range(3):
            expected = passed_by_hand(query[batch, head], key[batch, head], value[batch, head], adjacency)
            assert_close(found[batch, head], expected)


def test_equal_scores_give_the_mean_of_the_neighbours():
    adjacency = random_graph(9, 0.5, seed=3)
    value = torch.randn(1, 1, 9, 4, dtype=torch.float64)
    heard = attend(torch.zeros_like(value), value, value, mask=GraphMask(adjacency))[0, 0]
    degree = adjacency.sum(-1, keepdim=True).clamp(min=1)
    assert_close(heard, adjacency.double() @ value[0, 0] / degree)


def test_a_node_without_neighbours_hears_nothing_and_learns_nothing():
    value = torch.randn(1, 1, 3, 4, requires_grad=True)
    heard = attend(value, value, value, mask=GraphMask.from_edges([(0, 1), (1, 0)], nodes=3))
    assert heard[0, 0, 2].eq(0).all()
    (gradient,) = torch.autograd.grad(heard.sum(), value)
    assert gradient.isfinite().all()
    assert gradient[0, 0, 2].eq(0).all()


def test_a_line_of_nodes_hears_one_step_further_each_round():
    near = [(i, i + step) for i in range(7) for step in (-1, 0, 1) if 0 <= i + step < 7]
    x = torch.eye(7)[None, None]
    for rounds in range(1, 4):
        x = attend(torch.zeros_like(x), x, x, mask=GraphMask.from_edges(near, nodes=7))
        distance = (torch.arange(7)[:, None] - torch.arange(7)).abs()
        assert (x[0, 0] > 0).equal(distance <= rounds)


def test_renaming_the_nodes_renames_the_answer():
    adjacency, order = random_graph(8, 0.4, seed=5), torch.randperm(8)
    x = torch.randn(1, 1, 8, 4, dtype=torch.float64)
    heard = attend(x, x, x, mask=GraphMask(adjacency))
    renamed = x[:, :, order]
    again = attend(renamed, renamed, renamed, mask=GraphMask(adjacency[order][:, order]))
    assert_close(again, heard[:, :, order])

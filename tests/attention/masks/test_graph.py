"""A node hears its neighbours: lists of them, never nodes x nodes."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.attention import GraphMask
from regard.errors import ShapeError

NODES = 6
edges = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)), max_size=20)


def adjacency(pairs):
    matrix = torch.zeros(NODES, NODES, dtype=torch.bool)
    for who, whom in pairs:
        matrix[who, whom] = True
    return matrix


@given(edges)
def test_edges_a_dense_and_a_sparse_matrix_make_the_same_graph(pairs):
    matrix = adjacency(pairs)
    for graph in (
        GraphMask.from_edges(pairs, NODES),
        GraphMask(matrix),
        GraphMask(matrix.float()),
        GraphMask(matrix.to_sparse()),
    ):
        assert torch.equal(graph.grid(NODES, NODES)[0, 0], matrix)
        assert graph.nodes == NODES
        assert len(graph.neighbours) == len(set(pairs))


@given(edges, st.integers(1, NODES), st.lists(st.integers(0, NODES - 1), unique=True))
def test_fewer_queries_are_the_last_nodes_and_columns_come_in_any_order(pairs, queries, columns):
    tile = GraphMask.from_edges(pairs, NODES).tile(torch.arange(NODES - queries, NODES), torch.tensor(columns).long())
    assert torch.equal(tile[0, 0], adjacency(pairs)[NODES - queries :, columns])


def test_a_zero_in_a_sparse_matrix_is_no_edge():
    sparse = torch.sparse_coo_tensor([[0, 1], [1, 2]], [0.0, 3.0], (3, 3), check_invariants=True)
    assert GraphMask(sparse).grid(3, 3).sum() == 1
    compressed = torch.tensor([[0.0, 1.0], [0.0, 0.0]])
    assert torch.equal(GraphMask(compressed).grid(2, 2)[0, 0], compressed.bool())


def test_a_node_does_not_see_itself_unless_the_graph_says_so():
    assert not GraphMask.from_edges([(0, 1)], 2).grid(2, 2)[0, 0, 0, 0]
    assert GraphMask.from_edges([], 0).nodes == 0


def test_what_is_not_a_graph_is_refused():
    with pytest.raises(ShapeError, match=r"GraphMask takes an adjacency of \(nodes, nodes\), got \(2, 3\)"):
        GraphMask(torch.ones(2, 3))
    with pytest.raises(ShapeError, match=r"edges join nodes from 0 to 2, got \(1, 3\)"):
        GraphMask.from_edges([(0, 1), (1, 3)], 3)


def test_it_prints_its_sizes():
    assert repr(GraphMask.from_edges([(0, 1), (1, 0)], 3)) == "GraphMask(3 nodes, 2 edges)"

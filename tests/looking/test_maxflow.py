"""The most that can flow, beside networkx."""

import pytest
import torch

from regard.looking.maxflow import Network

networkx = pytest.importorskip("networkx")


@pytest.mark.parametrize("seed", range(6))
def test_the_most_is_what_networkx_finds(seed):
    generator = torch.Generator().manual_seed(seed)
    nodes = 12
    sizes = torch.rand(nodes, nodes, generator=generator) * (torch.rand(nodes, nodes, generator=generator) < 0.35)
    pipes = [(i, j, float(sizes[i, j])) for i in range(nodes) for j in range(nodes) if i != j and sizes[i, j] > 0]
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(nodes))
    graph.add_weighted_edges_from(pipes, weight="capacity")
    network = Network(nodes, pipes)
    for source, sink in [(0, 11), (3, 7), (8, 2), (11, 0)]:
        assert network.most(source, sink) == pytest.approx(networkx.maximum_flow_value(graph, source, sink), abs=1e-9)


def test_asking_leaves_the_network_as_it_was():
    network = Network(3, [(0, 1, 0.5), (1, 2, 0.25)])
    assert [network.most(0, 2), network.most(0, 2), network.most(2, 0)] == [0.25, 0.25, 0.0]
    assert network.most(1, 1) == float("inf")

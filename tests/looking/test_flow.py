"""Attention flow, beside networkx on a graph that is written out."""

import pytest
import torch
from looking.test_rollout import layers, seen_by

import regard
from regard.errors import TooLarge
from regard.looking import flow, rollout

networkx = pytest.importorskip("networkx")


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
def test_flow_through_a_stack_is_what_networkx_finds(kind):
    seen = seen_by(kind, length=5)
    side = "decoder" if kind == "gpt2" else "encoder"
    graph = networkx.DiGraph()
    for level, weights in enumerate(layers(seen, side, "self")):
        for i in range(5):
            for j in range(5):
                if weights[0, i, j] > 0:
                    graph.add_edge((level + 1, i), (level, j), capacity=float(weights[0, i, j]))
    found = flow(seen)
    assert found.own.shape == (1, 5, 5)
    for i in range(5):
        for j in range(5):
            expected = networkx.maximum_flow_value(graph, (2, i), (0, j)) if (0, j) in graph else 0.0
            assert found.own[0, i, j].item() == pytest.approx(expected, abs=1e-6)


def test_flow_to_a_source_goes_through_the_encoder():
    seen = seen_by("marian", length=4, written=3)
    found = flow(seen, [2])
    graph = networkx.DiGraph()

    def joined(level, above, below, weights):
        for i, row in enumerate(weights[0].tolist()):
            for j, weight in enumerate(row):
                graph.add_edge((above, level, i), below(j), capacity=weight)

    for layer in range(2):
        joined(layer + 1, "encoder", lambda j, at=layer: ("encoder", at, j), layers(seen, "encoder", "self")[layer])
        joined(layer, "middle", lambda j, at=layer: ("decoder", at, j), layers(seen, "decoder", "self")[layer])
        joined(layer + 1, "decoder", lambda j: ("encoder", 2, j), layers(seen, "decoder", "cross")[layer])
        for i in range(3):
            graph.add_edge(("decoder", layer + 1, i), ("middle", layer, i), capacity=0.5)
    for side, count, part in (("encoder", 4, found.source), ("decoder", 3, found.own)):
        for j in range(count):
            expected = networkx.maximum_flow_value(graph, ("decoder", 2, 2), (side, 0, j))
            assert part[0, 0, j].item() == pytest.approx(expected, abs=1e-6)


def test_no_less_can_flow_than_is_rolled_out():
    seen = seen_by("bert", length=6)
    assert (flow(seen).own >= rollout(seen).own[:1] - 1e-6).all()


def test_long_texts_are_refused():
    pattern = regard.Pattern(torch.randn(1, 1, 65, 4), torch.randn(1, 1, 65, 4))
    with pytest.raises(TooLarge, match="flow is for texts of up to 64 tokens, got 65: rollout takes any length"):
        flow({"encoder.0.self": pattern})

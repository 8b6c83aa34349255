"""One head for a pair of filters: examples/edges.py."""

import pytest
import torch
from demonstrations.examples import example, run_json

edges = example("edges")


def test_an_edge_is_bright_on_its_side():
    patches = edges.edges(torch.tensor([45.0, 225.0, 0.0]), torch.zeros(3)).unflatten(1, (edges.SIDE, edges.SIDE))
    top_right, bottom_left = patches[:, 0, -1], patches[:, -1, 0]
    assert top_right[0] > 0.9 > -0.9 > bottom_left[0]
    torch.testing.assert_close(patches[0], -patches[1])  # the other polarity of the same edge
    assert (patches[2, :, -1] > 0.9).all()


def test_a_head_whose_weights_are_fixed_is_a_filter():
    """Affine in the patch: what it says of a mixture is the mixture of what it says."""
    torch.manual_seed(1)
    head = edges.Head(2)
    first, second = torch.randn(2, 8, edges.PIXELS)
    torch.testing.assert_close(head(0.3 * first + 0.7 * second), 0.3 * head(first) + 0.7 * head(second))
    other = edges.Head(2, reads_patch=True)
    assert (other(0.3 * first + 0.7 * second) - 0.3 * other(first) - 0.7 * other(second)).abs().max() > 0.01


def test_weights_are_those_that_gather():
    torch.manual_seed(1)
    head, patches = edges.Head(2, reads_patch=True, sees_brightness=True), torch.randn(5, edges.PIXELS)
    weights = head.weights(patches).flatten(1)
    torch.testing.assert_close(weights.sum(1), torch.ones(5))
    values = head.heads(patches)[2][:, 0, :, 0]
    torch.testing.assert_close((weights * values).sum(1), head(patches)[:, 0])


@pytest.mark.parametrize("seed", [1, 2])
def test_one_number_is_enough_where_the_query_reads_two(seed):
    shares = {
        name: edges.accuracy(edges.train(name, "any contrast", seed, 250), "any contrast", seed)
        for name in ("one filter", "two filters", edges.WORKS)
    }
    assert shares["two filters"] > 0.93
    assert shares[edges.WORKS] > 0.93
    assert shares["one filter"] < 0.87


def test_the_command_prints_what_was_measured(tmp_path):
    found = run_json(edges, "--seeds", "1", "--steps", "2", "--chart", str(tmp_path / "chart.svg"))
    assert set(found["right"]) == set(edges.CHANNELS)
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")

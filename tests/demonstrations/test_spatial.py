"""The four terms of attention with distances: examples/spatial.py."""

import pytest
import torch
from demonstrations.examples import example, run_json

from regard.attention import Pattern, XLScore

spatial = example("spatial")
CHANCE = 1 / spatial.VALUES


def test_all_four_terms_are_the_score_of_transformer_xl():
    torch.manual_seed(1)
    query, key = torch.randn(2, 3, 2, spatial.LENGTH, 8).double()
    u, v = torch.randn(2, 2, 8).double()
    distances, zero = torch.randn(2, 2 * spatial.LENGTH - 1, 8).double(), spatial.LENGTH - 1
    ours = Pattern(query, key, score=spatial.TermScore(frozenset({1, 2, 3, 4}), u, v, distances, zero))
    theirs = Pattern(query, key, score=XLScore(u, v, distances, zero=zero))
    torch.testing.assert_close(ours[:, :, :, :], theirs[:, :, :, :])


@pytest.mark.parametrize("terms", [{1}, {2}, {3}, {4}, {1, 4}, {2, 3, 4}])
def test_scores_are_the_sum_of_their_terms(terms):
    torch.manual_seed(1)
    query, key = torch.randn(2, 1, 1, spatial.LENGTH, 4).double()
    u, v = torch.randn(2, 1, 4).double()
    distances, zero = torch.randn(1, 2 * spatial.LENGTH - 1, 4).double(), spatial.LENGTH - 1
    rows = torch.arange(spatial.LENGTH)
    tile = spatial.TermScore(frozenset(terms), u, v, distances, zero).tile(query, key, rows, rows)[0, 0]
    for i, j in ((0, 0), (3, 11), (15, 2)):
        far = distances[0, zero + i - j]
        parts = {1: query[0, 0, i] @ key[0, 0, j], 2: query[0, 0, i] @ far, 3: u[0] @ key[0, 0, j], 4: v[0] @ far}
        torch.testing.assert_close(tile[i, j], sum(parts[term] for term in terms) / 2)


def test_answers_are_the_values_that_are_asked_for():
    for task in spatial.TASKS:
        features, answers = spatial.draw(task, 5, torch.Generator().manual_seed(1))
        letters, wanted, values, marks, offsets = features.unbind(-1)
        for row in range(5):
            for place in range(2, spatial.LENGTH):
                target = {
                    "two before": place - 2,
                    "where it points": place + int(offsets[row, place]) - spatial.REACH,
                    "the marked one": int(marks[row].argmax()),
                    "the letter it wants": letters[row].tolist().index(int(wanted[row, place])),
                }[task]
                assert answers[row, place] == values[row, target]


@pytest.mark.parametrize(
    ("layer", "can", "cannot"),
    [
        ("3 alone", "the marked one", "two before"),
        ("4 alone", "two before", "the marked one"),
        ("2 alone", "where it points", "the letter it wants"),
        ("convolution", "two before", "the marked one"),
    ],
)
def test_a_term_does_what_it_is_for_and_not_the_rest(layer, can, cannot):
    assert spatial.accuracy(layer, can, seed=1, steps=120) > 0.8
    assert spatial.accuracy(layer, cannot, seed=1, steps=40) < CHANCE + 0.25


def test_a_deformable_convolution_reads_between_positions():
    torch.manual_seed(1)
    layer, x = spatial.DeformableConvolution(taps=1), torch.randn(1, spatial.LENGTH, spatial.WIDTH)
    with torch.no_grad():
        layer.offsets.weight.zero_()
        layer.offsets.bias.fill_(1.25)
        between = 0.75 * x[:, 2] + 0.25 * x[:, 3]
        torch.testing.assert_close(layer(x)[:, 1], layer.kernel(between))


def test_the_command_prints_what_was_measured(tmp_path):
    found = run_json(spatial, "--steps", "1", "--chart", str(tmp_path / "chart.svg"))
    assert set(found["named"]) == set(spatial.LAYERS)
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")

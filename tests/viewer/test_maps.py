"""What is told of one row, one pair and the strongest links, beside what a plain softmax says."""

import pytest
import torch
from torch.testing import assert_close
from viewer.small import framed

from regard.attention import Additive, AlibiBias, Causal, Dot, Local, Pattern
from regard.attention.scores import Shaw, XLScore
from regard.errors import ShapeError
from regard.viewer import maps, pyramid
from regard.viewer.refusals import NotYet

WIDTH, HEADS, LENGTH = 6, 2, 9


def scores_of() -> dict:
    table = torch.randn(HEADS, 2 * 4 + 1, WIDTH)
    u, v, far = torch.randn(HEADS, WIDTH), torch.randn(HEADS, WIDTH), torch.randn(HEADS, 2 * LENGTH, WIDTH)
    return {
        "dot": Dot(),
        "scale": Dot(0.3),
        "additive": Additive(torch.randn(HEADS, WIDTH)),
        "shaw": Shaw(table),
        "xl": XLScore(u, v, far, zero=LENGTH - 1),
    }


def drawn(score=Dot(), **parts) -> Pattern:
    query, key = torch.randn(2, 1, HEADS, LENGTH, WIDTH).unbind()
    return Pattern(query, key, score=score, mask=Causal(), bias=AlibiBias(torch.tensor([0.5, 0.1])), **parts)


@pytest.mark.parametrize("name", scores_of())
def test_a_score_is_the_sum_of_its_parts(name):
    pattern = drawn(scores_of()[name]).with_temperature(2.0, heads=[1])
    weights = torch.softmax(pattern.scores(slice(0, LENGTH), slice(0, LENGTH)), -1)[0]
    for head, row, column in ((0, 5, 2), (1, 8, 8), (1, 3, 0)):
        answer = maps.score_detail(pattern, "layer", head, row, column)
        assert answer.content == pytest.approx(sum(answer.products), abs=1e-5)
        parts = (answer.content + answer.position + answer.bias) * answer.inverse_temperature
        assert answer.score == pytest.approx(parts, abs=1e-5)
        assert answer.weight == pytest.approx(float(weights[head, row, column]), abs=1e-6)
        assert answer.inverse_temperature == (0.5 if head else 1.0)
        if name in ("dot", "scale", "additive"):
            assert answer.position == pytest.approx(0, abs=1e-5)


def test_a_pair_that_is_forbidden_has_no_score_and_no_weight():
    answer = maps.score_detail(drawn(), "layer", 0, 2, 5)
    assert (answer.score, answer.weight, answer.is_allowed) == (None, 0, False)


def test_a_local_look_comes_apart_without_its_positions():
    positions = torch.arange(float(LENGTH))[None, None, :, None].expand(1, HEADS, LENGTH, 1)
    query, key = torch.randn(2, 1, HEADS, LENGTH, WIDTH).unbind()
    pattern = Pattern(
        torch.cat([query, positions], -1), torch.cat([key, positions], -1), score=Local(Dot(1.0), reach=2)
    )
    answer = maps.score_detail(pattern, "layer", 1, 4, 5)
    assert answer.score == pytest.approx(float(query[0, 1, 4] @ key[0, 1, 5]), abs=1e-5)
    assert maps.score_detail(pattern, "layer", 1, 0, 8).weight == 0


def test_a_row_is_the_softmax():
    pattern = drawn()
    answer = maps.softmax_row(pattern, "layer", 1, 6, 3)
    expected = torch.softmax(pattern.scores(slice(0, LENGTH), slice(0, LENGTH)), -1)[0, 1, 6]
    assert_close(torch.tensor(answer.weights), expected)
    assert [one.column for one in answer.top] == expected.topk(3).indices.tolist()
    kept = expected[expected > 0]
    assert answer.entropy == pytest.approx(float(-(kept * kept.log()).sum()), abs=1e-5)


def test_links_are_the_largest_of_each_row_without_zeros():
    pattern = drawn()
    answer = maps.top_links(pattern, "layer", [1, 0, 1], 4, 1, 3).links
    weights = torch.softmax(pattern.scores(slice(0, LENGTH), slice(0, LENGTH)), -1)[0]
    expected = []
    for head in (1, 0):
        for row in (1, 2, 3):
            best = sorted(range(row + 1), key=lambda column: -float(weights[head, row, column]))[:4]
            expected += [(head, row, column) for column in best]
    assert [link[:3] for link in answer] == expected


def test_a_tile_says_in_its_head_where_it_stands_and_waits_for_its_pyramid():
    long = Pattern(torch.randn(1, 1, 600, 4), torch.randn(1, 1, 700, 4))
    stored = pyramid.build_pyramid(long, level := pyramid.stored_level(long))
    head, numbers = framed(maps.map_tile(long, stored, "layer", 0, 0, 2, 2, "mean"))
    assert (head["rows"], head["columns"], head["cell"]) == (88, 188, 1)
    expected = torch.softmax(long.scores(slice(0, 600), slice(0, 700)), -1)[0, 0, 512:, 512:]
    assert_close(torch.tensor(numbers).view(88, 188), expected, atol=1e-6, rtol=0)
    with pytest.raises(NotYet):
        maps.map_tile(long, None, "layer", 0, level, 0, 0, "mean")
    with pytest.raises(ShapeError, match="level 0 has tiles 0 to 2, got 3"):
        maps.map_tile(long, stored, "layer", 0, 0, 3, 0, "mean")


def test_thumbnails_hold_all_heads_of_all_layers():
    patterns = {"one": drawn(), "two": Pattern(torch.randn(1, 3, 50, 4), torch.randn(1, 3, 7, 4))}
    head, numbers = framed(maps.overview(patterns, {}, "max", 8))
    assert [(one["heads"], one["rows"], one["columns"]) for one in head["layers"]] == [(2, 5, 5), (3, 7, 1)]
    assert len(numbers) == 2 * 5 * 5 + 3 * 7
    assert numbers.max() == pytest.approx(max(max(one["largest"]) for one in head["layers"]))

import re

import torch
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from regard.pictures.colours import DARK
from regard.pictures.terminal import SHADES, boxes, heat


def test_boxes_are_filled_where_the_grid_is_true():
    assert boxes([[True, False, False], [True, True, False]]) == "■ · ·\n■ ■ ·"


def test_boxes_take_a_tensor_and_labels():
    drawn = boxes(torch.eye(2, dtype=torch.bool), ["a", "bcd"], ["x", "yz"])
    assert drawn.splitlines() == [
        "    x  yz",
        "a   ■  ·",
        "bcd ·  ■",
    ]


def test_an_empty_grid_draws_nothing():
    assert boxes([]) == ""
    assert heat([]) == ""


def test_blank_means_exactly_zero():
    drawn = heat([[0.0, 1e-9, 0.0, 1.0]])
    assert drawn == "   ··    ██"


@given(st.floats(0, 1), st.floats(0, 1))
def test_more_weight_is_never_a_lighter_shade(one, other):
    order = " " + SHADES
    shade = [order.index(heat([[weight, 1.0]])[0]) for weight in sorted([one, other])]
    assert shade[0] <= shade[1]


def test_every_shade_has_an_equal_share_of_the_weights():
    drawn = [heat([[weight]])[0] for weight in (0.1, 0.3, 0.5, 0.7, 0.9)]
    assert "".join(drawn) == SHADES


def test_beyond_the_range_is_its_end_and_no_number_is_a_question_mark():
    assert heat([[1.0001, float("nan"), -0.1]]) == "██ ??"


def test_labels_keep_their_columns_in_line_whatever_they_hold():
    words = ["日本語", "🙂", "a\nb", "\x1b[2J", "plain"]
    grid = [[1.0] * 5 for _ in range(5)]
    lines = heat(grid, words, words).splitlines()
    assert len(lines) == 6
    assert {cell_len(line) for line in lines[1:]} == {cell_len(lines[1])}
    assert "\x1b" not in "".join(lines)
    at = cell_len(lines[0][: lines[0].index("plain")])
    last = cell_len(lines[1].rstrip("█"))
    assert at == last


@given(st.integers(1, 8), st.integers(20, 80))
def test_a_picture_keeps_to_its_width(columns, width):
    grid = [[0.5] * columns] * 2
    drawn = heat(grid, ["a very long label", "b"], ["another long label"] * columns, width=width)
    assert max(cell_len(line) for line in drawn.splitlines()) <= width


def test_labels_take_the_room_that_there_is():
    layer = "decoder.11.cross"
    assert layer in heat([[0.5] * 4], [layer], list("abcd"))
    assert layer in heat([[0.5] * 4], [layer], list("abcd"), width=40)
    sentence = "a sentence that is longer than a third of the terminal"
    assert sentence in heat([[0.5] * 2], [sentence], ["hop 1", "hop 2"], width=80)
    assert "hop 1 hop 2" in heat([[0.5] * 2], [sentence], ["hop 1", "hop 2"], width=40)
    assert "another long label" in heat([[0.5] * 2], ["a"], ["another long label", "b"], width=80)


def test_in_colour_a_cell_has_the_colour_of_its_weight():
    drawn = heat([[0.0, 0.25, 1.0]], colour=True)
    found = re.findall(r"\x1b\[48;2;(\d+);(\d+);(\d+)m  \x1b\[0m", drawn)
    assert [tuple(map(int, rgb)) for rgb in found] == [DARK.colour(0.25), DARK.colour(1.0)]
    assert drawn.startswith("   \x1b")  # exactly 0 keeps the terminal's own background


def test_without_colour_there_is_no_escape():
    assert "\x1b" not in heat([[0.2, 0.8]], ["a"], ["b", "c"])

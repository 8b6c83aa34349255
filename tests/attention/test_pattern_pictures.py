import pytest
import torch

from regard.attention import Causal, Pattern
from regard.errors import ShapeError

TOKENS = ["The", "Ġhos", "tile", "Ġword"]


@pytest.fixture
def pattern():
    torch.manual_seed(0)
    return Pattern(torch.randn(2, 4, 4, 8), torch.randn(2, 2, 4, 8), mask=Causal())


def test_pictures_hold_the_weights_of_the_heads_asked_for(pattern):
    album = pattern.show([2, 0], 1, rows=TOKENS, columns=TOKENS, title="decoder.0.self")
    assert [picture.name for picture in album.pictures] == ["decoder.0.self · head 2", "decoder.0.self · head 0"]
    for picture, head in zip(album.pictures, (2, 0), strict=True):
        torch.testing.assert_close(torch.tensor(picture.table), pattern[1, head])
        assert picture.rows == picture.columns == tuple(TOKENS)


def test_all_heads_are_shown_unless_some_are_named(pattern):
    assert len(pattern.show().pictures) == 4
    assert pattern._repr_html_().startswith("<svg")


def test_words_are_put_together(pattern):
    (picture,) = pattern.show(1, rows=TOKENS, columns=TOKENS, words=True).pictures
    weights = pattern[0, 1]
    expected = torch.stack([weights[0], weights[1:3].mean(0), weights[3]])
    expected = torch.stack([expected[:, 0], expected[:, 1:3].sum(1), expected[:, 3]], 1)
    torch.testing.assert_close(torch.tensor(picture.table), expected)
    assert picture.columns == ("The", "Ġhostile", "Ġword")


@pytest.mark.parametrize("ending", ["html", "svg", "png", "txt"])
def test_a_pattern_is_saved_in_the_form_that_the_ending_says(pattern, ending, tmp_path):
    pattern.save(tmp_path / f"map.{ending}", heads=[1], scale="log")
    assert (tmp_path / f"map.{ending}").stat().st_size > 50


def test_a_long_pattern_becomes_an_overview_that_says_so():
    torch.manual_seed(0)
    pattern = Pattern(torch.randn(1, 2, 300, 8), torch.randn(1, 2, 300, 8), mask=Causal())
    pictures = pattern.show(title="self", cells=30).pictures
    assert {picture.title for picture in pictures} == {"self · the largest weight of 10 x 10 in each cell"}
    expected = pattern[0, 1].unflatten(0, (30, 10)).unflatten(2, (30, 10)).amax((1, 3))
    torch.testing.assert_close(torch.tensor(pictures[1].table), expected)
    assert pictures[0].rows[:2] == ("0-9", "10-19")
    with pytest.raises(ShapeError, match="at most 30 tokens"):
        pattern.show(cells=30, words=True)


def test_every_weight_is_drawn_where_that_is_asked_for():
    pattern = Pattern(torch.randn(1, 1, 40, 8), torch.randn(1, 1, 40, 8))
    assert len(pattern.show(cells=None).pictures[0].table) == 40
    assert len(pattern.show(cells=20).pictures[0].table) == 20

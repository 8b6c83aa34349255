"""Captions of shapes: examples/captions.py."""

from random import Random

import pytest
import torch
from demonstrations.examples import example, run_json

from regard.models.vision import cut

captions = example("captions")
PARTS = ("train", "held out", "never met")


def scene(large="circle", small="square", place="above"):
    tops = {"above": (0, 16), "below": (8, 0), "left": (16, 16), "right": (16, 16)}[place]
    lefts = {"above": (8, 9), "below": (8, 9), "left": (0, 17), "right": (16, 1)}[place]
    shapes = [
        captions.Shape(colour, kind, top, left, side)
        for colour, kind, top, left, side in zip(("red", "blue"), (large, small), tops, lefts, (8, 5), strict=True)
    ]
    return captions.Scene(*shapes, place)


@pytest.mark.parametrize("place", captions.PLACES)
def test_a_caption_says_where_the_large_shape_is(place):
    expected = f"a red circle {captions.PLACES[place]} a small blue square"
    assert " ".join(scene(place=place).caption) == expected
    assert set(expected.split()) <= set(captions.WORDS)


@pytest.mark.parametrize("place", captions.PLACES)
def test_drawn_shapes_are_where_the_caption_says(place):
    scenes = [found for found in captions.draw(200, Random(1)) if found.place == place]
    assert scenes
    for found in scenes:
        large, small = found.large, found.small
        is_apart = {
            "above": large.top + large.side <= small.top,
            "below": small.top + small.side <= large.top,
            "left": large.left + large.side <= small.left,
            "right": small.left + small.side <= large.left,
        }
        assert is_apart[place]


def test_a_shape_lies_on_one_piece_and_has_its_colour_there():
    for found in captions.draw(50, Random(2)):
        pixels = captions.picture(found)
        pieces = cut(pixels[None], captions.SIZE, captions.PATCH, 3)[0]
        is_drawn = (pieces != captions.GROUND).any(-1)
        assert set(is_drawn.nonzero().flatten().tolist()) == {
            captions.piece_of(found.large),
            captions.piece_of(found.small),
        }
        row, column = (start + found.large.side // 2 for start in (found.large.top, found.large.left))
        assert pixels[:, row, column].tolist() == pytest.approx(captions.COLOURS[found.large.colour])


def test_the_shapes_differ():
    for side in (captions.LARGE, captions.SMALL):
        numbers = [int(captions.stencil(kind, side).sum()) for kind in captions.SHAPES]
        assert len(set(numbers)) == 3


def test_no_caption_is_in_two_parts():
    found = {part: {" ".join(one.caption) for one in captions.draw(300, Random(3), part)} for part in PARTS}
    assert not found["train"] & found["held out"]
    pairs = [" ".join(pair) for pair in captions.NEVER]
    assert all(any(pair in caption for pair in pairs) for caption in found["never met"])
    assert not any(pair in caption for pair in pairs for caption in found["train"] | found["held out"])


def test_what_goes_in_is_what_should_come_out_a_step_later():
    scenes = captions.draw(20, Random(4))
    _, words, answers = captions.batch(scenes, torch.Generator().manual_seed(4))
    assert words[:, 0].eq(captions.END).all()
    for found, going, coming in zip(scenes, words, answers, strict=True):
        length = len(found.caption)
        assert [captions.WORDS[number] for number in coming[:length]] == found.caption
        assert coming[length] == captions.END
        assert coming[length + 1 :].eq(-100).all()
        assert going[1 : length + 1].equal(coming[:length])


def test_peaks_are_counted_at_the_words_that_name_a_shape():
    found = scene(place="left")  # "a red circle left of a small blue square": 9 pieces, shapes on 6 and 8
    weights = torch.zeros(1, captions.LENGTH, 9)
    weights[0, [1, 2], 6] = 1
    weights[0, [7, 8], 8] = 1
    assert captions.peaks([found], weights) == {"own": 1, "other": 0}
    assert captions.peaks([found], weights.roll(2, 2)) == {"own": 0, "other": 0.5}  # on 8, and on 1


def test_colours_are_learned_soon_and_looked_at_where_they_are():
    """The whole takes longer; so far it is the shapes that it looks at, and of an untrained model it is not."""
    model, scenes = captions.train(1, 150), captions.draw(60, Random(5), "held out")
    images, words, answers = captions.batch(scenes, torch.Generator().manual_seed(5))
    is_colour = torch.isin(answers, torch.tensor([captions.WORDS.index(colour) for colour in captions.COLOURS]))
    with torch.no_grad():
        right = (model(images, words).argmax(-1) == answers)[is_colour].float().mean()
        of_another = (model(images.roll(1, 0), words).argmax(-1) == answers)[is_colour].float().mean()
    assert right > 0.9
    assert of_another < 0.6
    assert captions.peaks(scenes, captions.looks(model, images, words))["own"] > 0.7
    torch.manual_seed(1)
    untrained = captions.looks(captions.Captioner().eval(), images, words)
    assert captions.peaks(scenes, untrained)["own"] < 0.5


def test_the_command_prints_what_was_measured(tmp_path):
    found = run_json(captions, "--seeds", "1", "--steps", "2", "--chart", str(tmp_path / "chart.svg"))
    assert {"held out", "never met"} <= set(found)
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")

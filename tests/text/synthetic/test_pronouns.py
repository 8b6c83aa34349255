"""Sentences about an animal and a place."""

from collections import Counter

from regard.text.synthetic.pronouns import ANIMALS, FEELINGS, PLACES, SHAPES, PronounTask, sentence, split_of
from regard.text.synthetic.splits import SplitSizes, draw_splits

SIZES = SplitSizes(train=3000, valid=200, test=200)


def parts(line):
    """The animal, the place, the adjective, the tag, and whether the animal comes first."""
    text, tags = line.split("\t")
    words = text.rstrip(".").split()
    (animal,), (place,) = ([word for word in words if word in nouns] for nouns in (ANIMALS, PLACES))
    (tag,) = (tag for tag in tags.split() if tag != "-")
    assert words[tags.split().index(tag)] == "it"
    return animal, place, words[-1], tag, words.index(animal) < words.index(place)


def is_right(line):
    animal, place, adjective, tag, _ = parts(line)
    return tag == (animal if adjective in FEELINGS else place)


def test_the_tag_is_the_noun_that_can_be_so():
    assert all(is_right(line) for lines in draw_splits(PronounTask(), SIZES).values() for line in lines)


def test_no_noun_of_a_test_sentence_was_met_with_its_adjective_before():
    splits = draw_splits(PronounTask(), SIZES)
    met = {
        split: {(noun, adjective) for animal, place, adjective, *_ in map(parts, lines) for noun in (animal, place)}
        for split, lines in splits.items()
    }
    assert not met["test"] & (met["train"] | met["valid"])
    assert not met["valid"] & met["train"]
    assert {word for pair in met["test"] for word in pair} <= {word for pair in met["train"] for word in pair}


def test_neither_order_nor_kind_tells_the_noun():
    lines = draw_splits(PronounTask(), SIZES)["train"]
    kinds = Counter((tag == animal, first) for animal, _, _, tag, first in map(parts, lines))
    assert len(kinds) == 4
    assert all(abs(count - 750) < 5 * 750**0.5 for count in kinds.values())


def test_shuffled_tags_are_for_what_is_learned_from_alone():
    splits = draw_splits(PronounTask(shuffled=True), SIZES)
    right = {split: sum(map(is_right, lines)) / len(lines) for split, lines in splits.items()}
    assert right["valid"] == right["test"] == 1
    assert right["train"] < 0.1


def test_the_sentences_of_the_figure_are_among_them():
    assert sentence("animal", "road", "tired") == "The animal didn't cross the road because it was too tired."
    assert (
        sentence("animal", "road", "wide", swapped=True)
        == "The road wasn't crossed by the animal because it was too wide."
    )
    assert split_of("animal", "tired") == split_of("road", "tired") == split_of("road", "wide") == "test"
    assert len({*ANIMALS, *PLACES, *FEELINGS, *SHAPES}) == 44

"""recipes/names.py: the same sentences with other names and numbers."""

import importlib.util
import random
import re
from pathlib import Path

_spec = importlib.util.spec_from_file_location("names", Path(__file__).parents[2] / "recipes" / "names.py")
names = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(names)

PAIRS = [
    ("Do you know Tom?", "Kennst du Tom?"),
    ("Where is Tom?", "Wo ist Tom?"),
    ("I like Tom's house.", "Ich mag Toms Haus."),
    ("I saw Mary.", "Ich sah Maria."),
    ("Ask Mary.", "Frag Maria."),
    ("Call Mary.", "Ruf Maria an."),
    ("It is 7:30.", "Es ist 7:30."),
    ("I have 12 cats.", "Ich habe 12 Katzen."),
    ("We have two dogs.", "Wir haben zwei Hunde."),
]


def test_a_name_is_what_both_languages_write_alike():
    assert names.found_names(PAIRS) == ["Tom"]


def test_names_and_numbers_change_on_both_sides_alike():
    draw = random.Random(1)
    for _ in range(50):
        english, german = names.renamed(PAIRS[0], {"Tom"}, ["Anna"], draw)
        new = re.fullmatch(r"Do you know (\w+)\?", english)[1]
        assert new != "Tom"
        assert german == f"Kennst du {new}?"
        english, german = names.renamed(PAIRS[7], {"Tom"}, ["Anna"], draw)
        number = re.fullmatch(r"I have (\d\d) cats\.", english)[1]
        assert german == f"Ich habe {number} Katzen."


def test_a_possessive_is_written_as_german_writes_it():
    draw = random.Random(1)
    for name, written in (("Anna", "Annas"), ("Hans", "Hans'"), ("Max", "Max'")):
        draw.random = lambda: 0.0  # a name of the pool
        assert names.renamed(PAIRS[2], {"Tom"}, [name], draw) == (f"I like {name}'s house.", f"Ich mag {written} Haus.")


def test_pairs_without_a_common_name_or_number_are_not_repeated():
    found = names.more(PAIRS, times=3)
    assert found[: len(PAIRS)] == PAIRS
    assert len(found) == len(PAIRS) + 3 * 4  # three pairs with Tom, one with 12; a time of day is no number
    assert names.more(PAIRS, times=3) == found

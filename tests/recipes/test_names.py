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
    ("He saw me.", "Er hat mich gesehen."),
    ("Call him.", "Ruf ihn an."),
    ("He is here.", "Der Mann ist hier."),
]


def test_a_name_is_what_both_languages_write_alike():
    assert names.found_names(PAIRS) == ["Tom"]


def test_names_and_numbers_change_on_both_sides_alike():
    inventor = names.Inventor.of(PAIRS, ["Anna"], random.Random(1))
    words = set()
    for _ in range(50):
        english, german = names.named(PAIRS[0], {"Tom"}, inventor.name)
        new = re.fullmatch(r"Do you know (\w+(?: \w+)?)\?", english)[1]
        words.add(len(new.split()))
        assert new != "Tom"
        assert german == f"Kennst du {new}?"
        english, german = names.numbered(PAIRS[7], inventor.number)
        number = re.fullmatch(r"I have (\d{2,6}) cats\.", english)[1]
        assert german == f"Ich habe {number} Katzen."
    assert words == {1, 2}


def test_a_possessive_is_written_as_german_writes_it():
    for name, written in (("Anna", "Annas"), ("Hans", "Hans'"), ("Max", "Max'")):
        found = names.named(PAIRS[2], {"Tom"}, lambda: name)  # noqa: B023  (called at once)
        assert found == (f"I like {name}'s house.", f"Ich mag {written} Haus.")


def test_a_name_stands_for_a_pronoun_that_both_languages_have():
    for pair, form in ((PAIRS[9], ("{} saw me.", "{} hat mich gesehen.")), (PAIRS[10], ("Call {}.", "Ruf {} an."))):
        assert names.named(pair, set(), lambda: "Anna") == (form[0].format("Anna"), form[1].format("Anna"))
    assert names.named(PAIRS[11], set(), lambda: "Anna") is None


def test_the_parts_of_a_time_of_day_are_numbers():
    english, german = names.numbered(("It is 7:30.", "Es ist 7.30 Uhr."), lambda old: old + "1")
    assert (english, german) == ("It is 71:301.", "Es ist 71.301 Uhr.")


def test_pairs_without_a_common_name_or_number_are_not_repeated():
    found = names.more(PAIRS, times=3, odd=0)
    assert found[: len(PAIRS)] == PAIRS
    assert len(found) == len(PAIRS) + 3 * 5 + 9 * 2  # three pairs with Tom, two with pronouns; two with numbers
    assert names.more(PAIRS, times=3, odd=0) == found


def test_odd_things_are_the_same_on_both_sides():
    found = names.more(PAIRS, times=0, odd=4)[len(PAIRS) :]
    kept, exclaimed = [*found[:4], *found[-8:]], found[4:-8]
    assert exclaimed
    assert all(text[-1] == "!" for pair in exclaimed for text in pair)
    assert all(mine == theirs for mine, theirs in found[-4:])
    for english, german in kept:
        assert re.findall(r"[^ -~äöüÄÖÜß]|www\.\S+|https:\S+[a-z]", english)
        odd = [re.findall(r"[^ -~äöüÄÖÜß]|\w+@\w+\.\w+|www\.[\w./]+\w", text) for text in (english, german)]
        assert odd[0] == odd[1]


def test_both_sides_have_the_same_mark():
    mixed = [("Call Tom.", "Ruf Tom an!"), ("Look!", "Schau."), ("Why?", "Warum!"), ("I see.", "Ich sehe.")]
    assert names.more(mixed, times=0, odd=0) == [
        ("Call Tom!", "Ruf Tom an!"),
        ("Look!", "Schau!"),
        ("Why?", "Warum!"),
        ("I see.", "Ich sehe."),
    ]


def test_a_name_that_became_another_stays_and_a_number_of_one_side_leaves():
    odd = [("Ask Alice.", "Frag Elke."), ("Who is Elke?", "Wer ist Elke?"), ("I am 30.", "Ich bin dreißig.")]
    assert names.more(odd, times=0, odd=0) == [("Ask Alice.", "Frag Alice."), ("Who is Elke?", "Wer ist Elke?")]


def test_in_a_hurry_one_language_has_small_letters_and_both_have_capitals():
    plain = names.more(PAIRS, times=0, odd=0)
    for reads, side in (("english", 0), ("german", 1)):
        found = names.more(PAIRS, times=0, odd=0, reads=reads, hurry=10)[len(plain) :]
        assert len(found) == 20
        for pair in found[:10]:
            assert pair[side] == pair[side].lower()
            assert pair[1 - side] in {text for one in PAIRS for text in (one[1 - side], one[1 - side].rstrip("."))}
        assert all(text == text.upper() for pair in found[10:] for text in pair)

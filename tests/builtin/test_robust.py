"""The translators hold in use: names and numbers stay, marks stay, and nothing odd breaks them."""

import random
import re

import pytest
from builtin.shipped import DIRECTIONS, pairs, translations, translator

# First names of the census of the United States of 1990, drawn from the 150 most common of women and of men (without
# Mary, who is Maria in German), and from the next 450 without those that the recipes have.
NAMES = {
    "common": (
        "Debbie", "Wendy", "Deborah", "Marjorie", "Jacqueline", "Stanley", "Vincent", "Fred", "Joshua",
        "Matthew", "Florence", "Leroy", "Alexander", "Valerie", "Cynthia", "Nicholas", "Alan", "Rebecca",
        "Judith", "Josephine", "Marilyn", "Tracy", "Gregory", "Teresa", "Doris", "Larry", "Terry", "Jeffery",
        "Kyle", "Glenn",
    ),
    "unseen": (
        "Franklin", "Fredrick", "Nichole", "Leona", "Van", "Kristopher", "Alisha", "Velma", "Ervin", "Agustin",
        "Will", "Tyrone", "Mack", "Harrison", "Robbie", "Lula", "Israel", "Bernadette", "Geraldine", "Reynaldo",
        "Nellie", "Sallie", "Darrel", "Shawna", "Fern", "Erik", "Gilberto", "Adrienne", "Freddy", "Monte",
    ),
}  # fmt: skip
TEMPLATES = {
    "en-de": (
        "{name} is a doctor.", "Where did {name} go?", "{name} waited {number} minutes.", "Listen to {name}!",
        "{name} was born in 19{number}.", "Can {name} cook?", "{name} loves {other}.", "Open page {number}.",
        "When will {name} come?", "We need {number} chairs.", "Wait for {name}!", "{name} is my brother.",
        "{name} weighs {number} kilos.", "Did {name} call {other}?", "I paid {number} euros.",
        "{name} and {other} are here.", "He has {number} students.", "Stop, {name}!",
        "{name} works in Boston.", "Has {name} already eaten?",
    ),
    "de-en": (
        "{name} ist Arzt.", "Wohin ist {name} gegangen?", "{name} hat {number} Minuten gewartet.",
        "Hör auf {name}!", "{name} wurde 19{number} geboren.", "Kann {name} kochen?", "{name} liebt {other}.",
        "Öffne Seite {number}.", "Wann kommt {name}?", "Wir brauchen {number} Stühle.", "Warte auf {name}!",
        "{name} ist mein Bruder.", "{name} wiegt {number} Kilo.", "Hat {name} {other} angerufen?",
        "Ich habe {number} Euro bezahlt.", "{name} und {other} sind hier.", "Er hat {number} Schüler.",
        "Halt, {name}!", "{name} arbeitet in Boston.", "Hat {name} schon gegessen?",
    ),
}  # fmt: skip
ODD = {
    "an unseen script": "東京は大きいです。",
    "emoji": "I love you 😀🐙!",
    "one letter": "a",
    "a mark": "?",
    "spaces": "   ",
    "a URL": "See https://www.example.org/a/b?c=1&d=2 for more.",
    "capitals": "WHERE IS THE STATION?",
    "no end": "where is the station",
    "a long word": "x" * 300,
}
PARAGRAPHS = {
    "en-de": "I got up at seven. It was raining! Where was my umbrella? I took the bus, and then I walked. " * 3,
    "de-en": "Ich stand um sieben auf. Es regnete! Wo war mein Schirm? Ich nahm den Bus, und dann ging ich zu Fuß. "
    * 3,
}


def filled(name: str, kind: str, count: int = 200) -> list[tuple[str, list[str]]]:
    """Sentences of the templates with drawn names and numbers, each with what has to survive."""
    draw = random.Random(6)
    found = []
    for turn in range(count):
        template = TEMPLATES[name][turn % len(TEMPLATES[name])]
        one, other = draw.sample(NAMES[kind], 2)
        words = {"name": one, "other": other, "number": str(draw.randint(13, 59))}
        kept = [words[key] for key in re.findall(r"{(\w+)}", template)]
        found.append((template.format(**words), kept))
    return found


@pytest.mark.proof
@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("name", DIRECTIONS)
def test_names_numbers_and_marks_survive(name, kind):
    asked = filled(name, kind)
    found = [answer.text for answer in translator(name)([sentence for sentence, _ in asked])]
    lost = [
        (sentence, text)
        for (sentence, kept), text in zip(asked, found, strict=True)
        if not all(word in text for word in kept)
    ]
    print(f"{name}, {kind}: {len(asked) - len(lost)} of {len(asked)} keep their names and numbers; not: {lost[:10]}")
    marked = [(sentence, text) for (sentence, _), text in zip(asked, found, strict=True) if sentence[-1] in "?!"]
    changed = [(sentence, text) for sentence, text in marked if text[-1:] != sentence[-1]]
    print(f"{name}: {len(marked) - len(changed)} of {len(marked)} keep their mark; not: {changed[:10]}")
    assert len(lost) <= 0.05 * len(asked)
    assert len(changed) <= 0.01 * len(marked)
    assert all(text[:1].isupper() or not text[:1].isalpha() for text in found)


def words(texts) -> set[str]:
    return {word.lower() for text in texts for word in re.findall(r"\w+", text)}


def plain(word: str) -> str:
    """A word without the marks that make umlauts."""
    return word.translate(str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss"}))


@pytest.mark.proof
@pytest.mark.parametrize("name", DIRECTIONS)
def test_marks_capitals_and_umlauts_are_as_in_the_references(name):
    sources, references = pairs(name)
    found = [answer.text for answer in translations(name)]
    marks = [text[-1:] == one[-1] for text, one in zip(found, sources, strict=True) if one[-1] in "?!"]
    begins = [text[:1].isupper() == one[:1].isupper() for text, one in zip(found, references, strict=True)]
    print(f"{name}: {sum(marks)} of {len(marks)} marks, {sum(begins)} of {len(begins)} first letters")
    assert sum(begins) >= 0.98 * len(begins)
    known = words(one for split in ("train", "test") for one in pairs(name, split)[1])
    bare = {plain(word) for word in known}
    written = [word for text in found for word in words([text])]
    wrong = [word for word in written if word not in known and plain(word) in bare]
    print(f"{name}: {len(wrong)} of {len(written)} words differ from known ones by umlauts alone: {wrong[:10]}")
    assert len(wrong) <= 0.002 * len(written)
    assert not re.findall("[\ufffdÃÂ]", " ".join(found))


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("name", DIRECTIONS)
def test_an_odd_text_is_answered_sanely(name, what):
    task, text = translator(name), ODD[what]
    answer = task(text)
    assert answer.text == task([text, "Tom."])[0].text
    assert "\ufffd" not in answer.text
    assert len(answer.text) <= 3 * len(text) + 60, answer.text
    assert bool(answer.text.strip()) == bool(text.strip())


SHOUTED = {"en-de": "Where is the station? It is raining!", "de-en": "Wo ist der bahnhof? Es regnet!"}


@pytest.mark.parametrize("name", DIRECTIONS)
def test_capitals_are_answered_in_capitals(name):
    """As the same text in small letters is; and its tokens are those of the words that it has."""
    task = translator(name)
    plain, loud = task(SHOUTED[name]), task(SHOUTED[name].upper())
    assert loud.text == plain.text.upper()
    assert loud.ids == plain.ids
    assert loud.alignment.words == plain.alignment.words
    assert loud.alignment.source_ends == plain.alignment.source_ends


@pytest.mark.parametrize("name", DIRECTIONS)
def test_a_paragraph_keeps_its_sentences(name):
    paragraph = translator(name)(PARAGRAPHS[name]).text
    assert [mark for mark in paragraph if mark in "?!"] == ["!", "?"] * 3

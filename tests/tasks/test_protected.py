"""Spans are kept whatever a model writes: here by one that knows nothing.

Also tests: tasks/warnings.py.
"""

import os
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import regard
from regard.decoding import DecodeResult, Hypothesis
from regard.tasks import Alignment
from regard.tasks.inputs import SourceSentence
from regard.tasks.protected import ProtectedWriter, is_broken, wants_clauses, write_rounds
from regard.tasks.translation import WrittenTranslation
from regard.tasks.warnings import coverage_warnings, is_looping, is_short, length_warnings
from regard.text import Encoded
from regard.text.glossary import Glossary
from regard.text.spans import Protection

CATALOGUES = Path(os.environ.get("REGARD_CATALOGUES", "/usr/share/locale"))
TEXTS = [
    "The dog %s sleeps under the table.",
    "%s: The dog sleeps under the table (%d).",
    "Where is {name}? It rains today in {0}.",
    "The <b>dog</b> sleeps under the <i>table</i> at https://example.com/a?b=1.",
    "It rains 5 km from here, on 2024-05-03.",
]


@pytest.fixture(scope="module")
def marian():
    return regard.load(Path(__file__).parents[1] / "before" / "translator")


def test_every_span_is_there_once_and_in_order(marian):
    for answer in marian(TEXTS, max_new_tokens=8):
        assert Protection().missing(answer.source, answer.text) == []
        assert not any(warning.kind == "span" for warning in answer.warnings)


def test_without_protection_it_is_the_translation_of_the_bare_steps(marian):
    config = marian.generation_config(max_new_tokens=8)
    source = marian.read(TEXTS[0])
    bare = marian.answer(source, marian.write([source], config)[0])
    assert marian(TEXTS[0], protect=False, max_new_tokens=8) == bare
    plain = "The dog sleeps."
    assert marian(plain, protect=False, max_new_tokens=8).ids == marian(plain, max_new_tokens=8).ids


def test_terms_prefixes_and_mnemonics(marian):
    protection = Protection(glossary=Glossary({"dog": "Dackel"}))
    assert marian("The dog sleeps.", protect=protection, max_new_tokens=8).text.count("Dackel") == 1
    assert marian("It rains.", prefix="the dog", max_new_tokens=8).text.startswith("the dog")
    assert marian("Open the _table", protect=Protection(mnemonic="_"), max_new_tokens=8).text.count("_") == 1


def written_as(translator, source, *answers):
    """The translation of a text where a model writes these, one after the other, and what it read each time."""
    asked = []

    def write(texts, config):
        sentences = [sentence for text in texts for sentence in text.sentences if sentence.encoded]
        asked.append([sentence.masked.text if sentence.masked else sentence.sentence for sentence in sentences])
        ids = translator.tokenizer.encode("", answers[len(asked) - 1], special=False).ids
        result = DecodeResult((Hypothesis(tuple(ids), (0.0,) * len(ids), is_finished=True),))
        return [
            WrittenTranslation(tuple(result if one.encoded else None for one in text.sentences), 1) for text in texts
        ]

    read = translator.read(source, protection=Protection())
    rounds = ProtectedWriter(translator.processor, translator.generation_config()).rounds([read])
    sources, written = write_rounds(rounds, write)
    return translator.answer(sources[0], written[0]), asked


def test_a_digit_that_is_lost_is_tried_once_more_and_no_sentence_is_taken_to_pieces_for_it():
    translator = regard.load("en-de")
    text = "We have 3 cats."
    answer, asked = written_as(translator, text, "Wir haben drei Katzen.")
    assert (answer.text, asked) == ("Wir haben drei Katzen.", [[text]])
    answer, asked = written_as(translator, text, "Wir haben Katzen.", "Es sind 37 Katzen.")
    assert (answer.text, asked) == ("Es sind 3 Katzen.", [[text], ["We have 37 cats."]])
    assert not answer.warnings
    answer, asked = written_as(translator, text, "Wir haben Katzen.", "Es sind Katzen.")
    assert (answer.text, asked) == ("Wir haben Katzen.", [[text], ["We have 37 cats."]])
    assert [warning.kind for warning in answer.warnings] == ["span"]


def test_what_has_to_be_there_is_tried_until_it_is_and_digits_do_not_end_that():
    translator = regard.load("en-de")
    text = "We have 3 cats for {name}."
    answer, asked = written_as(translator, text, "Wir haben Katzen.", "Wir haben Katzen.", "und")
    assert [[one.strip() for one in some] for some in asked[2:]] == [["We have", "cats for"]]
    assert Protection().missing(text, answer.text) == []


def test_one_word_again_and_again_is_its_translation_again_and_again():
    translator = regard.load("en-de")
    text = "house house  house house"
    answer, asked = written_as(translator, text, "Haushaus.", "Haus")
    assert (answer.text, asked) == ("Haus Haus  Haus Haus", [[text], ["house"]])
    answer, asked = written_as(translator, text, "Haus, Haus, Haus, Haus", "Ein Haus")
    assert (answer.text, asked) == ("Haus, Haus, Haus, Haus", [[text], ["house"]])


def test_alignments_are_of_the_text_as_it_is(marian):
    answer = marian(TEXTS[0], max_new_tokens=8)
    alignment = answer.alignment
    assert alignment.weights.shape == (len(answer.ids), len(answer.source_tokens))
    assert max(end for end in alignment.target_ends if end is not None) <= len(answer.text)
    assert max(end for end in alignment.source_ends if end is not None) <= len(answer.source)


def sentence(words, tokens):
    encoded = Encoded(
        tuple(range(tokens)), ("",) * tokens, ((0, 0),) * tokens, (0,) * tokens, (0,) * tokens, (0,) * tokens
    )
    return SourceSentence(" ".join(["word"] * words), "", encoded)


def test_a_length_that_looks_wrong_is_told():
    long = sentence(79, 100)
    short = Hypothesis(tuple(range(26)), (0.0,), True)
    assert is_short(long, short)
    (warning,) = length_warnings(long, short, " ".join(["Wort"] * 20))
    assert warning.kind == "length"
    assert warning.message.startswith("79 words became 20")
    assert length_warnings(long, Hypothesis(tuple(range(90)), (0.0,), True), "so") == []
    (stopped,) = length_warnings(long, Hypothesis(tuple(range(90)), (0.0,), False), "so")
    assert stopped.kind == "stopped"


def test_what_is_said_again_and_again_is_told():
    assert is_looping((5, 1, 2, 1, 2, 1, 2, 7))
    assert is_looping((3,) * 6)
    assert not is_looping((1, 3, 3, 3))  # 1000, a digit a token
    assert not is_looping((5, 1, 2, 1, 2, 7, 1, 2, 3, 3))
    looping = Hypothesis((*range(8), *(20, 21, 22) * 3), (0.0,), True)
    source = sentence(10, 12)
    (warning,) = length_warnings(source, looping, "d e f")
    assert warning.kind == "repetition"
    said_again = replace(source, encoded=replace(source.tokens, ids=(4,) * 12))
    assert length_warnings(said_again, looping, "d e f") == []


def test_a_sentence_is_cut_into_clauses_where_words_are_missing_or_come_again_and_again():
    source = sentence(10, 12)
    good, looping = Hypothesis(tuple(range(12)), (0.0,), True), Hypothesis((1, 2) * 6, (0.0,), True)
    stopped = replace(good, is_finished=False)
    assert not wants_clauses([(source, DecodeResult((good,))), (source, None)])
    assert wants_clauses([(source, DecodeResult((good,))), (source, DecodeResult((looping,)))])
    assert not wants_clauses([(source, DecodeResult((stopped,)))])  # few tokens: a limit that somebody set
    assert wants_clauses([(sentence(20, 30), DecodeResult((stopped,)))])
    assert [is_broken([(source, DecodeResult((one,)))]) for one in (good, looping, stopped)] == [False, True, True]


def test_what_says_the_same_again_and_again_is_cut_until_no_part_does(marian):
    source = sentence(10, 12)
    said_again = replace(source, encoded=replace(source.tokens, ids=(4,) * 12))
    said_at_last = replace(source, encoded=replace(source.tokens, ids=(4,) * 6 + tuple(range(5, 11))))
    once, other_words = (Hypothesis(tuple(range(count)), (0.0,), True) for count in (3, 12))
    all_of_it = replace(other_words, ids=(7,) * 12)
    for source_sentence, hypothesis, is_cut in (
        (said_again, once, True),
        (said_again, other_words, True),
        (said_again, all_of_it, False),
        (said_at_last, once, True),
        (said_at_last, other_words, False),
        (source, once, False),
    ):
        written = [(source_sentence, DecodeResult((hypothesis,)))]
        assert wants_clauses(written) == is_broken(written) == is_cut
    text = " ".join(["dog"] * 40)
    (read,) = marian.read(text).sentences
    parts = marian.processor.split_clauses(read)
    assert len(parts) > 4
    assert "".join(part.sentence + part.gap for part in parts) == text
    assert not any(is_looping(part.tokens.ids) for part in parts)


def test_a_sentence_that_is_too_long_to_be_written_is_cut_between_words(marian):
    text = " ".join(f"dog{number}" for number in range(marian.processor.max_new_tokens(None)))
    (read,) = marian.read(text).sentences
    parts = marian.processor.split_clauses(read)
    assert len(parts) > 1
    assert "".join(part.sentence + part.gap for part in parts) == text


def test_words_that_nobody_looked_at_are_told():
    source = "one two three four five six seven eight"
    weights = np.zeros((2, 8), dtype=np.float32)
    weights[:, :2] = 0.5
    words = tuple(range(8))
    missing = coverage_warnings(source, Alignment(weights, ("a", "b"), (), (0, 1), words))
    assert [warning.message for warning in missing] == [
        "nothing seems to stand for 6 words: three four five six seven eight"
    ]
    assert coverage_warnings(source, Alignment(np.full((8, 8), 0.125), (), (), (), words)) == []


def test_placeholders_of_real_catalogues_are_kept(marian):
    polib = pytest.importorskip("polib")
    files = sorted(CATALOGUES.rglob("de/LC_MESSAGES/*.mo"))[:8]
    if not files:
        pytest.skip(f"no German catalogues in {CATALOGUES}; REGARD_CATALOGUES names a folder that has some")
    strings = [entry.msgid for file in files for entry in polib.mofile(str(file)) if "%" in entry.msgid]
    strings = [text for text in random.Random(1).sample(strings, min(60, len(strings))) if len(text) < 150]
    if not strings:
        pytest.skip(f"no strings with placeholders in {CATALOGUES}")
    answers = marian(strings, max_new_tokens=8)
    bad = [text for text, answer in zip(strings, answers, strict=True) if Protection().missing(text, answer.text)]
    warned = [answer.source for answer in answers if any(warning.kind == "span" for warning in answer.warnings)]
    assert bad == warned
    assert len(bad) <= len(strings) // 20

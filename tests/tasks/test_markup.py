"""Tags go with the words.

Also tests: tasks/signs.py.
"""

import numpy as np
import pytest
from tasks.translators import small
from text.marked import Judge, generated
from text.pieces import ENGLISH, marian_files

import regard
from regard.errors import UnknownName
from regard.tasks import Alignment, Translation
from regard.tasks.markup import Page


@pytest.fixture(scope="module")
def marian(tmp_path_factory):
    folder = tmp_path_factory.mktemp("marian")
    small("marian", folder, len(marian_files(folder)))
    return regard.load(folder)


def translated(source, text, partners):
    """A translation in which each word looks at one word of the source; punctuation is a word of its own here."""
    tokens = [[], []]
    ends = [[], []]
    for side, words in enumerate((source, text)):
        at = 0
        for word in words.replace(".", " .").replace(",", " ,").split():
            at = words.index(word, at) + len(word)
            tokens[side].append(word)
            ends[side].append(at)
    weights = np.full((len(tokens[1]), len(tokens[0])), 0.01, dtype=np.float32)
    for row, partner in enumerate(partners):
        weights[row, partner] = 1.0
    alignment = Alignment(
        weights,
        tuple(tokens[1]),
        tuple(tokens[0]),
        (),
        (),
        target_ends=tuple(ends[1]),
        source_ends=tuple(ends[0]),
    )
    return Translation(source, text, 0.0, 0.0, (), (), True, (), (), lambda: alignment)


@pytest.mark.parametrize(
    ("page", "text", "partners", "expected"),
    [
        ("The <b>old man</b> reads.", "Der alte Mann liest.", [0, 1, 2, 3, 4], "Der <b>alte Mann</b> liest."),
        ("I <i>often</i> <u>read</u>.", "Lesen tue ich oft.", [2, 2, 0, 1, 3], "<u>Lesen tue</u> ich <i>oft</i>."),
        (
            "<p><a href='/x'>I <b>have</b> seen</a> it.</p>",
            "Ich habe es gesehen.",
            [0, 1, 3, 2, 4],
            "<p><a href='/x'>Ich <b>habe</b> es gesehen</a>.</p>",
        ),
        ("<b>It rains.</b>", "Es regnet.", [0, 1, 2], "<b>Es regnet.</b>"),
        ("It <b>rains</b>.", "Es regnet.", [0, 1, 1], "Es <b>regnet</b>."),
        ("It <img src=a>rains <!-- so --> much.", "Es regnet so sehr.", [0, 1, 2, 2, 3],
         "Es <img src=a>regnet <!-- so -->so sehr."),
        ("Removed <b>%i</b> of {n}.", "Von {n} fort %i.", [1, 2, 3, 0, 4], "Von {n} fort <b>%i</b>."),
        ("<i>Removed</i> %i.", "%i fort.", [0, 0, 2], "%i <i>fort</i>."),
        ("A &lt; B &amp; C", "A < B & C", [0, 1, 2, 3, 4], "A &lt; B &amp; C"),
    ],
)  # fmt: skip
def test_a_tag_goes_with_its_words(page, text, partners, expected):
    read = Page.read(page, "html")
    (source,) = read.texts
    assert read.with_markup([translated(source, text, partners)]) == expected


@pytest.mark.parametrize("block", range(5))
def test_generated_pages_come_out_well_formed_with_every_tag_once(marian, block):
    pages = [generated(seed) for seed in range(100 * block, 100 * block + 100)]
    for page, found in zip(pages, marian(pages, markup="html", max_new_tokens=5), strict=True):
        after = Judge(found.text)
        assert after.is_sound, (page, found.text)
        assert after.tags == Judge(page).tags, (page, found.text)


def test_without_tags_it_is_the_same_translation(marian):
    plain, marked = marian(ENGLISH[0], max_new_tokens=8), marian(ENGLISH[0], max_new_tokens=8, markup="html")
    assert Judge(marked.text).words == plain.text.split()
    assert (marked.ids, marked.score, marked.tokens) == (plain.ids, plain.score, plain.tokens)
    assert marked.alignment.words == plain.alignment.words


def test_a_page_is_the_translation_of_its_parts(marian):
    page = f"<h1>{ENGLISH[0]}</h1>\n<p>{ENGLISH[1]}<br>{ENGLISH[3]}</p>"
    parts = marian([ENGLISH[0], ENGLISH[1], ENGLISH[3]], max_new_tokens=6, beam=2)
    found = marian(page, markup="html", max_new_tokens=6, beam=2, num_hypotheses=2)
    assert Judge(found.text).words == " ".join(one.text for one in parts).split()
    assert found.text.startswith("<h1>")
    assert "</h1>\n<p>" in found.text
    assert found.score == pytest.approx(sum(one.score for one in parts), abs=1e-4)
    assert found.source == page
    (other,) = found.alternatives
    assert other.rank_score <= found.rank_score
    assert Judge(other.text).tags == Judge(page).tags
    count = sum(len(one.split()) for one in (ENGLISH[0], ENGLISH[1], ENGLISH[3]))
    assert {source for source, _ in found.alignment.words} <= set(range(count))
    assert found.alignment.weights.shape == (len(found.tokens), len(found.source_tokens))


def test_several_pages_keep_their_order_and_empty_ones_stay_empty(marian):
    first, empty, last = marian([f"<b>{ENGLISH[0]}</b>", " <br> ", ENGLISH[1]], markup="html", max_new_tokens=5)
    assert first.text == marian(f"<b>{ENGLISH[0]}</b>", markup="html", max_new_tokens=5).text
    assert empty.text == " <br> "
    assert empty.alignment.pharaoh == ""
    assert Judge(last.text).words == marian(ENGLISH[1], max_new_tokens=5).text.split()


def test_an_unknown_markup_is_told(marian):
    with pytest.raises(UnknownName, match="unknown markup 'xml': known: html"):
        marian("a", markup="xml")

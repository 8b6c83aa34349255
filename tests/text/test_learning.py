"""Tokenisers learnt here are the same each time, lose nothing, and are what the reference learns but for ties.

Also tests: text/frames.py, text/train.py.
"""

import json
import os
import random
import subprocess
import sys
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import shared, unpacked
from text.varied import LINES

from regard.errors import UnknownName
from regard.text import (
    FRAMES,
    KINDS,
    ColumnTexts,
    DataError,
    PlainCorpus,
    Tokenizer,
    TokenizerError,
    load_tokenizer,
    save_tokenizer,
    train_tokenizer,
)
from regard.text.frames import Frame

TEXTS = [
    "Where is the station?",
    "The dog sleeps under the table, and the cat does not.",
    "Ich weiß nicht, wo er wohnt.",
    "Der Hund schläft unter dem Tisch.",
    "It rains today; it rained yesterday.",
] * 4
UNITS = ["the dog sle@@ eps .", "the c@@ at sle@@ pt .", "a sta@@ tion"] * 3
ANY = st.text(st.characters(exclude_categories=["Cs"]))


def learnt(kind, size=0, texts=None, **asked):
    least = {"bpe": 320, "unigram": 330, "wordpiece": 120}.get(kind, 0)
    return train_tokenizer(
        kind, size or least, (UNITS if kind == "bpe-marked" else TEXTS) if texts is None else texts, **asked
    )


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_tokeniser_is_the_same_here_and_in_transformers(kind, frame, tmp_path):
    transformers = pytest.importorskip("transformers")
    ours = learnt(kind, frame=frame)
    assert {path.name for path in save_tokenizer(ours, tmp_path)} == {"tokenizer.json", "tokenizer_config.json"}
    again, theirs = load_tokenizer(tmp_path), transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path)
    assert (again.specials, len(again), again.vocabulary) == (ours.specials, len(ours), ours.vocabulary)
    assert len(theirs) == len(ours)
    for line in [*TEXTS[:5], *UNITS[:3], *LINES[:60]]:
        found = ours.encode(line)
        assert again.encode(line) == found
        assert theirs(line)["input_ids"] == list(found.ids), repr(line)
        if ours.specials.unk not in found.ids:  # transformers leaves out an unknown word, we do not
            assert theirs.decode(found.ids, skip_special_tokens=True) == ours.decode(found.ids)


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
@pytest.mark.parametrize("frame", FRAMES)
@given(
    text=ANY
    | st.lists(st.sampled_from(["<unk>", "[UNK]", "<0xE2>", "<0x41>", "</s>", "[CLS]", "<0x", " "])).map("".join)
)
def test_no_text_is_unknown_and_none_changes(kind, frame, text):
    tokenizer = TOKENIZERS[kind, frame]
    found = tokenizer.encode(text)
    assert tokenizer.specials.unk not in found.ids
    assert tokenizer.decode(found.ids) == (text.replace("▁", " ") if kind == "unigram" else text)


TOKENIZERS = {(kind, frame): learnt(kind, frame=frame) for kind in ("bpe", "unigram") for frame in FRAMES}


@given(text=st.text("".join(sorted(set("".join(TEXTS))))))
def test_characters_stand_for_themselves(text):
    tokenizer = CHARACTERS
    found = tokenizer.encode(text, bare=True)
    assert found.tokens == tuple(text)
    assert tokenizer.decode(found.ids) == text


CHARACTERS = learnt("characters")


@given(units=st.lists(st.sampled_from(sorted({unit for line in UNITS for unit in line.split()}))))
def test_given_units_are_the_tokens_and_their_marks_go(units):
    text = " ".join(units)
    found = MARKED.encode(text, bare=True)
    assert list(found.tokens) == units
    assert MARKED.decode(found.ids) == text.replace("@@ ", "").removesuffix("@@")


MARKED = learnt("bpe-marked")


def test_units_that_others_made_are_all_known(tmp_path):
    chance, lines = random.Random(7), made_up_lines(200)
    cut = [" ".join("@@ ".join(pieces(word, chance)) for word in line.split()) for line in lines]
    (tmp_path / "units").write_text("".join(f"{line}\n" for line in cut), encoding="utf-8")
    side = ColumnTexts(PlainCorpus(tmp_path / "units"), ("text",))
    tokenizer = train_tokenizer("bpe-marked", 0, side)
    assert list(side) == cut
    for line, whole in zip(cut, lines, strict=True):
        assert tokenizer.encode(line, bare=True).tokens == tuple(line.split(" "))
        assert tokenizer.decode(tokenizer.encode(line).ids) == whole


def made_up_lines(count):
    """Sentences in a language of a few hundred words, some of which are frequent."""
    chance = random.Random(8)
    syllables = ["ba", "do", "grü", "ne", "ße", "kat", "lo", "me", "st", "ti", "'s", "ür", "n"]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(300)]
    often = [1 / rank for rank in range(1, 301)]
    return [" ".join(chance.choices(words, often, k=chance.randint(3, 12))) + " ." for _ in range(count)]


def pieces(word, chance):
    """A word in pieces."""
    positions = sorted(chance.sample(range(1, len(word)), min(len(word) - 1, chance.randint(0, 2))))
    return [word[begin:end] for begin, end in pairwise([0, *positions, len(word)])]


@pytest.mark.parametrize("kind", KINDS)
def test_the_size_holds_the_special_tokens_and_is_kept(kind):
    whole = learnt(kind)
    assert [whole.token(number) for number in range(2)] == ["<pad>", "</s>"]
    assert whole.encode("a").ids[-1] == whole.specials.eos
    least = {"bpe": 258, "unigram": 290, "wordpiece": 100}.get(kind, 8)
    assert len(learnt(kind, least)) <= least
    with pytest.raises(TokenizerError, match=r"a tokeniser of size 3: at least \d+ needed"):
        learnt(kind, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_two_sides_can_have_their_own(kind, tmp_path):
    target = ["ein Hund", "eine Katze"] * 3
    both = learnt(kind, target=target)
    alone = learnt(kind, texts=target)
    assert both.target is not both
    assert both.target.vocabulary == alone.vocabulary
    save_tokenizer(both, tmp_path)
    again = load_tokenizer(tmp_path)
    assert again.target.encode("ein Hund") == alone.encode("ein Hund")
    assert again.target.specials == alone.specials
    assert again.encode("the dog") == both.encode("the dog")


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_case_goes_only_when_asked(kind):
    kept, lowered = learnt(kind), learnt(kind, lower=True)
    assert any(token != token.lower() for token in kept.vocabulary if "<" not in token) or kind == "bpe-marked"
    assert lowered.encode("THE DOG").ids == lowered.encode("the dog").ids


def program(kind: str) -> str:
    return f"""
import hashlib, sys
sys.path.insert(0, {str(os.path.dirname(__file__))!r})
from varied import LINES
from regard.text import train_tokenizer
texts = [line for line in LINES if "\\0" not in line] * 3 + {TEXTS!r}
made = train_tokenizer({kind!r}, 1500, texts)
print(hashlib.sha256(made.model.whole.to_str().encode()).hexdigest())
"""


@pytest.mark.parametrize("kind", KINDS)
def test_another_process_learns_the_same(kind):
    environment = {name: value for name, value in os.environ.items() if name != "TOKENIZERS_PARALLELISM"}
    found = set()
    for threads in ("1", "2", "4"):
        ran = subprocess.run(
            [sys.executable, "-c", program(kind)],
            env={**environment, "RAYON_NUM_THREADS": threads, "PYTHONHASHSEED": threads},
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stderr
        found.add(ran.stdout)
    assert len(found) == 1


def merged(word, pair):
    pieces, position = [], 0
    while position < len(word):
        step = 2 if word[position : position + 2] == pair else 1
        pieces.append("".join(word[position : position + step]))
        position += step
    return tuple(pieces)


def replayed(words, merges):
    """How frequent each pair is when it is merged, and the most frequent pair then."""
    words, counts, found = list(words.items()), Counter(), []
    for word, count in words:
        for pair in pairwise(word):
            counts[pair] += count
    for pair in merges:
        found.append((counts[pair], max(counts.values())))
        for position, (word, count) in enumerate(words):
            if pair in pairwise(word):
                words[position] = (merged(word, pair), count)
                for old in pairwise(word):
                    counts[old] -= count
                for new in pairwise(words[position][0]):
                    counts[new] += count
    return found


def merges(tokenizer):
    return [tuple(pair) for pair in json.loads(tokenizer.model.whole.to_str())["model"]["merges"]]


def counted_words(tokenizer, text):
    """How often each word is there, as the tokeniser cuts a text before it merges."""
    return Counter(tuple(word) for word, _ in tokenizer.model.whole.pre_tokenizer.pre_tokenize_str(text))


def test_every_merge_is_of_a_most_frequent_pair():
    text = "\n".join(made_up_lines(300))
    made = train_tokenizer("bpe", 400, [text], frame="stream")
    found = replayed(counted_words(made, text), merges(made))
    assert len(found) > 100
    assert all(count == most for count, most in found)


def test_bytes_are_merged_as_in_the_reference_but_for_ties():
    folder = "tokenizers/bpe-train-reference"
    text = unpacked(f"{folder}/corpus.en.xz")
    made = train_tokenizer("bpe", 500, [text], frame="stream")
    ours = merges(made)
    lines = shared(f"{folder}/merges.txt").read_text(encoding="utf-8").split("\n")[:-1]
    theirs = [tuple(line.split(" ")) for line in lines]
    known = json.loads(shared(f"{folder}/vocab.json").read_text(encoding="utf-8"))
    assert len(made) == len(known) == 500
    assert next(iter(known)) == made.token(0) == "<|endoftext|>"

    # Every merge, ours and the reference's, is of a most frequent pair at its time; they differ where two are equal.
    words = counted_words(made, text)
    found, expected = replayed(words, ours), replayed(words, theirs)
    assert all(count == most for count, most in [*found, *expected])
    assert found[:200] == expected[:200]
    assert len({*ours} & {*theirs}) >= 0.97 * len(theirs)


def test_a_frame_of_ones_own(tmp_path):
    frame = Frame({"pad": "<pad>", "bos": "<s>", "eos": "</s>"}, before=("bos",), after=("eos",))
    tokenizer = learnt("words", frame=frame)
    assert tokenizer.encode("the dog").tokens == ("<s>", "the", "dog", "</s>")
    assert tokenizer.encode("the", "dog").segments == (0, 0, 0, 1, 1)
    save_tokenizer(tokenizer, tmp_path)
    assert load_tokenizer(tmp_path).specials == tokenizer.specials


def test_text_that_looks_like_a_special_token_stays_text():
    tokenizer = learnt("bpe")
    found = tokenizer.encode("a </s> b", bare=True)
    assert tokenizer.specials.eos not in found.ids
    assert tokenizer.decode(found.ids) == "a </s> b"


def test_tokens_arrive_as_text_that_is_never_taken_back():
    for tokenizer in (*TOKENIZERS.values(), CHARACTERS, MARKED):
        text = UNITS[0] if tokenizer is MARKED else TEXTS[2]
        found, stream = tokenizer.encode(text), tokenizer.stream()
        assert "".join([*(stream.add(number) for number in found.ids), stream.end()]) == tokenizer.decode(found.ids)


def test_texts_may_come_but_once():
    for kind in KINDS:
        texts = UNITS if kind == "bpe-marked" else TEXTS
        assert learnt(kind, texts=iter(texts)).vocabulary == learnt(kind, texts=texts).vocabulary


def test_what_cannot_be_learnt_is_one_line(tmp_path):
    with pytest.raises(TokenizerError, match="no text to learn a tokeniser from"):
        train_tokenizer("bpe", 300, [])
    with pytest.raises(UnknownName, match="unknown kind of tokeniser 'bep': did you mean 'bpe'"):
        train_tokenizer("bep", 300, TEXTS)
    with pytest.raises(UnknownName, match="unknown frame"):
        train_tokenizer("bpe", 300, TEXTS, frame="none")
    (tmp_path / "bad").write_bytes(b"good\n\xff\n")
    for kind in KINDS:
        with pytest.raises(DataError, match="bad:2: not UTF-8"):
            train_tokenizer(kind, 500, ColumnTexts(PlainCorpus(tmp_path / "bad"), ("text",)))


def test_only_what_the_package_runs_is_written(tmp_path):
    class Other:
        def __init__(self):
            self.vocabulary, self.special = {"a": 0}, frozenset()

        def encode(self, text, pair, asked, *, bare): ...

        def decode(self, ids): ...

    with pytest.raises(TokenizerError, match="only tokenisers of the tokenizers package can be written"):
        save_tokenizer(Tokenizer(Other()), tmp_path)

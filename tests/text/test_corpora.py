"""Corpora give all that is in their files, and refuse what does not fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import shared

from regard.text import ColumnTexts, DataError, ParallelCorpus, PlainCorpus, SwappedCorpus, TabbedCorpus, pairs

LINE = st.text(st.characters(exclude_characters="\0\n\t", exclude_categories=["Cs"]))
PAIRS = st.lists(st.tuples(LINE, LINE), min_size=1)


def written(folder, name, lines):
    path = folder / name
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


@given(rows=PAIRS)
def test_pairs_come_back_whichever_way_they_are_kept(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("pairs")
    files = [written(folder, name, side) for name, side in zip(("a", "b"), zip(*rows, strict=True), strict=True)]
    tabbed = written(folder, "both.tsv", [f"{one}\t{other}" for one, other in rows])
    assert list(pairs(files)) == list(pairs([tabbed])) == rows
    assert list(SwappedCorpus(pairs(files))) == [(other, one) for one, other in rows]
    assert list(pairs(files)) == rows  # again


def test_one_idea_of_pairs_for_one_file_and_two():
    assert pairs(["a", "b"]).columns == pairs(["c.tsv"]).columns == ("source", "target")
    with pytest.raises(DataError, match=r"two parallel files or one \.tsv expected, got 3 files"):
        pairs(["a", "b", "c"])


@given(counts=st.tuples(st.integers(1, 6), st.integers(1, 6)))
def test_files_of_unequal_length_are_refused_with_both_counts(tmp_path_factory, counts):
    folder = tmp_path_factory.mktemp("unequal")
    files = [written(folder, name, "x" * count) for name, count in zip("ab", counts, strict=True)]
    corpus = ParallelCorpus(*files)
    if counts[0] == counts[1]:
        assert len(list(corpus)) == counts[0]
        return
    longer = "ab"[counts.index(max(counts))]
    told = f"{longer}:{min(counts) + 1}: no line to go with it: .*a has {counts[0]} lines, .*b has {counts[1]}"
    with pytest.raises(DataError, match=told):
        list(corpus)


@pytest.mark.parametrize(("line", "count"), [("no tab", 1), ("a\tb\tc", 3)])
def test_a_line_that_is_no_pair_is_named(tmp_path, line, count):
    path = written(tmp_path, "both.tsv", ["a\tb", line])
    with pytest.raises(DataError, match=f"both.tsv:2: {count} columns; two texts expected, a tab between them"):
        list(TabbedCorpus(path))


def test_a_side_is_what_a_tokeniser_learns_from(tmp_path):
    corpus = TabbedCorpus(written(tmp_path, "both.tsv", ["a\tb", "c\td"]))
    assert list(ColumnTexts(corpus, ("source", "target"))) == ["a", "b", "c", "d"]
    assert list(ColumnTexts(corpus, ("target",))) == ["b", "d"]


def test_real_files_are_read_whole():
    assert sum(1 for _ in TabbedCorpus(shared("tatoeba-en-de/valid.tsv.xz"))) == 1979
    raw = ParallelCorpus(shared("multi30k/raw/val.en.gz"), shared("multi30k/raw/val.de.gz"))
    assert sum(1 for _ in raw) == 1014
    letters = "".join(line for (line,) in PlainCorpus(shared("tinyshakespeare/input.txt.xz"), line_ends=True))
    assert (len(letters), len(set(letters))) == (1_115_394, 65)

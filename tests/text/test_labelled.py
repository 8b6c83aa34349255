import pytest
from shared import shared

from regard.errors import UnknownName
from regard.text import DataError, LabelledCorpus
from regard.text.labelled import LAYOUTS

LINES = {"first": "yes\ta text", "last": "a text\tyes", "word": "yes a text", "coarse": "yes:quite a text"}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_finds_label_and_text(tmp_path, layout):
    (tmp_path / "data").write_text(f"{LINES[layout]}\n{LINES[layout]}\n")
    assert list(LabelledCorpus(tmp_path / "data", layout)) == [("yes", "a text")] * 2


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("line", ["one", "", "\t", " "])
def test_a_line_without_both_is_named(tmp_path, layout, line):
    (tmp_path / "data").write_text(f"{LINES[layout]}\n{line}\n")
    with pytest.raises(DataError, match=r"data:2: .*label.* expected, got"):
        list(LabelledCorpus(tmp_path / "data", layout))


def test_an_unknown_layout_lists_those_there_are(tmp_path):
    with pytest.raises(UnknownName, match="unknown place of a label 'frist': did you mean 'first'"):
        list(LabelledCorpus(tmp_path / "data", "frist"))


@pytest.mark.parametrize(
    ("path", "layout", "lines", "labels"),
    [
        ("sst2/train.tsv.xz", "last", 6920, 2),
        ("trec/train.txt.xz", "coarse", 5452, 6),
        ("trec/train.txt.xz", "word", 5452, 50),
    ],
)
def test_real_sets_have_the_labels_that_are_known_of_them(path, layout, lines, labels):
    corpus = LabelledCorpus(shared(path), layout)
    assert sum(1 for _ in corpus) == lines
    assert len(corpus.labels()) == labels

"""Every synthetic task, over the table: the same texts for the same seed, none of them twice, and lines that the
objective can read.

Also tests: text/synthetic/__init__.py, text/synthetic/task.py.
"""

from random import Random
from typing import get_args

import pytest

from regard.text import DataError, pairs
from regard.text.labelled import LabelledCorpus
from regard.text.synthetic import SYNTHETIC_TASKS, SplitSizes, SyntheticTask, write_splits
from regard.text.synthetic.splits import draw_splits
from regard.text.synthetic.task import Split, symbols
from regard.text.tagged import TaggedCorpus
from regard.training.objectives import OBJECTIVES

SIZES = SplitSizes(train=40, valid=6, test=5)
EXAMPLES = [(name, task.example()) for name, task in SYNTHETIC_TASKS.items()]
READERS = {
    "translate": lambda path: list(pairs([path])),
    "classify": lambda path: list(LabelledCorpus(path, "last")),
    "tag": lambda path: list(TaggedCorpus(path)),
    "next-token": lambda path: [(line,) for line in path.read_text().splitlines()],
}


def texts(lines):
    return [line.partition("\t")[0] for line in lines]


@pytest.mark.parametrize(("name", "task"), EXAMPLES)
def test_no_text_comes_twice_in_one_split_or_in_two(name, task):
    splits = draw_splits(task, SIZES)
    assert {split: len(lines) for split, lines in splits.items()} == {"train": 40, "valid": 6, "test": 5}
    everything = [text for lines in splits.values() for text in texts(lines)]
    assert len(set(everything)) == 51


@pytest.mark.parametrize(("name", "task"), EXAMPLES)
def test_texts_follow_from_the_seed(name, task):
    assert draw_splits(task, SIZES) == draw_splits(task, SIZES)
    assert draw_splits(task, SIZES) != draw_splits(task, SplitSizes(train=40, valid=6, test=5, seed=2))


@pytest.mark.parametrize(("name", "task"), EXAMPLES)
def test_more_to_learn_from_leaves_valid_and_test_as_they_are(name, task):
    less, more = draw_splits(task, SIZES), draw_splits(task, SplitSizes(train=45, valid=6, test=5))
    assert (less["valid"], less["test"]) == (more["valid"], more["test"])


@pytest.mark.parametrize(("name", "task"), EXAMPLES)
def test_files_are_what_the_objective_reads(name, task, tmp_path):
    assert isinstance(task, SyntheticTask)
    assert task.objective in OBJECTIVES
    write_splits(task, SIZES, tmp_path)
    for split in get_args(Split):
        lines = READERS[task.objective](tmp_path / f"{split}{task.suffix}")
        assert len(lines) == getattr(SIZES, split)
        assert all(column.strip() for line in lines for column in line)


@pytest.mark.parametrize(("name", "task"), EXAMPLES)
def test_what_a_text_asks_for_depends_on_the_text_alone(name, task):
    answers: dict[str, str] = {}
    random = Random(3)
    for split in get_args(Split):
        for _ in range(200):
            text, _, answer = task.draw(random, split).partition("\t")
            assert answers.setdefault(text, answer) == answer


def test_a_task_that_has_too_few_texts_says_so():
    task = SYNTHETIC_TASKS["copy"](symbols=2, min_length=1, max_length=2)
    with pytest.raises(DataError, match=r"no new text after 1 of the 6 of valid: fewer of them, or longer texts"):
        draw_splits(task, SIZES)


def test_symbols_are_different_words():
    assert symbols(30)[:3] == ["a", "b", "c"]
    assert len(set(symbols(1000))) == 1000

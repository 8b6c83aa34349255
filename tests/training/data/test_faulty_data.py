"""Faulty data stop a run before its first step, with file and line; nothing is dropped silently."""

import re
from pathlib import Path

import pytest
from training.tiny import tiny
from training.watching import Quiet

from regard.text import DataError
from regard.training import train
from regard.training.data.readers import read_training_data

LABELS = ["train.objective=classify", "model.kind=encoder", "model.max_positions=16", "data.valid=[]"]
FAULTS = {
    "no tab": ("train.tsv", b"no tab here\n", []),
    "an empty side": ("train.tsv", b"\tempty\n", []),
    "too long": ("train.tsv", b"the " * 300 + b"\tx\n", []),
    "invalid UTF-8": ("train.tsv", b"the \xff\tTHE\n", []),
    "in the valid set": ("valid.tsv", b"no tab here\n", []),
    "no label": ("train.tsv", b"no label here\n", LABELS),
}


def stops(recipe, message):
    report = Quiet()
    with pytest.raises(DataError, match=message) as caught:
        train(recipe, reporting=report)
    assert report.steps == []
    assert "\n" not in str(caught.value)
    assert not (Path(recipe.run) / "checkpoints").exists()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_line_is_named_before_the_first_step(fault, tmp_path):
    name, line, changes = FAULTS[fault]
    recipe = tiny(tmp_path, *changes)
    count = len((tmp_path / name).read_bytes().splitlines())
    with (tmp_path / name).open("ab") as file:
        file.write(line)
    stops(recipe, re.escape(f"{name}:{count + 1}"))


@pytest.mark.parametrize("longer", ["source", "target"])
def test_parallel_files_of_unequal_length_are_not_cut_to_the_shorter(longer, tmp_path):
    for side in ("source", "target"):
        (tmp_path / side).write_text("the cat\n" * (21 if side == longer else 20))
    recipe = tiny(tmp_path, f"data.train={['source', 'target']}", "data.valid=[]")
    stops(recipe, r"(source|target):2[01]")


def test_what_is_left_out_is_said_and_all_else_is_learned_from(tmp_path):
    recipe, lines = tiny(tmp_path, "data.faulty=leave-out"), []
    with (tmp_path / "train.tsv").open("a") as file:
        file.write("\tempty\n" + "the " * 300 + "\tx\nthe\t\n")
    found = read_training_data(recipe, tmp_path, lines.append)
    assert len(found.examples) == 60
    assert [re.search(r"train.tsv:(\d+): .*?(\d+) training", line).groups() for line in lines] == [
        ("61", "2"),
        ("62", "1"),
    ]

"""The texts of a synthetic task as files: one to learn from, one to choose by, one for the end."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, get_args

from regard.settings import Range
from regard.text.lines import DataError
from regard.text.synthetic.task import Split, SyntheticTask

TRIES = 1000  # draws that may give nothing new, one after another

Lines = Annotated[int, Range(1, 10**7)]


@dataclass(frozen=True)
class SplitSizes:
    """How many lines each split has, and the seed that they follow from."""

    train: Lines = 10_000
    valid: Lines = 500
    test: Lines = 500
    seed: Annotated[int, Range(0, (1 << 63) - 1)] = 1


def draw_splits(task: SyntheticTask, sizes: SplitSizes) -> dict[Split, list[str]]:
    """The lines of each split, the same for the same seed; no text comes twice, in one split or in two.

    The small splits are drawn first, so that what they hold does not depend on how much there is to learn from.
    """
    random, seen = Random(sizes.seed), set()
    splits: dict[Split, list[str]] = {}
    for split in reversed(get_args(Split)):
        lines: list[str] = []
        repeats = 0
        while len(lines) < getattr(sizes, split):
            line = task.draw(random, split)
            text = line.partition("\t")[0]
            repeats = repeats + 1 if text in seen else 0
            if repeats > TRIES:
                raise DataError(
                    f"{task}: no new text after {len(lines):,} of the {getattr(sizes, split):,} of {split}: "
                    "fewer of them, or longer texts"
                )
            if text not in seen:
                seen.add(text)
                lines.append(line)
        splits[split] = lines
    return splits


def write_splits(task: SyntheticTask, sizes: SplitSizes, folder: Path) -> None:
    """train, valid and test, each a file in a folder."""
    for split, lines in draw_splits(task, sizes).items():
        (folder / f"{split}{task.suffix}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

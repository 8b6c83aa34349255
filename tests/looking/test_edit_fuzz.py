"""Thousands of files of bad edits on a small model: each is refused in one line, or does something and breaks none."""

import warnings
from collections import Counter
from pathlib import Path

import pytest
import torch
from looking.bad_edits import EditFile, edit_files
from looking.readers import Translator, stream

import regard
from regard.errors import RegardError

SEED = 20_260


def outcome(model: torch.nn.Module, x: torch.Tensor, path: Path, file: EditFile) -> str:
    """What comes of a file; only RegardErrors are caught."""
    path.write_bytes(file.content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a position that was never reached
            with regard.edit(model, path):
                model(x, x)
    except RegardError as problem:
        line = str(problem)
        assert len(line.splitlines()) == 1, (file, line)
        assert len(line) < 600, (file, line)
        return "refused when read" if str(path) in line else "refused by the model"
    return "applied"


def outcomes(tmp_path: Path, seed: int, count: int) -> Counter[str]:
    torch.manual_seed(0)
    model, x, counts = Translator(), stream(batch=1), Counter[str]()
    for number, file in enumerate(edit_files(seed, count)):
        result = outcome(model, x, tmp_path / "edits.json", file)
        assert not (file.is_bad and result != "refused when read"), (seed, number, file, result)
        counts[result] += 1
    assert all(not module.taps for module in model.modules() if hasattr(module, "taps"))
    print(f"seed {seed}, {count} files of edits: {dict(counts)}")
    return counts


def test_bad_edits_are_refused_in_one_line(tmp_path):
    counts = outcomes(tmp_path, SEED, 150)
    assert counts["refused when read"] > 100
    assert counts["applied"] > 0


@pytest.mark.proof
def test_five_thousand_bad_edits_are_refused_in_one_line(tmp_path):
    counts = outcomes(tmp_path, SEED + 1, 5000)
    assert counts["refused when read"] > 3000
    assert counts["applied"] > 0

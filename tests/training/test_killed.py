"""kill -9 at random moments: whoever starts again ends with the same bits."""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from training.forked import fork
from training.test_session import everything
from training.tiny import tiny
from training.watching import Quiet

from regard.training import train

CHANGES = ["train.steps=12", "train.save_every=2", "train.evaluate_every=4"]


def trained_apart(recipe, seconds=None):
    """Train in a process of its own, killed after so many seconds; whether it ended by itself."""
    child = fork(lambda: 0 if train(recipe, reporting=Quiet()) else 1)
    until = None if seconds is None else time.monotonic() + seconds
    while until is None or time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return True
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def killed_again_and_again(folder, kills, workers):
    first, second = folder / "whole", folder / "killed"
    first.mkdir()
    second.mkdir()
    begin = time.monotonic()
    assert trained_apart(tiny(first, *CHANGES))
    whole = time.monotonic() - begin
    chance = random.Random(kills)
    recipe = tiny(second, *CHANGES, f"train.workers={workers}")
    count = 0
    while count < kills:
        if trained_apart(recipe, chance.uniform(0.05, 0.7) * whole):
            assert everything(recipe.run) == everything(first / "run")
            for path in sorted(Path(recipe.run).rglob("*"), reverse=True):  # and once more
                path.rmdir() if path.is_dir() else path.unlink()
        else:
            count += 1
    assert trained_apart(recipe)
    assert everything(recipe.run) == everything(first / "run")


@pytest.mark.parametrize("workers", [0, 2])
def test_a_killed_run_ends_as_if_nothing_had_happened(workers, tmp_path):
    killed_again_and_again(tmp_path, kills=5, workers=workers)


@pytest.mark.proof
@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_that_is_killed_fifty_times_ends_as_if_nothing_had_happened(workers, tmp_path):
    killed_again_and_again(tmp_path, kills=50, workers=workers)

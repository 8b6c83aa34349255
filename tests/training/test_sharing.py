"""Several processes: forked, so that nobody waits for torch to be imported again."""

import json
import os
import socket
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from training.forked import fork
from training.test_session import everything
from training.tiny import tiny
from training.watching import Interrupting, Quiet

from regard.training import Stopped, train
from regard.training.log import read_log

STOPPED = 3


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def together(recipe, world=2, at=None):
    """Train in several processes; their exit codes. With `at`, one of them is told to stop after that step."""
    port = free_port()

    def work(rank):
        try:
            train(recipe, reporting=Interrupting(at) if at and rank == 0 else Quiet())
        except Stopped:
            return STOPPED
        except BaseException as problem:
            (Path(recipe.run).parent / f"problem-{rank}").write_text(repr(problem))
            return 1
        return 0

    told = {"WORLD_SIZE": world, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    children = [fork(partial(work, rank), RANK=rank, LOCAL_RANK=rank, **told) for rank in range(world)]
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def losses(run):
    return [line["loss"] for line in read_log(Path(run)) if "loss" in line]


@pytest.mark.parametrize("shard", ["false", "true"])
def test_two_processes_learn_what_one_does(shard, tmp_path):
    changes = ["model.dropout=0.0", "train.clip=1.0", "train.accumulate=2"]
    one = tiny(tmp_path, *changes, f"run={tmp_path / 'one'}")
    train(one, reporting=Quiet())
    two = tiny(tmp_path, *changes, f"run={tmp_path / 'two'}", f"train.shard={shard}")
    assert together(two) == [0, 0], [path.read_text() for path in tmp_path.glob("problem-*")]
    assert losses(two.run) == pytest.approx(losses(one.run), rel=1e-4)
    mine, theirs = (load_file(f"{run}/model/model.safetensors") for run in (one.run, two.run))
    for name in mine:
        if "k_proj.bias" not in name:  # its gradient is zero but for rounding, and Adam makes steps of that
            assert float((mine[name] - theirs[name]).norm() / mine[name].norm()) < 2e-3, name


@pytest.mark.proof
@pytest.mark.parametrize("shard", ["false", "true"])
def test_processes_that_were_stopped_end_as_if_they_were_not(shard, tmp_path):
    runs = []
    for name, at in (("whole", None), ("stopped", 5)):
        recipe = tiny(tmp_path, f"run={tmp_path / name}", f"train.shard={shard}", "train.steps=8")
        if at:
            assert together(recipe, at=at) == [STOPPED, STOPPED]
        assert together(recipe) == [0, 0]
        runs.append(everything(recipe.run))
    assert runs[0] == runs[1]


def test_another_number_of_processes_goes_on_and_says_so(tmp_path):
    recipe = tiny(tmp_path, "train.steps=4")
    assert together(recipe) == [0, 0]
    report = Quiet()
    train(tiny(tmp_path, "train.steps=6"), reporting=report)
    assert report.steps == [5, 6]
    assert any("1 processes instead of 2" in line for line in report.lines)
    state = json.loads((Path(recipe.run) / "checkpoints/step-00000006/state.json").read_text())
    assert state["world"] == 1


def test_a_process_without_a_row_counts_for_nothing(tmp_path):
    changes = ["model.dropout=0.0", "train.rows=1", "train.steps=3"]
    one, two = (tiny(tmp_path, *changes, f"run={tmp_path / name}") for name in ("one", "two"))
    train(one, reporting=Quiet())
    assert together(two) == [0, 0]
    assert losses(two.run) == pytest.approx(losses(one.run), rel=1e-5)
    assert torch.isfinite(torch.tensor(losses(two.run))).all()

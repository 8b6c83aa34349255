"""TensorBoard shows what the log says, each point once."""

import shutil
import sys
import time

import pytest
from training.run.test_session import everything
from training.tiny import tiny
from training.watching import Interrupting, Quiet

from regard.training import Stopped, train
from regard.training.run.log import read_log
from regard.training.run.tensorboard import FOLDER, MISSING

accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")


def points(run):
    """What TensorBoard would draw."""
    found = accumulator.EventAccumulator(str(run / FOLDER), size_guidance={"scalars": 0})
    found.Reload()
    return {tag: [(one.step, one.value) for one in found.Scalars(tag)] for tag in found.Tags()["scalars"]}


def logged(run, name, where=None):
    lines = [line for line in read_log(run) if "final" not in line]
    values = [(line["step"], line if where is None else line.get(where, {})) for line in lines]
    return [(step, pytest.approx(one[name])) for step, one in values if name in one]


def same_as_the_log(run):
    found = points(run)
    assert found["train/loss"] == logged(run, "loss")
    assert found["train/learning_rate"] == logged(run, "learning_rate")
    assert found["valid/loss"] == logged(run, "loss", "valid")
    assert [step for step, _ in found["final/loss"]] == [read_log(run)[-1]["step"]]


def test_the_points_are_those_of_the_log(tmp_path):
    recipe = tiny(tmp_path, "train.tensorboard=true")
    train(recipe, reporting=Quiet())
    same_as_the_log(tmp_path / "run")


def test_a_run_that_was_interrupted_has_each_point_once(tmp_path):
    recipe = tiny(tmp_path, "train.tensorboard=true")
    run = tmp_path / "run"
    with pytest.raises(Stopped):
        train(recipe, reporting=Interrupting(8))
    for newest in ("step-00000008", "step-00000006"):
        shutil.rmtree(run / "checkpoints" / newest)  # as if it was killed before: steps are done again
    train(recipe, reporting=Quiet())
    same_as_the_log(run)


def test_the_end_done_again_is_there_once(tmp_path):
    recipe = tiny(tmp_path, "train.tensorboard=true")
    train(recipe, reporting=Quiet())
    shutil.rmtree(tmp_path / "run/model")
    train(recipe, reporting=Quiet())
    same_as_the_log(tmp_path / "run")


def test_a_run_may_begin_with_it_later(tmp_path):
    plain, changed = tiny(tmp_path), tiny(tmp_path, "train.tensorboard=true")
    with pytest.raises(Stopped):
        train(plain, reporting=Interrupting(6))
    assert not (tmp_path / "run" / FOLDER).exists()
    train(changed, reporting=Quiet())
    same_as_the_log(tmp_path / "run")


def test_without_tensorboard_one_line_is_said_and_nothing_else_changes(tmp_path, monkeypatch):
    folders = tmp_path / "with", tmp_path / "without"
    reports = []
    for folder in folders:
        folder.mkdir()
        reports.append(Quiet())
        train(tiny(folder, "train.tensorboard=true"), reporting=reports[-1])
        monkeypatch.setitem(sys.modules, "tensorboard.compat.proto.event_pb2", None)
    assert MISSING not in reports[0].lines
    assert reports[1].lines.count(MISSING) == 1
    assert not (folders[1] / "run" / FOLDER).exists()
    assert everything(folders[0] / "run") == everything(folders[1] / "run")


def test_a_clock_that_was_set_back_leaves_the_points_in_their_order(tmp_path, monkeypatch):
    recipe = tiny(tmp_path, "train.tensorboard=true")
    with pytest.raises(Stopped):
        train(recipe, reporting=Interrupting(8))
    shutil.rmtree(tmp_path / "run/checkpoints/step-00000008")  # steps are done again
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    train(recipe, reporting=Quiet())
    same_as_the_log(tmp_path / "run")

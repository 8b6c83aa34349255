"""What a training holds, written and read back."""

import pytest
import torch

from regard.checkpoints import CheckpointError
from regard.checkpoints.files import write_with_manifest
from regard.files import SaveError
from regard.training.run import state
from regard.training.run.state import (
    CheckpointStore,
    TrainingProgress,
    lock_run,
    read_optimiser_state,
)

MEMORY = {"weight:exp_avg": torch.arange(3.0)}


def model_files(beside):
    (beside / "config.json").write_text("{}")
    (beside / "model.safetensors").write_bytes(b"weights")


def saved(folder, *steps):
    checkpoints = CheckpointStore(folder / "checkpoints")
    for step in steps:
        checkpoints.save(TrainingProgress(step=step, best=0.1), MEMORY, model_files)
    return checkpoints


def test_the_latest_checkpoint_is_the_newest_that_is_whole(tmp_path):
    checkpoints = saved(tmp_path, 1, 2, 10)
    path, progress = checkpoints.latest()
    assert progress == TrainingProgress(step=10, best=0.1)
    assert torch.equal(read_optimiser_state(path)["weight:exp_avg"], MEMORY["weight:exp_avg"])


def damage_flip(path):
    data = bytearray((path / "optimiser.safetensors").read_bytes())
    data[-1] ^= 1
    (path / "optimiser.safetensors").write_bytes(data)


def damage_cut(path):
    with (path / "model.safetensors").open("r+b") as file:
        file.truncate(3)


def damage_gone(path):
    (path / "state.json").unlink()


def damage_no_sums(path):
    (path / "manifest.json").unlink()


@pytest.mark.parametrize("damage", [damage_flip, damage_cut, damage_gone, damage_no_sums])
def test_a_damaged_checkpoint_is_one_line_and_the_one_before_it_is_used(damage, tmp_path):
    checkpoints = saved(tmp_path, 1, 2)
    damage(checkpoints.path(2))
    lines = []
    _, progress = checkpoints.latest(lines.append)
    assert progress.step == 1
    assert len(lines) == 1
    assert "step-00000002" in lines[0]
    assert "\n" not in lines[0]


def test_no_checkpoint_is_none(tmp_path):
    assert CheckpointStore(tmp_path / "none").latest() is None


def test_a_save_that_fails_leaves_what_was_there(tmp_path):
    checkpoints = saved(tmp_path, 1)

    def full(beside):
        (beside / "config.json").write_text("{")
        raise OSError(28, "No space left on device")

    with pytest.raises(SaveError, match="No space left on device"):
        checkpoints.save(TrainingProgress(step=2), MEMORY, full)
    assert checkpoints.latest()[1].step == 1
    assert [path.name for path in checkpoints.folder.iterdir()] == ["step-00000001"]


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "checkpoints").write_text("in the way")
    with pytest.raises(SaveError, match="cannot be written"):
        saved(tmp_path, 1)


def test_a_checkpoint_can_be_written_again(tmp_path):
    saved(tmp_path, 3)
    checkpoints = CheckpointStore(tmp_path / "checkpoints")
    checkpoints.save(TrainingProgress(step=3, evaluated_step=3), MEMORY, model_files)
    assert checkpoints.latest()[1].evaluated_step == 3
    assert len(list(checkpoints.folder.iterdir())) == 1


def test_what_is_not_kept_goes_and_what_was_left_half_done_too(tmp_path):
    checkpoints = saved(tmp_path, 1, 2, 3)
    (checkpoints.folder / ".step-00000004.abc").mkdir()
    checkpoints.sweep()
    checkpoints.keep_only({2, 3})
    assert sorted(path.name for path in checkpoints.folder.iterdir()) == ["step-00000002", "step-00000003"]


def test_two_trainings_do_not_share_a_folder(tmp_path):
    with lock_run(tmp_path), pytest.raises(SaveError, match="another training"), lock_run(tmp_path):
        pass


def test_a_file_that_is_no_state_is_an_error(tmp_path):
    def odd(beside):
        model_files(beside)
        (beside / "optimiser.safetensors").write_bytes(b"")
        (beside / "state.json").write_text('{"stp": 1}')

    write_with_manifest(tmp_path / "step-00000001", odd)
    with pytest.raises(CheckpointError, match="no state of a training"):
        state.read_progress(tmp_path / "step-00000001")

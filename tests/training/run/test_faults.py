"""What the disk does to a run: full, read-only, damaged. One clear line, and the checkpoint before it is used."""

import errno
import itertools
import os
import resource
import shutil
import subprocess
import sys
import time

import pytest
from training.faults import before_changes, refuses
from training.forked import ended, fork
from training.run.test_session import everything
from training.tiny import tiny
from training.watching import Interrupting, Quiet

from regard.checkpoints import CheckpointError
from regard.errors import RegardError
from regard.files import SaveError
from regard.training import Stopped, train
from regard.training.run.state import CheckpointStore, read_progress

STEPS = ["train.steps=6", "train.save_every=2", "train.evaluate_every=4"]
REFUSED = 5


@pytest.fixture(scope="module")
def half(tmp_path_factory):
    """A folder with two runs of one recipe: `whole`, and one that was stopped after three steps."""
    folder = tmp_path_factory.mktemp("half")
    train(tiny(folder, *STEPS, f"run={folder / 'whole'}"), reporting=Quiet())
    with pytest.raises(Stopped):
        train(tiny(folder, *STEPS), reporting=Interrupting(3))
    return folder


@pytest.fixture
def run(half, tmp_path):
    """A copy of the stopped run."""
    shutil.copytree(half / "run", tmp_path / "run")
    return tmp_path / "run"


def trained_apart(run, half, prepare):
    """Go on with a run in a process of its own, in which something was prepared; how it ended, and its last line."""
    recipe, (here, there) = tiny(half, *STEPS, f"run={run}"), os.pipe()

    def work():
        prepare()
        try:
            train(recipe, reporting=Quiet())
        except RegardError as problem:
            os.write(there, str(problem).encode())
            return REFUSED
        return 0

    child = fork(work)
    os.close(there)
    with os.fdopen(here) as file:
        return ended(child), file.read()


def goes_on(run, half):
    """The run ends as if nothing had happened."""
    assert trained_apart(run, half, lambda: None) == (0, "")
    assert everything(run) == everything(half / "whole")


@pytest.fixture(scope="module")
def changes(half, tmp_path_factory):
    """How often the rest of the stopped run changes a file."""
    folder = tmp_path_factory.mktemp("changes")
    count, copy = folder / "count", folder / "run"
    shutil.copytree(half / "run", copy)

    def noted(number, is_sync):
        count.write_text(str(number))

    assert trained_apart(copy, half, lambda: before_changes(copy, noted))[0] == 0
    return int(count.read_text())


def refused(run, half, at, error):
    """The disk refuses every change from one on: one line, nothing lost, and later the run goes on."""
    before = CheckpointStore(run / "checkpoints").latest()[1].step
    code, line = trained_apart(run, half, lambda: refuses(run, at, error))
    if code == 0:
        return  # all that was left to do was tidying up
    assert code == REFUSED
    assert os.strerror(error) in line
    assert "\n" not in line
    assert str(run) in line
    assert CheckpointStore(run / "checkpoints").latest()[1].step >= before
    goes_on(run, half)


@pytest.mark.parametrize(("share", "error"), [(0.0, errno.EROFS), (0.3, errno.ENOSPC), (0.6, errno.ENOSPC)])
def test_what_the_disk_refuses_is_one_line_and_later_the_run_goes_on(share, error, run, half, changes):
    refused(run, half, 1 + int(share * changes), error)


@pytest.mark.proof
def test_whichever_change_the_disk_refuses_it_is_one_line_and_later_the_run_goes_on(run, half, changes, tmp_path):
    for at in range(1, changes + 1):
        shutil.copytree(run, tmp_path / str(at) / "run")
        refused(tmp_path / str(at) / "run", half, at, errno.ENOSPC)


@pytest.mark.parametrize("size", [100, 4000], ids=["the log", "the weights"])
def test_a_write_that_does_not_fit_is_one_line_and_later_the_run_goes_on(size, run, half):
    limit = (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1])  # the kernel refuses what would be longer
    code, line = trained_apart(run, half, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
    assert code == REFUSED
    assert "File too large" in line
    assert "\n" not in line
    assert CheckpointStore(run / "checkpoints").latest()[1].step == 3
    goes_on(run, half)


def flip(path, position):
    data = bytearray(path.read_bytes())
    data[position] ^= 1 << position % 8
    path.write_bytes(data)


FILES = ["config.json", "generation_config.json", "manifest.json", "model.safetensors", "optimiser.safetensors"]
FILES += ["README.md", "state.json", "tokenizer.json", "tokenizer_config.json"]


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_one_line_and_the_checkpoint_before_it_is_used(name, run):
    checkpoints = CheckpointStore(run / "checkpoints")
    newest = checkpoints.path(3)
    assert sorted(path.name for path in newest.iterdir()) == sorted(FILES)
    whole = (newest / name).read_bytes()
    for damage in (whole[:-2], whole[: len(whole) // 2], b"", whole + b"\0"):
        (newest / name).write_bytes(damage)
        found_before(checkpoints, name)
    for position in range(0, len(whole), len(whole) // 50 + 1):
        (newest / name).write_bytes(whole)
        flip(newest / name, position)
        found_before(checkpoints, name)


def found_before(checkpoints, name):
    lines = []
    assert checkpoints.latest(lines.append)[1].step == 2
    assert len(lines) == 1
    assert "step-00000003" in lines[0]
    assert "\n" not in lines[0]


def test_a_flipped_bit_of_the_sums_is_found_wherever_it_is(run):
    manifest = run / "checkpoints/step-00000003/manifest.json"
    whole = manifest.read_bytes()
    for position in range(0, len(whole), 7):
        manifest.write_bytes(whole)
        flip(manifest, position)
        with pytest.raises(CheckpointError):
            read_progress(manifest.parent)


def test_a_log_that_lost_its_end_costs_steps_and_nothing_else(run, half):
    with (run / "log.jsonl").open("r+b") as file:
        file.truncate(5)
    report = Quiet()
    train(tiny(half, *STEPS, f"run={run}"), reporting=report)
    assert report.steps == [1, 2, 3, 4, 5, 6]
    assert sum("log.jsonl" in line for line in report.lines) == 2  # of two checkpoints
    assert everything(run) == everything(half / "whole")


def test_a_checkpoint_that_was_being_replaced_comes_back(run):
    checkpoints = CheckpointStore(run / "checkpoints")
    around = checkpoints.folder / ".step-00000003.abcdefgh"
    around.mkdir()
    checkpoints.path(3).rename(around / "old")
    checkpoints.sweep()
    assert checkpoints.latest()[1].step == 3
    assert not list(checkpoints.folder.glob(".*"))


REAL = """
disk=$1 run=$2 result=$3; shift 3
mount -t tmpfs -o size=4m none "$disk" && cp -r "$run" "$disk/run"
cat /dev/zero > "$disk/ballast"; truncate -s -40K "$disk/ballast"  # room for the log, and not for a checkpoint
echo "full: $("$@" 2>&1 >/dev/null | tail -1)"
rm "$disk/ballast" && mount -o remount,ro "$disk"
echo "read-only: $("$@" 2>&1 >/dev/null | tail -1)"
mount -o remount,rw "$disk" && "$@" >&2 && cp -r "$disk/run" "$result"
"""


@pytest.mark.proof
def test_a_disk_that_is_really_full_or_read_only_is_one_line(half, tmp_path):
    inside = ["unshare", "--mount", "--map-root-user", "sh", "-c"]
    allowed = (
        shutil.which("unshare") and subprocess.run([*inside, 'mount -t tmpfs none "$0"', str(tmp_path)]).returncode == 0
    )
    if not allowed:
        pytest.skip("nobody here may mount a file system of their own")
    disk, result = tmp_path / "disk", tmp_path / "result"
    disk.mkdir()
    changes = [part for change in (*STEPS, f"run={disk}/run") for part in ("--set", change)]
    command = [sys.executable, "-m", "regard", "train", str(half / "recipe.toml"), *changes]
    told = ["sh", str(disk), str(half / "run"), str(result), *command]
    ran = subprocess.run([*inside, REAL, *told], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    full, read_only = ran.stdout.splitlines()
    assert full.startswith(f"full: regard: {disk}/run/checkpoints/step-")
    assert "No space left on device" in full
    assert read_only.startswith(f"read-only: regard: {disk}/run")
    assert "Read-only file system" in read_only
    assert everything(result) == everything(half / "whole")


def removed(run):
    shutil.rmtree(run)


def renamed(run):
    run.rename(run.with_name("elsewhere"))


def emptied(run):
    shutil.rmtree(run)
    run.mkdir()


def replaced(run):
    shutil.rmtree(run)
    run.write_text("in the way")


class Doing(Quiet):
    """Does something to the folder of a run after a step."""

    def __init__(self, run, step, act):
        super().__init__()
        self.run, self.at, self.act = run, step, act

    def step(self, step, values):
        super().step(step, values)
        if step == self.at:
            self.act(self.run)


@pytest.mark.parametrize(
    ("act", "board"), [(removed, "true"), (renamed, "false"), (emptied, "false"), (replaced, "false")]
)
def test_a_run_whose_folder_goes_while_it_trains_ends_with_one_line(act, board, run, half):
    recipe = tiny(half, *STEPS, f"run={run}", f"train.tensorboard={board}")
    with pytest.raises(SaveError, match=r"run/log.jsonl: (gone: the folder of the run|cannot be written)") as caught:
        train(recipe, reporting=Doing(run, 4, act))
    assert len(str(caught.value).splitlines()) == 1
    assert not (run / "checkpoints").exists()  # nothing that looks like a run is left behind
    if act is renamed:
        run.with_name("elsewhere").rename(run)
        goes_on(run, half)


def test_a_clock_that_is_set_back_changes_nothing(run, half, monkeypatch):
    seconds = itertools.count(2_000_000_000, -86_400)
    monkeypatch.setattr(time, "time", lambda: float(next(seconds)))
    for number, path in enumerate(sorted(run.rglob("*"))):
        os.utime(path, (4_000_000_000 - number, 4_000_000_000 - number))  # older files are newer, and all in the future
    train(tiny(half, *STEPS, f"run={run}"), reporting=Quiet())
    assert everything(run) == everything(half / "whole")


def test_of_two_starts_at_once_one_is_told_and_the_other_ends_as_if_alone(run, half):
    recipe, (here, there) = tiny(half, *STEPS, f"run={run}"), os.pipe()

    class Waiting(Quiet):
        """Does not go on until the other start was refused."""

        def step(self, step, values):
            if step == 4:
                os.read(here, 1)

    def first():
        train(recipe, reporting=Waiting())
        return 0

    child = fork(first)
    until = time.monotonic() + 60
    while not (run / "times.jsonl").read_text().count('"step": 4') and time.monotonic() < until:
        time.sleep(0.01)
    with pytest.raises(SaveError, match=r"run: another training is at work in this folder$"):
        train(recipe, reporting=Quiet())
    os.write(there, b".")
    assert ended(child) == 0
    assert everything(run) == everything(half / "whole")

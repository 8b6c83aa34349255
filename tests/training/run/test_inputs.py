"""A run knows what it reads by content: whatever changed is refused, or accepted, said and logged."""

import gzip
import os
import shutil
import signal
from pathlib import Path

import pytest
from training.forked import ended, fork
from training.run.test_session import everything
from training.tiny import tiny, write_pairs, write_recipe_file
from training.watching import Interrupting, Quiet

from regard.checkpoints import CheckpointError
from regard.text import DataError, cache
from regard.training import Stopped, read_recipe, train
from regard.training.data.readers import read_training_data
from regard.training.run.inputs import INPUTS, InputsChanged, RunInputs
from regard.training.run.log import read_log

STEPS = ["train.steps=6", "train.save_every=2", "train.evaluate_every=2", "train.log_every=1"]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A folder with a run that was stopped after three steps, and its data."""
    folder = tmp_path_factory.mktemp("stopped")
    with pytest.raises(Stopped):
        train(tiny(folder, *STEPS), reporting=Interrupting(3))
    return folder


@pytest.fixture
def home(stopped, tmp_path):
    """A copy of it that goes on with the copied data."""
    for name in ("run", "train.tsv", "valid.tsv"):
        copy = shutil.copytree if (stopped / name).is_dir() else shutil.copy2
        copy(stopped / name, tmp_path / name)
    for name in ("recipe.toml", INPUTS):
        path = tmp_path / "run" / name
        path.write_text(path.read_text().replace(str(stopped), str(tmp_path)))
    write_recipe_file(tmp_path)
    return tmp_path


def going_on(home, *changes, **options):
    """Go on with a run; what was said and done."""
    report = Quiet()
    train(read_recipe(home / "recipe.toml", [*STEPS, *changes]), reporting=report, **options)
    return report


def edited(path):
    path.write_bytes(path.read_bytes().replace(b"cat", b"cow"))
    return "bytes as then, and other content"


def edited_in_secret(path):
    """Of the same size and time."""
    times = path.stat()
    edited(path)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    return "bytes as then, and other content"


def cut(path):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 3]))
    return r"bytes then, [\d,]+ now"


def grown(path):
    with path.open("a") as file:
        file.write("the cat\tCAT THE\n")
    return r"bytes then, [\d,]+ now"


def swapped(path):
    """The lines of one file in another order."""
    path.write_bytes(b"".join(reversed(path.read_bytes().splitlines(keepends=True))))
    return "bytes as then, and other content"


CHANGES = [(edited, "train.tsv"), (edited_in_secret, "train.tsv"), (cut, "train.tsv"), (grown, "valid.tsv")]


@pytest.mark.parametrize(("change", "name"), [*CHANGES, (swapped, "train.tsv")])
def test_data_that_changed_is_refused_and_nothing_is_lost(change, name, home):
    difference, before = change(home / name), everything(home / "run")
    with pytest.raises(InputsChanged, match=rf"{name}: changed since .*: [\d,]+ {difference}") as caught:
        going_on(home)
    assert "\n" not in str(caught.value)
    assert everything(home / "run") == before


def test_data_that_was_put_back_is_the_same_data(home):
    content = (home / "train.tsv").read_bytes()
    cut(home / "train.tsv")
    (home / "train.tsv").write_bytes(content)
    os.utime(home / "train.tsv", (1, 1))  # a clock that was set back says nothing either
    assert going_on(home).steps == [4, 5, 6]


def test_a_change_that_is_accepted_is_said_logged_and_never_asked_about_again(home):
    cut(home / "train.tsv")
    report = going_on(home, "train.steps=5", accept_changed_data=True)
    assert report.steps == [4, 5]
    assert any("train.tsv" in line and "bytes then" in line for line in report.lines)
    logged = [line for line in read_log(home / "run") if "changed_data" in line]
    assert len(logged) == 1
    assert logged[0]["step"] == 3
    assert "train.tsv" in logged[0]["changed_data"]
    assert going_on(home).steps == [6]
    assert [line for line in read_log(home / "run") if "changed_data" in line] == logged


class Killed(Quiet):
    """Dies after the first step."""

    def step(self, step, values):
        os.kill(os.getpid(), signal.SIGKILL)


def test_an_accepted_change_is_in_the_log_though_the_run_is_killed_before_it_saves(home):
    cut(home / "train.tsv")
    shutil.copytree(home / "run", home / "whole")
    going_on(home, f"run={home / 'whole'}", accept_changed_data=True)
    recipe = read_recipe(home / "recipe.toml", STEPS)
    killed = fork(lambda: train(recipe, reporting=Killed(), accept_changed_data=True))
    assert ended(killed) == -signal.SIGKILL
    going_on(home)
    assert everything(home / "run") == everything(home / "whole")


def test_scores_of_other_data_are_no_measure_any_more(home):
    (home / "valid.tsv").write_text("the\tZEBRA\n" * 8)  # never seen: a loss above all before
    going_on(home, accept_changed_data=True)
    assert read_log(home / "run")[-1]["final"][0] > 3


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json"])
def test_a_tokenizer_that_changed_is_refused(name, home):
    path = home / "run/tokenizer" / name
    path.write_text(path.read_text() + "\n")
    with pytest.raises(InputsChanged, match=rf"tokenizer/{name}: changed since"):
        going_on(home)


def test_a_tokenizer_that_was_lost_is_made_again(home):
    shutil.rmtree(home / "run/tokenizer")
    assert going_on(home).steps == [4, 5, 6]


def test_a_start_model_that_changed_is_refused(stopped, tmp_path):
    start = tmp_path / "start"
    shutil.copytree(stopped / "run/checkpoints/step-00000003", start)
    recipe = tiny(tmp_path, *STEPS, f"start={start}")
    with pytest.raises(Stopped):
        train(recipe, reporting=Interrupting(1))
    (start / "manifest.json").unlink()
    with pytest.raises(InputsChanged, match=r"start/manifest.json: changed since .*: gone"):
        train(recipe, reporting=Quiet())


def test_a_run_from_before_records_its_data_and_goes_on(home):
    (home / "run" / INPUTS).unlink()
    assert going_on(home, "train.steps=5").steps == [4, 5]
    assert RunInputs.read(home / "run").files.keys() >= {str(home / "train.tsv"), "tokenizer/tokenizer.json"}
    cut(home / "train.tsv")
    with pytest.raises(InputsChanged):
        going_on(home)


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"files": {"a": 1}, "changes": []}', '{"files": 1, "changes": 2}']
)
def test_a_record_that_cannot_be_read_is_one_line(content, home):
    (home / "run" / INPUTS).write_text(content)
    with pytest.raises(CheckpointError, match=INPUTS):
        going_on(home)


def test_before_the_first_step_data_may_be_put_right_and_the_tokenizer_follows(tmp_path):
    recipe = tiny(tmp_path, "train.steps=1")
    data = tmp_path / "train.tsv"
    with data.open("a") as file:
        file.write("zebra\tZEBRA\n\tempty\n")
    with pytest.raises(DataError):
        train(recipe, reporting=Quiet())
    write_pairs(tmp_path)
    train(recipe, reporting=Quiet())
    assert "zebra" not in (Path(recipe.run) / "tokenizer/tokenizer.json").read_text()


def test_a_packed_file_is_known_by_its_bytes(tmp_path):
    write_pairs(tmp_path)
    packed = tmp_path / "train.tsv.gz"
    content = (tmp_path / "train.tsv").read_bytes()
    packed.write_bytes(gzip.compress(content, mtime=1))
    recipe = tiny(tmp_path, *STEPS, "data.train=train.tsv.gz", f"data.folder={tmp_path}")
    with pytest.raises(Stopped):
        train(recipe, reporting=Interrupting(1))
    packed.write_bytes(gzip.compress(content + content[:50], mtime=1))
    with pytest.raises(InputsChanged, match=r"train.tsv.gz: changed since"):
        train(recipe, reporting=Quiet())


def test_other_labels_than_those_of_the_checkpoint_are_one_line_even_if_accepted(tmp_path):
    lines = [f"the cat {number}\t{number % 2}\n" for number in range(20)]
    (tmp_path / "labels.tsv").write_text("".join(lines))
    changes = ["train.objective=classify", "data.train=labels.tsv", "data.valid=[]", "model.kind=encoder"]
    recipe = tiny(tmp_path, *STEPS, *changes)
    with pytest.raises(Stopped):
        train(recipe, reporting=Interrupting(1))
    (tmp_path / "labels.tsv").write_text("".join([*lines, "the dog\tother\n"]))
    with pytest.raises(CheckpointError, match=r"step-00000001: .*\[2.*\], and the data asks for \[3"):
        train(recipe, reporting=Quiet(), accept_changed_data=True)


def test_data_that_changes_while_it_is_read_is_not_kept(tmp_path, monkeypatch):
    recipe, write = tiny(tmp_path), cache.write

    def disturbed(*arguments):
        write(*arguments)
        grown(tmp_path / "train.tsv")

    monkeypatch.setattr(cache, "write", disturbed)
    with pytest.raises(DataError, match=r"train.tsv: changed while it was read"):
        train(recipe, reporting=Quiet())
    assert not list((tmp_path / "run/cache").iterdir())


OBJECTIVES = {
    "translate": [],
    "next-token": ["data.train=valid.tsv", "data.valid=[]", "model.kind=decoder", "model.max_positions=16"],
}


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("workers", [0, 2])
def test_a_token_cache_that_is_cut_while_it_is_in_use_is_one_line(objective, workers, tmp_path):
    told = [*OBJECTIVES[objective], f"train.objective={objective}", f"train.workers={workers}", "train.steps=500"]
    recipe = tiny(tmp_path, *told)

    class Cutting(Quiet):
        def step(self, step, values):
            if step == 2:
                for path in Path(recipe.run).glob("cache/*/*.tokens.npy"):
                    os.truncate(path, 0)

    def work():
        with pytest.raises(DataError, match=r"\.tokens\.npy: cut short while in use"):
            train(recipe, reporting=Cutting())
        return 0

    assert ended(fork(work)) == 0
    assert read_training_data(recipe, Path(recipe.run), print).sampler.count(0)  # made anew

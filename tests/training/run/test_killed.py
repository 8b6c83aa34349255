"""kill -9 at random moments, inside saves too: whoever starts again ends with the same bits."""

import json
import os
import random
import shutil
import signal
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import pytest
from tokenizers import Tokenizer
from training.faults import before_changes, dies
from training.forked import end_others, ended, fork, send_after, together
from training.run.test_session import everything
from training.tiny import tiny
from training.watching import Quiet

from regard.training import train
from regard.training.data.batch_source import BatchSource
from regard.training.run.processes import ProcessLost
from regard.training.run.state import CheckpointStore

LOST = 4
CHANGES = ["train.steps=12", "train.save_every=2", "train.evaluate_every=4"]


class Killing:
    """A run that is killed again and again, and what its processes learned from."""

    def __init__(self, folder, *changes):
        folder.mkdir()
        self.recipe = tiny(folder, *CHANGES, *changes)
        self.run, self.notes = Path(self.recipe.run), folder / "notes.jsonl"
        self.checkpoints = CheckpointStore(self.run / "checkpoints")

    def train(self):
        """Train to the end, and note every batch that is learned from."""
        real = BatchSource.__getitem__

        def noted(feed, number):
            batch = real(feed, number)
            with self.notes.open("a") as file:
                file.write(json.dumps([os.getpid(), number, batch.source.tolist()]) + "\n")
            return batch

        with patch.object(BatchSource, "__getitem__", noted):
            train(self.recipe, reporting=Quiet())
        return 0

    def start(self, prepare=lambda: None):
        """A process of its own that trains; its number."""
        return fork(lambda: prepare() or self.train())

    def killed(self, seconds=None, change=None):
        """Train until it is killed, once it has computed so long or before a change to its files; False if it ended."""
        before = self.step()
        child = self.start(lambda: change and dies(self.run, change))
        if seconds is not None:
            send_after(child, seconds, signal.SIGKILL)
        code = ended(child)
        assert code in (0, -signal.SIGKILL)
        assert self.step() >= before
        first = next((number for process, number, _ in self.noted() if process == child), None)
        assert first in (None, max(before, 0))  # it went on where it was, however it ended
        return code != 0

    def step(self):
        found = self.checkpoints.latest()
        return -1 if found is None else found[1].step

    def is_in_a_save(self):
        return any(self.run.glob("checkpoints/.step-*/new"))

    def noted(self):
        lines = self.notes.read_text().split("\n")[:-1] if self.notes.exists() else []
        return [json.loads(line) for line in lines]

    def again(self):
        """From the beginning."""
        shutil.rmtree(self.run)
        self.notes.unlink()

    def epochs(self):
        """How often all samples were learned from, each of them once before any comes again."""
        batches = {}
        for _, number, rows in self.noted():
            assert batches.setdefault(number, rows) == rows  # a step that is done again is the same step
        assert sorted(batches) == list(range(self.recipe.train.steps))
        words = Tokenizer.from_file(str(self.run / "tokenizer/tokenizer.json"))
        file = (self.run.parent / "train.tsv").read_text()
        whole = Counter(line.split("\t")[0] for line in file.splitlines())
        count, left = 0, Counter(whole)
        for number in sorted(batches):
            for row in batches[number]:
                text = words.decode(row)
                assert left[text] > 0
                left[text] -= 1
            if not left.total():
                count, left = count + 1, Counter(whole)
        return count


def killed_again_and_again(folder, kills, workers):
    """Half of the kills come at some time, the others before some change to a file; some of them are in a save."""
    whole, run = Killing(folder / "whole"), Killing(folder / "killed", f"train.workers={workers}")
    whole.train()  # in this process: its children find everything imported
    seconds, changes = cost(run)
    chance = random.Random(kills + workers)
    count = saves = 0
    while count < kills or saves < kills // 5:
        if count % 2:
            was_killed = run.killed(change=chance.randint(1, changes // 3))
        else:
            was_killed = run.killed(seconds=chance.uniform(0.05, 0.5) * seconds)
        count += was_killed
        saves += was_killed and run.is_in_a_save()
        if not was_killed:
            ends_as(run, whole)
            run.again()
    assert ended(run.start()) == 0
    ends_as(run, whole)
    print(f"{count} kills, {saves} of them in a save")


def cost(run):
    """How many seconds a whole run computes, and how often it changes a file."""
    counter = run.run.parent / "changes"

    def count(number, is_sync):
        counter.write_text(str(number))

    _, status, used = os.wait4(run.start(lambda: before_changes(run.run, count)), 0)
    assert status == 0
    run.again()
    return used.ru_utime + used.ru_stime, int(counter.read_text())


def ends_as(run, whole):
    """To the bit, with every sample seen exactly once an epoch, and with nothing left lying about."""
    assert everything(run.run) == everything(whole.run)
    assert run.epochs() == whole.epochs() >= 2
    left = [path.name for folder in (run.run, run.checkpoints.folder) for path in folder.glob(".*")]
    assert left == [".lock"]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_killed_run_ends_as_if_nothing_had_happened(workers, tmp_path):
    killed_again_and_again(tmp_path, kills=5, workers=workers)


@pytest.mark.proof
@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_that_is_killed_sixty_times_ends_as_if_nothing_had_happened(workers, tmp_path):
    killed_again_and_again(tmp_path, kills=60, workers=workers)


def killed_before(folder, changes, count):
    """Whichever change to its files a run is killed before, it goes on from there; `count` of them are tried."""
    whole, run = Killing(folder / "whole"), Killing(folder / "killed")
    whole.train()
    _, last = cost(run)
    for change in changes(last)[:count]:
        assert run.killed(change=change), change
        assert ended(run.start()) == 0, change
        ends_as(run, whole)
        run.again()
    return last


def test_a_run_that_is_killed_before_a_change_to_its_files_ends_as_if_it_was_not(tmp_path):
    killed_before(tmp_path, lambda last: [last // 3, last], count=2)


@pytest.mark.proof
def test_a_run_that_is_killed_before_whichever_change_to_its_files_ends_as_if_it_was_not(tmp_path):
    last = killed_before(tmp_path, lambda last: range(1, last + 1), count=None)
    print(f"killed before each of {last} changes")


def processes_killed(folder, kills):
    """Two processes; one of them or both are killed at some time, or the first before some change to a file."""
    folder.mkdir(exist_ok=True)
    whole, killed = (tiny(folder, *CHANGES, f"run={folder / name}") for name in ("whole", "killed"))
    run, chance = Path(killed.run), random.Random(kills)
    train(tiny(folder, *CHANGES, f"run={folder / 'imported'}", "train.steps=1"), reporting=Quiet())

    def trained(recipe, change=None, meanwhile=lambda children: None):
        def work(rank):
            if change and rank == 0:
                dies(recipe.run, change)
            try:
                train(recipe, reporting=Quiet())
            except ProcessLost:
                return LOST
            return 0

        return together(work, meanwhile=meanwhile)

    began = os.times().children_user
    assert trained(whole) == [0, 0]
    seconds = (os.times().children_user - began) / 2
    count = saves = 0
    while count < kills:
        victims, moment = chance.sample([0, 1], chance.randint(1, 2)), chance.uniform(0.05, 1) * seconds

        def kill(children, victims=victims, moment=moment):
            send_after(children[victims[0]], moment, signal.SIGKILL, [children[rank] for rank in victims])
            end_others(children)

        if count % 2:
            codes = trained(killed, change=chance.randint(1, 60), meanwhile=end_others)
        else:
            codes = trained(killed, meanwhile=kill)
        assert set(codes) <= {0, LOST, -signal.SIGKILL}
        count += -signal.SIGKILL in codes
        saves += -signal.SIGKILL in codes and any(run.glob("checkpoints/.step-*/new"))
        if codes == [0, 0]:
            assert everything(run) == everything(whole.run)
            shutil.rmtree(run)
    assert trained(killed) == [0, 0]
    assert everything(run) == everything(whole.run)
    print(f"{count} kills of two processes, {saves} of them in a save")


def test_two_processes_that_are_killed_end_as_if_nothing_had_happened(tmp_path):
    processes_killed(tmp_path, kills=2)


@pytest.mark.proof
def test_two_processes_that_are_killed_eighty_times_end_as_if_nothing_had_happened(tmp_path):
    processes_killed(tmp_path, kills=80)

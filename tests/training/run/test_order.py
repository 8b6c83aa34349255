"""A power cut loses nothing that was promised: write, sync, rename, sync. Seen in the process, and by the kernel."""

import os
import re
import shutil
import subprocess
from itertools import groupby
from pathlib import Path

import pytest
from training.forked import ended, fork
from training.tiny import tiny
from training.watching import Quiet

from regard.training import train

STEPS = ["train.steps=4", "train.save_every=2", "train.log_every=1"]


PLACES = [*(f"step-{step:08d}" for step in (0, 2, 4)), "model"]


def is_placed(old, new):
    """Whether a folder that was filled beside its place is put there."""
    return Path(old).name == "new" and Path(new).name in PLACES


def test_a_process_writes_syncs_renames_and_syncs(tmp_path, monkeypatch):
    left = {}  # what a power cut leaves of a file, or of the names in a folder
    happened, log = [], tmp_path / "run/log.jsonl"
    sync, rename = os.fsync, os.rename

    def content(path):
        return sorted(os.listdir(path)) if path.is_dir() else path.read_bytes()

    def noted_sync(number):
        path = Path(os.readlink(f"/proc/self/fd/{number}"))
        left[os.fstat(number).st_ino] = content(path)
        happened.append(("sync", path))
        sync(number)

    def noted_rename(old, new):
        if is_placed(old, new):
            happened.append(("placed", Path(new)))
            for path in (Path(old), *Path(old).iterdir(), log):
                assert left[path.stat().st_ino] == content(path), path
        rename(old, new)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(os, "rename", noted_rename)
    train(tiny(tmp_path, *STEPS), reporting=Quiet())
    placed = [number for number, (what, _) in enumerate(happened) if what == "placed"]
    assert [happened[number][1].name for number in placed] == PLACES
    assert [happened[number + 1] for number in placed] == [("sync", happened[number][1].parent) for number in placed]
    for path in (log, tmp_path / "run/recipe.toml", *(tmp_path / "run/tokenizer").iterdir()):
        assert left[path.stat().st_ino] == content(path), path


CALLS = "write,writev,pwrite64,sendfile,ftruncate,fsync,fdatasync,rename,renameat,renameat2"
LINE = re.compile(r'\d+ +(?:(?P<call>\w+)\(\d+<(?P<file>[^>]+)>|rename\w*\(.*?"(?P<old>[^"]+)".*?"(?P<new>[^"]+)")')


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not on PATH")
def test_the_kernel_sees_writes_syncs_renames_and_syncs(tmp_path):
    recipe, trace = tiny(tmp_path, *STEPS), tmp_path / "trace"
    here, there = os.pipe()

    def work():
        os.close(there)
        os.read(here, 1)  # until strace watches
        train(recipe, reporting=Quiet())
        return 0

    child = fork(work)
    command = ["strace", "-f", "-y", "-s", "0", "-e", f"trace={CALLS}", "-o", str(trace), "-p", str(child)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as strace:
        said = strace.stderr.readline()
        os.close(there)
        code = ended(child)
    if "attached" not in said:
        pytest.skip(f"strace may not watch: {said.strip()}")
    assert code == 0
    events = [event_of(found) for found in map(LINE.match, trace.read_text().splitlines()) if found]
    placed = promised(events, Path(recipe.run) / "log.jsonl")
    assert [name for name, _ in groupby(placed)] == PLACES  # the last step is saved before and after its evaluation


def event_of(found):
    if found["old"]:
        return "rename", Path(found["old"]), Path(found["new"])
    return ("sync" if "sync" in found["call"] else "write"), Path(found["file"]), None


def promised(events, log):
    """Check what happened, in the order of time; the places that folders were put in.

    Before a folder gets its place, all that was written into it is on the disk, the names in it too, and what was
    logged until then; and nothing happens between that and the sync of its name.
    """
    unsynced, placed = set(), []
    for number, (what, path, place) in enumerate(events):
        if what == "write":
            unsynced |= {path, path.parent}
        elif what == "sync":
            unsynced.discard(path)
        else:
            if is_placed(path, place):
                assert not [file for file in unsynced if file == log or file.is_relative_to(path)], place
                assert events[number + 1] == ("sync", place.parent, None)
                placed.append(place.name)
            moved = {file for file in unsynced if file.is_relative_to(path)}
            unsynced -= moved
            unsynced |= {place / file.relative_to(path) for file in moved} | {path.parent, place.parent}
    return placed

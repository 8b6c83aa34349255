"""A big file through `regard translate`: its first lines at once, and killed again and again it ends as if it had not.

The proof is of 100,000 lines and ten kills (`pytest -m proof tests/cli/test_big_files.py`), or of as many lines as
REGARD_FILE_LINES says.
"""

import os
import random
import signal
import subprocess
import sys
import time

import pytest
from builtin.shipped import loaded
from shared import shared

from regard.text.lines import read_lines

SOON = 2.0  # seconds from the model being loaded to the first line
LATEST = 1.5  # seconds from some lines being there to the kill: anywhere between two chunks
LONGEST = 7200
PROOF_LINES = int(os.environ.get("REGARD_FILE_LINES", "100000"))


def write_lines(path, count):
    """Lines of Tatoeba, again and again where there are not enough."""
    source = shared("tatoeba-en-de/train.tsv.xz")
    lines = [line.split("\t")[0] for line, _ in zip(read_lines(source), range(count), strict=False)]
    path.write_text("".join(f"{lines[number % len(lines)]}\n" for number in range(count)), encoding="utf-8")


def translate(source, target, *options):
    arguments = ["translate", "--beam", "1", "--input", str(source), "--output", str(target), *options]
    return subprocess.Popen([sys.executable, "-m", "regard", *arguments], stderr=subprocess.DEVNULL)


def killed(source, target, lines, wait, *options):
    """A command that is killed some seconds after its file has so many lines; how long the first ones took."""
    before = target.stat().st_size if target.exists() else None
    process, opened, seconds = translate(source, target, "--resume", *options), None, None
    try:
        while process.poll() is None:
            size = target.stat().st_size if target.exists() else None
            if opened is None and size is not None:  # it is opened when the model is there
                opened = time.monotonic()
            if seconds is None and size is not None and size > (before or 0):
                seconds = time.monotonic() - (opened or time.monotonic())
            if size and target.read_bytes().count(b"\n") >= lines:
                time.sleep(wait)
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == -signal.SIGKILL  # and not done before
    return seconds


def compare(folder, count, kills, *options, latest=LATEST):
    """The same file in one run, and in as many as there are kills and one; seconds to the first line."""
    loaded("en-de")  # the engine is built
    source, whole, parts = folder / "source.txt", folder / "whole.txt", folder / "parts.txt"
    write_lines(source, count)
    assert translate(source, whole, *options).wait(LONGEST) == 0
    draw = random.Random(7)
    at = sorted(draw.randrange(1, max(2, int(count * 0.7))) for _ in range(kills))
    seconds = [killed(source, parts, lines, draw.uniform(0, latest), *options) for lines in at]
    parts.write_bytes(parts.read_bytes()[:-3])  # a line that was cut
    assert translate(source, parts, "--resume", *options).wait(LONGEST) == 0
    assert whole.read_bytes().count(b"\n") == count
    assert parts.read_bytes() == whole.read_bytes()
    return seconds[0]


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is killed by a signal there")
def test_a_file_that_is_killed_and_resumed_is_the_same(tmp_path):
    compare(tmp_path, 400, 1, latest=0)


@pytest.mark.proof
@pytest.mark.parametrize("options", [(), ("--processes", "2")], ids=["one process", "two"])
def test_a_big_file_killed_ten_times_is_the_same(tmp_path, capsys, options):
    seconds = compare(tmp_path, PROOF_LINES, 10, *options)
    with capsys.disabled():
        print(f"{PROOF_LINES} lines, the first after {seconds:.2f} s")
    if not options:  # with several the model is loaded after the file is opened
        assert seconds <= SOON

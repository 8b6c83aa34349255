"""Files of lines on a Ray cluster: whatever happens to its workers, the output is that of one process.

Also tests: cli/ray_chunks.py.
"""

import importlib.util
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from regard.cli.main import regard

HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed: pip install 'regard[ray]'")
QUICK = ("--beam", "1", "--max-new-tokens", "6", "--no-protect")


def command(*arguments):
    return [sys.executable, "-m", "regard", "translate", *QUICK, *map(str, arguments)]


def write_lines(file, count):
    things = ["apples", "dogs", "books", "friends", "", "questions", "children", "houses", "trees"]
    file.write_text("".join(f"{number} {things[number % 9]}\n" for number in range(count)), encoding="utf-8")
    return file


def workers(driver):
    """The processes that a cluster of this driver's own has for chunks."""
    return [
        child
        for child in psutil.Process(driver.pid).children(recursive=True)
        if any("ChunkWorker" in part for part in child.cmdline())
    ]


@needs_ray
@pytest.mark.proof
@pytest.mark.parametrize("count", [3_000, 100_000])
def test_a_worker_that_is_killed_in_the_middle_of_a_file_is_not_seen_in_the_output(tmp_path, count):
    source, other = write_lines(tmp_path / "a.txt", count), write_lines(tmp_path / "b.txt", 50)
    out, alone = tmp_path / "out", tmp_path / "alone.txt"
    with subprocess.Popen(command("--ray", source, other, "--out", out, "--processes", "2")) as driver:
        until = time.monotonic() + 3600
        while not (out / "a.txt").exists() or not (out / "a.txt").stat().st_size:
            assert driver.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        killed = workers(driver)[0]
        killed.kill()
        assert (out / "a.txt").read_bytes().count(b"\n") < count  # it was in the middle
        assert driver.wait(3600) == 0
    assert not killed.is_running()
    subprocess.run(command("--input", source, "--output", alone), check=True)
    lines = (out / "a.txt").read_bytes().splitlines()
    assert len(set(lines)) > 0.9 * count  # so that one in the wrong place would be seen
    assert lines == alone.read_bytes().splitlines()
    assert (out / "b.txt").read_bytes().count(b"\n") == 50


@needs_ray
@pytest.mark.proof
def test_a_run_that_was_ended_is_gone_on_with(tmp_path):
    source, out = write_lines(tmp_path / "a.txt", 300), tmp_path / "out"
    alone = tmp_path / "alone.txt"
    subprocess.run(command("--input", source, "--output", alone), check=True)
    whole = alone.read_bytes()
    out.mkdir()
    (out / "a.txt").write_bytes(whole[: whole.index(b"\n") + 4])  # a line, and a part of one
    subprocess.run(command("--ray", source, "--out", out, "--processes", "1"), check=True)
    assert (out / "a.txt").read_bytes() == whole


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--ray", "a.txt"], "--ray goes with --out DIR"),
        (["--out", "o", "a.txt"], "--out with --ray"),
        (["--ray", "--out", "o"], "--ray needs files of lines"),
        (["--ray", "--out", "o", "a.txt", "--markup", "html"], "--ray goes without --markup"),
        (["--ray", "--out", "o", "none.txt"], "none.txt: no such file"),
        (["--ray", "--out", "o", "page.html"], "page.html: --ray is for files of lines"),
        (["--ray", "--out", ".", "a.txt"], "a.txt is in ., where its translation would be"),
        (["--ray", "--out", "o", "a.txt", "b/a.txt"], "a.txt and b/a.txt would both be o/a.txt"),
    ],
)
def test_what_cannot_be_meant_is_one_line(tmp_path, monkeypatch, arguments, line):
    monkeypatch.chdir(tmp_path)
    Path("b").mkdir()
    for name in ("a.txt", "page.html", "b/a.txt"):
        Path(name).write_text("Yes.\n")
    result = CliRunner().invoke(regard, ["translate", *arguments])
    assert result.exit_code
    assert line in f"{result.output} {result.exception}"
    assert not Path("o").exists()


@pytest.mark.skipif(HAS_RAY, reason="Ray is installed")
def test_without_ray_one_line_says_how_to_get_it(tmp_path):
    source = write_lines(tmp_path / "a.txt", 1)
    ended = subprocess.run(
        command("--ray", source, "--out", tmp_path / "out"), capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr.strip().endswith("--ray needs Ray: pip install 'regard[ray]'")

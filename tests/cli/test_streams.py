"""Whatever happens to standard output, what is there is whole lines, and the reason is one line."""

import io
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from regard.cli.streams import OutputError, WholeLines, open_output, whole_output

ROOM = 4096
PRINTS = """
import sys, click
from regard.cli import main
@main.regard.command("prints")
def prints():
    for number in range(1000):
        click.echo(f"{number} " + "word " * 20)
main.COMMANDS.clear()
main.Commands.get_command = lambda self, ctx, name: prints
sys.argv = ["regard", "prints"]
main.main()
"""


def run(code: str, **settings) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, timeout=60, **settings)


def with_little_room() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


def check_one_line(result: subprocess.CompletedProcess, reason: str) -> None:
    assert result.returncode == 1
    assert result.stderr.startswith("regard: standard output: cannot be written: ")
    assert reason in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_file_that_is_full_ends_in_a_whole_line(tmp_path):
    path = tmp_path / "out"
    with path.open("w") as file:
        result = run(PRINTS, stdout=file, preexec_fn=with_little_room)
    check_one_line(result, "File too large")
    lines = path.read_text().split("\n")
    assert lines.pop() == ""
    assert lines == [f"{number} " + "word " * 20 for number in range(len(lines))]
    assert ROOM - 130 < path.stat().st_size <= ROOM


def test_what_was_in_the_file_before_stays(tmp_path):
    path = tmp_path / "out"
    path.write_text("before, without a line break")
    with path.open("a") as file:
        check_one_line(run(PRINTS, stdout=file, preexec_fn=with_little_room), "File too large")
    assert path.read_text().startswith("before, without a line break0 word ")
    assert path.read_text().endswith("word \n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_device_is_one_line():
    with open("/dev/full", "w") as full:
        check_one_line(run(PRINTS, stdout=full), "No space left on device")


def test_a_closed_standard_output_is_one_line():
    check_one_line(run(PRINTS, preexec_fn=lambda: os.close(1)), "Bad file descriptor")


def test_a_closed_standard_error_does_no_harm(tmp_path):
    code = f"import os, subprocess, sys; os.close(2); os.execv(sys.executable, [sys.executable, '-c', {PRINTS!r}])"
    result = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, timeout=60)
    assert result.returncode == 0
    assert len(result.stdout.splitlines()) == 1000


def test_a_reader_that_has_enough_is_no_fault():
    reader = subprocess.Popen([sys.executable, "-c", PRINTS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert reader.stdout is not None
    assert reader.stderr is not None
    with reader.stdout, reader.stderr:
        reader.stdout.close()
        assert reader.stderr.read() == ""
    assert reader.wait(60) != 0


def test_an_output_file_holds_whole_lines_and_is_named(tmp_path):
    code = f"""
from regard.cli.streams import open_output
with open_output({str(tmp_path / "out")!r}) as write:
    for number in range(1000):
        write([f"{{number}} " + "word " * 20])
"""
    result = run(code, preexec_fn=with_little_room)
    assert f"{tmp_path / 'out'}: cannot be written: File too large" in result.stderr
    assert (tmp_path / "out").read_text().endswith("word \n")


def test_a_folder_cannot_be_written_to(tmp_path):
    with pytest.raises(OutputError, match=f"{tmp_path}: cannot be written: Is a directory"), open_output(str(tmp_path)):
        pass


def test_after_a_failure_nothing_more_is_written():
    reading, writing = os.pipe()
    os.close(reading)
    stream = io.BufferedWriter(WholeLines(writing, "a pipe"))
    stream.write(b"one\n")
    with pytest.raises(BrokenPipeError):
        stream.flush()
    stream.close()  # tries once more, and would fail again
    os.close(writing)


def test_the_streams_are_put_back():
    before = sys.stdout, sys.stderr
    with whole_output():
        assert sys.stdout is not before[0]
    assert (sys.stdout, sys.stderr) == before

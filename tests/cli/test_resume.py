"""A file of answers is written on where it ended; packed files in whole members; chunks in processes, in order.

Also tests: cli/processes.py, cli/documents.py.
"""

import gzip
import lzma
import random
from functools import partial

import pytest
from click.testing import CliRunner

from regard.cli.main import regard as command_line
from regard.cli.processes import AnsweredChunk, in_processes
from regard.cli.resume import resume_point, skip_texts
from regard.cli.streams import open_output
from regard.cli.texts import TextChunk
from regard.errors import RegardError

TEXTS = [f"text {number}" for number in range(60)]
OPENERS = {"": open, ".gz": gzip.open, ".xz": lzma.open}


def chunks(sizes):
    first = 0
    for size in sizes:
        yield TextChunk(TEXTS[first : first + size], first + 1, 0)
        first += size


def lines_of(chunk, ways):
    numbered = enumerate(chunk.texts, chunk.first)
    return [f"{number}\t{way}\t{text}" if ways > 1 else text for number, text in numbered for way in range(ways)]


def answer(file, ways, point, stop=None):
    """Answer all texts, or only some chunks of them."""
    with open_output(str(file), point and point.bytes) as write:
        for number, chunk in enumerate(skip_texts(chunks([4, 16, 20, 20]), point.texts if point else 0, str(file))):
            if number == stop:
                return
            write(lines_of(chunk, ways))


@pytest.mark.parametrize("ways", [1, 3])
@pytest.mark.parametrize("suffix", OPENERS)
def test_killed_anywhere_and_resumed_it_is_the_same(tmp_path, suffix, ways):
    whole, file = tmp_path / f"whole{suffix}", tmp_path / f"part{suffix}"
    answer(whole, ways, None)
    with OPENERS[suffix](whole, "rt") as text:
        expected = text.read()
    assert expected.count("\n") == len(TEXTS) * ways
    draw = random.Random(1)
    for stop in range(5):
        answer(file, ways, None, stop)
        data = file.read_bytes()
        file.write_bytes(data[: draw.randint(0, len(data))])  # as a kill leaves it
        for again in (1, None):
            answer(file, ways, resume_point(str(file), is_numbered=ways > 1), again)
        with OPENERS[suffix](file, "rt") as text:
            assert text.read() == expected
        if not suffix:
            assert file.read_bytes() == whole.read_bytes()


def test_answers_of_another_input_are_told(tmp_path):
    file = tmp_path / "long"
    file.write_text("line\n" * 100)
    with pytest.raises(RegardError, match="100 answers, the input 60 texts"):
        answer(file, 1, resume_point(str(file)))
    file.write_text("no number\n")
    with pytest.raises(RegardError, match="a number, a score and a text expected"):
        resume_point(str(file), is_numbered=True)
    assert resume_point(str(tmp_path / "none")).texts == 0


def shouting(chunk, report=None):
    return AnsweredChunk(chunk, [text.upper() for text in chunk.texts], [])


def make_shouting():
    return shouting


def test_processes_keep_the_order():
    answered = list(in_processes(chunks([4, 16, 20, 20]), make_shouting, 2))
    assert [line for one in answered for line in one.lines] == [text.upper() for text in TEXTS]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--resume", "a"], "--resume is for lines"),
        (["--resume"], "--resume needs --output"),
        (["--input", "p.html", "--json"], "without --json"),
        (["--format", "html", "a"], "--input"),
        (["--format", "pdf", "a"], "is not one of"),
    ],
)
def test_wrong_usage_is_told(tmp_path, monkeypatch, arguments, told):
    monkeypatch.chdir(tmp_path)
    run = partial(CliRunner().invoke, command_line)
    result = run(["translate", *arguments], input="x\n")
    assert result.exit_code == 2
    assert told in result.output


def test_a_file_that_is_not_of_its_format_is_one_line(tmp_path):
    file = tmp_path / "x.xlf"
    file.write_text("no XML")
    result = CliRunner().invoke(command_line, ["translate", "--input", str(file)])
    assert isinstance(result.exception, RegardError)
    assert str(result.exception).startswith(f"{file}: XML expected")

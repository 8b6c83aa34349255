"""A line of a hundred thousand letters ends in an answer or in one line, whether or not the model sets a limit."""

import pytest
from checkpoints.damage.sound import BEFORE, sound_folder
from click.testing import CliRunner

from regard.cli.main import regard as command_line
from regard.errors import RegardError
from regard.tasks.processors.processor import LONGEST_TEXT

LINES = {"one word": "a" * 100_000, "words": "the dog " * 25_000, "gaps": "[MASK] " * 25_000}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a small model, made once."""
    beside = tmp_path_factory.mktemp("long")

    def made(name):
        if not (beside / name).is_dir():
            (beside / name).mkdir()
            for file, content in sound_folder(name, BEFORE / name).files.items():
                (beside / name / file).write_bytes(content)
        return str(beside / name)

    return made


def run(*arguments):
    """What a command says: its answer, or the one line of its error."""
    ran = CliRunner().invoke(command_line, list(arguments))
    if ran.exception is not None:
        assert isinstance(ran.exception, RegardError), ran.exception
        assert "\n" not in str(ran.exception)
    return ran.output if ran.exception is None else str(ran.exception)


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
@pytest.mark.parametrize(
    "command",
    [
        "fill --model bert",
        "classify --model bert-labels",
        "classify --cut --model gpt2-labels",
        "embed --model t5-encoder",
    ],
)
def test_one_long_text(folder, command, line):
    *command, name = command.split()
    said = run(*command, folder(name), line)
    assert said
    if "--cut" in command:
        assert "LABEL_" in said
    elif line.split()[1:]:
        assert "tokens, the model reads at most" in said or "has no gap" in said


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
@pytest.mark.parametrize("name", ["gpt2", "bert", "t5", "marian", "regard-alignment-general"])
def test_long_lines_of_data(folder, name, line, tmp_path):
    is_pair = name not in ("gpt2", "bert")
    (tmp_path / "data.tsv").write_text(f"{line}\t{line}\n" if is_pair else f"{line}\n")
    assert run("heads", folder(name), str(tmp_path / "data.tsv"))
    if not is_pair:
        assert "unit" in run("memories", folder(name), str(tmp_path / "data.tsv"))


def test_a_model_without_a_limit_reads_what_can_be_waited_for(folder):
    said = run("embed", "--model", folder("t5-encoder"), "the " * (LONGEST_TEXT + 1))
    assert f"{LONGEST_TEXT + 3} tokens, the model reads at most {LONGEST_TEXT}" in said

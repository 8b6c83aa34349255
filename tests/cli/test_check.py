"""`regard check`, as it is typed."""

import json
import sys

import pytest
from click.testing import CliRunner

from regard.cli import main as cli
from regard.cli.main import regard as command


def run(*arguments):
    return CliRunner().invoke(command, ["check", *map(str, arguments)])


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.en").write_text("The dog sleeps.\nThe cat\nBerlin\n")
    (tmp_path / "a.de").write_text("Der Hund schläft.\nDie Katze\nBerlin\n")
    return tmp_path / "a.en", tmp_path / "a.de"


def test_warnings_are_printed_with_their_lines_and_end_well(files):
    ran = run(*files)
    assert ran.exit_code == 0
    assert ran.output == (
        f"{files[0]}: 3 lines\n{files[1]}: 3 lines\n"
        "warning  same         1: source and target are the same\n"
        f"                      {files[0]}:3\n"
    )


def test_faults_end_with_1(files):
    files[1].write_text("Der Hund schläft.\n")
    ran = run(*files)
    assert ran.exit_code == 1
    assert f"fault    unequal      2: lines without a partner in the other file\n{'':22}{files[0]}:2, …\n" in ran.output


def test_json_says_the_same(files):
    told = json.loads(run(*files, "--json").output)
    assert (told["files"], told["lines"]) == ([str(file) for file in files], [3, 3])
    assert [(finding["kind"], finding["count"], finding["stops"]) for finding in told["findings"]] == [
        ("same", 1, False)
    ]
    files[0].write_bytes(b"\xff\n")
    assert run(*files, "--json").exit_code == 1


def test_limits_can_be_set(files):
    assert "long         1: lines longer than 10 characters" in run(files[0], "--longest", "10").output
    assert "nothing found" in run(files[0]).output


def test_three_files_are_wrong_usage(files):
    ran = run(*files, files[0])
    assert ran.exit_code == 2
    assert "one file or two parallel ones expected, got 3" in ran.output
    assert run().exit_code == 2


def test_a_missing_file_is_one_line(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "argv", ["regard", "check", str(tmp_path / "nothing")])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == f"regard: {tmp_path / 'nothing'}: no such file\n"

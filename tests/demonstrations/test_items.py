"""Every idea of docs/items.md leads to a page, to lessons that exist and to commands that run."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from shared import ROOT as SHARED

from regard.viewer.learn import LESSONS

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
ROWS = ROW.findall((ROOT / "docs" / "items.md").read_text(encoding="utf-8"))
COMMANDS = sorted({command for row in ROWS for command in re.findall(r"`([^`]+)`", row[4])})
EACH, LONGEST = 10, 1200  # of so many commands one runs in `make test`; seconds


def test_there_are_240_with_a_page_each():
    assert [int(number) for number, *_ in ROWS] == list(range(1, 241))
    for number, _, pages, _, _ in ROWS:
        links = re.findall(r"\]\(([\w-]+\.md)\)", pages)
        assert links, number
        assert all((ROOT / "docs" / link).is_file() for link in links), number


def test_lessons_exist():
    named = {name for row in ROWS for name in re.findall(r"`([^`]+)`", row[3])}
    assert named
    assert named <= set(LESSONS)


def test_every_lesson_and_every_page_of_an_idea_is_named():
    """Topics are found by alphabet, ideas one by one: what one list names, the other knows."""
    topics = (ROOT / "docs" / "topics.md").read_text(encoding="utf-8")
    assert {name for name in LESSONS if f"`regard learn {name}`" not in topics} == set()


def test_none_is_left_out():
    audit = SHARED / "notes" / "AUDIT.md"
    if not audit.is_file():
        pytest.skip("the list of ideas that these are held to is not here")
    rows = re.findall(r"^\| \d:\d+ \|", audit.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == len(ROWS)


def run(command: str, tmp_path: Path) -> None:
    program, *rest = shlex.split(command)
    start = {"regard": [sys.executable, "-m", "regard"], "python": [sys.executable]}[program]
    paths = [str(ROOT / part) if (ROOT / part).is_file() else part for part in rest]
    ran = subprocess.run(
        [*start, *paths], cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST, stdin=subprocess.DEVNULL
    )
    assert ran.returncode == 0, f"{command}\n{ran.stdout[-1000:]}{ran.stderr[-2000:]}"
    assert ran.stdout.strip()


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.startswith("regard")][::EACH])
def test_one_in_ten_commands_runs(command, tmp_path):
    run(command, tmp_path)


@pytest.mark.proof
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_runs(command, tmp_path):
    run(command, tmp_path)

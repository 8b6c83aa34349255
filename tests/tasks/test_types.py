"""A checker sees what a program gets wrong: a misspelt option or attribute, and nothing else.

Also tests: tasks/__init__.py.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from regard.tasks.purposes import PURPOSES

PROGRAM = Path(__file__).with_name("program.py")


def test_pyright_finds_the_mistakes_of_a_program_and_no_others(tmp_path):
    pytest.importorskip("pyright")
    shutil.copy(PROGRAM, tmp_path / "program.py")
    settings = {"typeCheckingMode": "strict", "include": ["program.py"], "reportUnusedExpression": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    errors = [entry for entry in json.loads(done.stdout)["generalDiagnostics"] if entry["severity"] == "error"]
    lines = PROGRAM.read_text().split("\n")
    wrong = {number for number, line in enumerate(lines) if line.endswith("# wrong")}
    assert {entry["range"]["start"]["line"] for entry in errors} == wrong, [
        (entry["range"]["start"]["line"] + 1, entry["message"]) for entry in errors
    ]


def test_the_program_has_every_task_in_it():
    """As they are loaded, in what is right and in both kinds of mistakes."""
    right, options, attributes = re.split(r"def misspelt_\w+", PROGRAM.read_text())
    usual = {"translate": "en-de", "generate": "shakespeare", "fill": "masked-en", "answer": "babi"}
    for task in PURPOSES:
        for part in (right, options, attributes):
            assert f'task="{task}"' in part or f'"{usual.get(task)}"' in part, task
    for part in (options, attributes):
        assert all(line.endswith("# wrong") for line in part.strip().splitlines()[1:])

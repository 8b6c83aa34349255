"""A checker sees what a program gets wrong: a misspelt option or attribute, and nothing else.

Also tests: tasks/__init__.py.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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

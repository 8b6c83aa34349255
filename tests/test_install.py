"""`make` installs in a few lines, keeps what pip said in a file, and shows the end of it when that failed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PIP = """
import sys
if sys.argv[1:] == ["--version"]:
    sys.exit()
print("asked:", *sys.argv[1:])
for number in range(100):
    print("Requirement already satisfied", number)
    print("WARNING: a mirror is ignored", number, file=sys.stderr)
if {refused!r} in sys.argv:
    print("ERROR: No matching distribution found for", sys.argv[-1], file=sys.stderr)
    sys.exit(1)
print("Successfully installed", sys.argv[-1])
"""


@pytest.fixture
def make(tmp_path):
    if shutil.which("make") is None:
        pytest.skip("make is not installed: looked for on PATH")
    (tmp_path / "venv").mkdir()

    def run(target, refused="nothing"):
        (tmp_path / "pip.py").write_text(PIP.format(refused=refused))
        told = {"VENV": tmp_path / "venv", "PIP": f"{sys.executable} {tmp_path / 'pip.py'}", "PYTHON": sys.executable}
        command = ["make", "--no-print-directory", "-C", ROOT, *(f"{name}={value}" for name, value in told.items())]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        return subprocess.run(
            [*command, tmp_path / "venv" / target], env=environment, capture_output=True, text=True, timeout=60
        )

    return run


def test_installing_says_what_and_how_far_and_keeps_the_log(make, tmp_path):
    ran = make(".installed-run")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [line.partition(")")[0] for line in ran.stdout.splitlines()] == [
        "installing torch (1 of 2",
        "installing regard (2 of 2",
    ]
    log = (tmp_path / "venv/install.log").read_text()
    assert log.count("Requirement already satisfied") == log.count("WARNING: a mirror is ignored") == 200
    for line in (line for line in log.splitlines() if line.startswith("asked:")):
        assert " -c constraints.txt" in line
    assert make(".installed-run").stdout.endswith("is up to date.\n")


def test_the_tools_of_the_tests_are_a_third_part(make):
    ran = make(".installed-dev")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [line.partition("(")[2][:6] for line in ran.stdout.splitlines()] == ["1 of 3", "2 of 3", "3 of 3"]


@pytest.mark.parametrize(("refused", "part"), [("torch", "torch"), ("-e", "regard")])
def test_a_failure_shows_the_end_of_the_log_and_where_it_is(make, tmp_path, refused, part):
    ran = make(".installed-run", refused)
    assert ran.returncode != 0
    assert "ERROR: No matching distribution found" in ran.stderr
    assert f"{part} could not be installed: all that pip said is in {tmp_path / 'venv/install.log'}" in ran.stderr
    assert len(ran.stderr.splitlines()) < 25
    assert not (tmp_path / "venv/.installed-run").exists()
    assert make(".installed-run").returncode == 0


def test_an_old_python_is_named(make, tmp_path):
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    ran = subprocess.run(
        ["make", "-C", ROOT, f"VENV={tmp_path}", f"PYTHON={old}", tmp_path / ".installed-run"],
        capture_output=True,
        text=True,
    )
    assert ran.returncode != 0
    assert f"'{old}' is not" in ran.stderr

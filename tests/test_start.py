"""Starting is quick: nobody waits for torch who does not use it."""

import os
import subprocess
import sys

import pytest

import regard
from regard.cli.main import COMMANDS


@pytest.fixture
def python(tmp_path):
    """Runs Python where importing torch ends the program."""
    (tmp_path / "torch.py").write_text("raise SystemExit('torch was imported')\n")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
    }

    def run(*arguments):
        command = [sys.executable, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)

    return run


def test_the_trap_works(python):
    assert "torch was imported" in python("-c", "import regard; regard.attend").stderr


def test_importing_regard_does_not_import_torch(python):
    ran = python("-c", "import sys, regard; print(regard.__version__, dir(regard), 'torch' in sys.modules)")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(regard.__version__)
    assert "'attend'" in ran.stdout
    assert ran.stdout.endswith("False\n")


@pytest.mark.parametrize("name", ["config", "families", "families.read_config", "families.old_names"])
def test_configs_and_families_do_not_import_torch(python, name):
    ran = python("-c", f"import sys, regard.{name}; print('torch' in sys.modules)")
    assert ran.stdout == "False\n", ran.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)], ids=str)
def test_help_and_version_do_not_import_torch(python, arguments):
    ran = python("-m", "regard", *arguments)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""


def test_the_version_is_that_of_the_package(python):
    assert python("-m", "regard", "--version").stdout == f"regard {regard.__version__}\n"


def test_an_unknown_command_is_wrong_usage(python):
    ran = python("-m", "regard", "regret")
    assert ran.returncode == 2
    assert "No such command 'regret'" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_every_public_name_is_there():
    for name in regard._PUBLIC:
        assert getattr(regard, name).__name__ == name
    assert {*regard._PUBLIC, "__version__"} == set(regard.__all__)


def test_an_unknown_attribute_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'regard' has no attribute 'atend'"):
        _ = regard.atend

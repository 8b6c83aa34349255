import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import click
import pytest

from regard.cli import main as cli
from regard.errors import ShapeError


@pytest.fixture
def failing(monkeypatch):
    """A command that meets an error of ours."""

    @click.command()
    def fail():
        raise ShapeError("expected 3 heads, got 4")

    monkeypatch.setitem(sys.modules, "regard.cli.fail", SimpleNamespace(fail=fail))
    monkeypatch.setitem(cli.COMMANDS, "fail", "Fail.")
    monkeypatch.setattr(sys, "argv", ["regard", "fail"])


def test_an_error_of_ours_is_one_line_and_exit_code_1(failing, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    assert capsys.readouterr() == ("", "regard: expected 3 heads, got 4\n")


WARNING = """
import sys, warnings, click
from regard.cli import main as cli

@click.command()
def warn():
    warnings.warn("the hidden position 9 was never reached", stacklevel=1)

sys.modules["regard.cli.warn"] = sys.modules["__main__"]
cli.COMMANDS["warn"] = "Warn."
sys.argv = ["regard", "warn"]
cli.main()
"""


def test_a_warning_is_one_line_and_no_failure():
    ran = subprocess.run([sys.executable, "-c", WARNING], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, "")
    assert ran.stderr == "regard: the hidden position 9 was never reached\n"


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_in_the_table_loads_and_has_a_line_of_help(name):
    command = cli.regard.get_command(click.Context(cli.regard), name)
    assert isinstance(command, click.Command)
    assert command.name == name
    assert command.get_short_help_str()
    assert 0 < len(cli.COMMANDS[name]) < 70


def test_a_closed_pipe_leaves_no_traceback():
    command = [sys.executable, "-m", "regard", "mask", "causal", "--keys", "500", "--json"]
    # Unbuffered, Python drops the rest of a half-taken write and never meets the closed pipe.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.read(1) == b"["
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(60) == 1


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_no_traceback(tmp_path, sign):
    (tmp_path / "torch.py").write_text("import time\nprint('waiting', flush=True)\ntime.sleep(60)\n")
    command = [sys.executable, "-m", "regard", "mask", "causal"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
    }
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline() == "waiting\n"
        running.send_signal(sign)
        assert running.stderr.read().strip() == ""
        assert running.wait(60) == 128 + sign

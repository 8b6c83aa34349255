"""Where there is no engine, a command says so in one line."""

import logging
import os
import subprocess
import sys

import pytest

from regard.cli.slow_path import tell_slow_path

COMMAND = [sys.executable, "-m", "regard", "translate", "--beam", "1", "Yes."]


@pytest.mark.parametrize(
    ("variables", "line"),
    [
        (
            {"REGARD_ENGINE_LIBRARY": "/no/such/library.so"},
            "regard: PyTorch takes the steps, in float32: REGARD_ENGINE_LIBRARY=/no/such/library.so: no such file\n",
        ),
        ({"REGARD_ENGINE": "off"}, ""),
    ],
)
def test_a_command_says_that_there_is_no_engine_unless_nobody_wants_one(variables, line):
    ran = subprocess.run(COMMAND, env=os.environ | variables, capture_output=True, text=True, check=True)
    assert ran.stdout.strip()
    assert ran.stderr == line


def test_warnings_are_shown_and_what_is_neither_is_not(capsys):
    logger = logging.getLogger("regard")
    level, handler = logger.level, tell_slow_path()
    try:
        logger.warning("a warning")
        logger.info("nothing")
        logger.info("slow", extra={"is_slow_path": True})
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    assert capsys.readouterr().err == "regard: a warning\nregard: slow\n"

"""Also tests: cli/processes.py, whose workers go with their command."""

import subprocess
import sys

import psutil
import pytest

COMMAND = """
import time
from regard.cli.processes import in_processes
from regard.cli.texts import TextChunk

def wait(chunk):
    print("busy", flush=True)
    time.sleep(600)

def prepare():
    return wait

if __name__ == "__main__":
    list(in_processes([TextChunk(["a"], 0, 1)] * 2, prepare, 2))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is killed by a signal there")
def test_workers_of_a_command_that_was_killed_are_gone(tmp_path):
    program = tmp_path / "command.py"
    program.write_text(COMMAND)
    with subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as command:
        assert [command.stdout.readline() for _ in range(2)] == [b"busy\n"] * 2
        children = psutil.Process(command.pid).children()
        command.kill()
    assert len(children) >= 2
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not alive

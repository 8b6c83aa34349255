"""torchrun starts again what was killed, and the run ends as if nobody had been."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from training.forked import ended, fork, together
from training.run.test_session import everything
from training.run.test_sharing import signalled
from training.tiny import tiny, write_pairs, write_recipe_file
from training.watching import Quiet

from regard.training import train
from regard.training.run.log import TIMES, read_log


def launched(work):
    """Have two processes do some work under torchrun's agent; forked, so that nothing is imported again."""
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=2,
        max_restarts=3,
        monitor_interval=0.1,
        start_method="fork",
        rdzv_backend="c10d",
        rdzv_endpoint="127.0.0.1:0",
    )
    elastic_launch(config, work)()
    return 0


def test_a_killed_process_is_started_again_and_the_run_ends_as_if_it_was_not(tmp_path):
    whole, killed = (tiny(tmp_path, f"run={tmp_path / name}", "train.steps=6") for name in ("whole", "killed"))
    lives = tmp_path / "lives"

    def work():
        life, rank = int(os.environ["TORCHELASTIC_RESTART_COUNT"]), int(os.environ["RANK"])
        with lives.open("a") as file:
            file.write(f"{life} {rank}\n")
        if life == rank:  # the first process in its first life, the second one in its second
            signalled(4 + life, signal.SIGKILL)
        train(killed, reporting=Quiet())

    assert together(lambda rank: 0 if train(whole, reporting=Quiet()) else 1) == [0, 0]
    assert ended(fork(lambda: launched(work))) == 0
    assert sorted(lives.read_text().split("\n")[:-1]) == [f"{life} {rank}" for life in range(3) for rank in range(2)]
    assert everything(killed.run) == everything(whole.run)


STEPS = ["train.steps=300", "train.save_every=25", "train.evaluate_every=100"]


@pytest.mark.proof
def test_under_torchrun_a_kill_and_a_stop_leave_no_trace(tmp_path):
    whole = tiny(tmp_path, *STEPS, f"run={tmp_path / 'whole'}")
    assert together(lambda rank: 0 if train(whole, reporting=Quiet()) else 1) == [0, 0]

    write_pairs(tmp_path)
    run, changes = tmp_path / "run", [part for change in STEPS for part in ("--set", change)]
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command = [*torchrun, "--max-restarts", "3", "-m", "regard", "train", str(write_recipe_file(tmp_path)), *changes]

    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as agent:
        for step, rank in ((30, 1), (80, 0)):
            wait_for_step(run, step)
            os.kill(workers(agent.pid)[rank], signal.SIGKILL)
        wait_for_step(run, 130)
        agent.terminate()  # as a job scheduler does
        said = agent.stderr.read()
    assert agent.returncode != 0
    assert "stopped and saved" in said, said
    assert "has ended" in said, said
    assert "Traceback" not in said.split("stopped and saved")[0], said
    last = max(int(path.name[5:]) for path in (run / "checkpoints").glob("step-*"))
    assert 130 <= last < 300

    assert subprocess.run(command).returncode == 0
    assert everything(run) == everything(whole.run)


def wait_for_step(run, step):
    """Until a run is that far."""
    until = time.monotonic() + 600
    while not any(line["step"] >= step for line in read_log(run, TIMES)):
        assert time.monotonic() < until, f"step {step} never came"
        time.sleep(0.01)


def workers(agent):
    """The processes that an agent started, by rank."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            told = (folder / "environ").read_bytes().split(b"\0") if parent == agent else []
        except OSError:  # it has ended meanwhile
            continue
        found |= {int(entry[5:]): int(folder.name) for entry in told if entry.startswith(b"RANK=")}
    return found

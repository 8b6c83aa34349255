"""Several processes learn what one does, stop together, and go on.

Also tests: training/run/processes.py.
"""

import json
import os
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.distributed import HashStore
from training.forked import send_after, together
from training.optimisation.test_training_step import adam, batched, learner, rows
from training.run.test_session import everything
from training.tiny import tiny
from training.watching import Quiet

from regard.text import DataError
from regard.training import Stopped, train
from regard.training.optimisation.training_step import training_step
from regard.training.recipe.recipe import TrainRecipe
from regard.training.run.log import read_log
from regard.training.run.loop import Loop
from regard.training.run.processes import ProcessLost, agreed_name, join_processes
from regard.training.run.sharing import full_tensor, parallelise
from regard.training.run.state import CheckpointStore

STOPPED, LOST, FAULTY = 3, 4, 5


@pytest.fixture(scope="module", autouse=True)
def _imported(tmp_path_factory):
    """Whatever a training imports late is imported once, for all the children."""
    import_module("torch.distributed.fsdp")
    train(tiny(tmp_path_factory.mktemp("imported"), "train.steps=1"), reporting=Quiet())


def trained(recipe, signals=None, meanwhile=lambda children: None):
    """Train in two processes; how they ended. `signals` says who gets which signal after which step."""

    def work(rank):
        if rank in (signals or {}):
            signalled(*signals[rank])
        try:
            train(recipe, reporting=Quiet())
        except Stopped:
            return STOPPED
        except ProcessLost:
            return LOST
        except DataError:
            return FAULTY
        return 0

    return together(work, meanwhile=meanwhile)


def signalled(step, number):
    """This process, a child, is sent a signal after some step."""
    real = Loop.step

    def stepped(loop):
        real(loop)
        if loop.progress.step == step:
            os.kill(os.getpid(), number)

    Loop.step = stepped


def losses(run):
    return [line["loss"] for line in read_log(Path(run)) if "loss" in line]


@pytest.mark.parametrize("shard", [False, True])
def test_the_gradients_of_two_processes_are_those_of_one_with_twice_the_batch(shard, tmp_path):
    def gradients(rank=0, world=1):
        mine = learner()
        with join_processes() as found:
            steps = parallelise(mine, found, TrainRecipe(shard=shard))
            training_step(
                steps, batched(rows(32)[rank::world], [32 // world]), adam(mine), learning_rate=0.0, world=found
            )
            whole = {name: full_tensor(weight.grad) for name, weight in mine.model.named_parameters()}
        save_file(whole, tmp_path / f"{world}-{rank}")
        return 0

    gradients()
    assert together(lambda rank: gradients(rank, 2)) == [0, 0]
    one = load_file(tmp_path / "1-0")
    norm = torch.cat([grad.flatten() for grad in one.values()]).norm()
    for rank in (0, 1):
        two = load_file(tmp_path / f"2-{rank}")
        apart = torch.cat([(two[name] - one[name]).flatten() for name in one]).norm()
        assert norm > 0
        assert apart < 1e-5 * norm


def test_two_processes_learn_what_one_does(tmp_path):
    changes = ["model.dropout=0.0", "train.clip_norm=1.0", "train.accumulate=2"]
    one, two = (tiny(tmp_path, *changes, f"run={tmp_path / name}") for name in ("one", "two"))
    train(one, reporting=Quiet())
    assert trained(two) == [0, 0]
    assert losses(two.run) == pytest.approx(losses(one.run), rel=1e-4)
    mine, theirs = (load_file(f"{run}/model/model.safetensors") for run in (one.run, two.run))
    for name in mine:
        if "k_proj.bias" not in name:  # its gradient is zero but for rounding, and Adam makes steps of that
            assert float((mine[name] - theirs[name]).norm() / mine[name].norm()) < 2e-3, name


def test_shards_have_the_loss_curve_of_copies(tmp_path):
    changes = ["train.clip_norm=1.0", "train.accumulate=2"]
    copies, shards = (
        tiny(tmp_path, *changes, f"run={tmp_path / shard}", f"train.shard={shard}") for shard in ("false", "true")
    )
    assert trained(copies) == trained(shards) == [0, 0]
    assert losses(shards.run) == pytest.approx(losses(copies.run), rel=1e-4)
    assert len(set(losses(copies.run))) == 6


BOTH = {0: (3, signal.SIGTERM), 1: (3, signal.SIGTERM)}
ONE_AFTER_THE_OTHER = {1: (3, signal.SIGTERM), 0: (4, signal.SIGINT)}


def stopped_and_not(folder, signals, shard):
    whole, stopped = (
        tiny(folder, f"run={folder / name}", f"train.shard={shard}", "train.steps=5") for name in ("whole", "stopped")
    )
    assert trained(whole) == [0, 0]
    assert trained(stopped, signals) == [STOPPED, STOPPED]
    assert max(CheckpointStore(Path(stopped.run) / "checkpoints").steps()) == 3  # within one step
    assert trained(stopped) == [0, 0]
    assert everything(stopped.run) == everything(whole.run)


@pytest.mark.parametrize("signals", [BOTH, ONE_AFTER_THE_OTHER], ids=["both", "one after the other"])
def test_processes_that_were_stopped_end_as_if_they_were_not(signals, tmp_path):
    stopped_and_not(tmp_path, signals, "false")


@pytest.mark.proof
@pytest.mark.parametrize("signals", [BOTH, ONE_AFTER_THE_OTHER], ids=["both", "one after the other"])
def test_shards_that_were_stopped_end_as_if_they_were_not(signals, tmp_path):
    stopped_and_not(tmp_path, signals, "true")


@pytest.mark.proof
@pytest.mark.parametrize("shard", ["false", "true"])
def test_processes_that_are_told_to_stop_at_any_moment_end_and_go_on(shard, tmp_path):
    """As a job scheduler does: SIGTERM for all of them, once one has computed for some time."""
    whole, stopped = (tiny(tmp_path, f"run={tmp_path / name}", f"train.shard={shard}") for name in ("whole", "stopped"))
    assert trained(whole) == [0, 0]
    chance = random.Random(7)
    for _ in range(20):
        moment, ranks = chance.uniform(0, 1.5), chance.sample([0, 1], chance.randint(1, 2))

        def tell(children, moment=moment, ranks=ranks):
            send_after(children[0], moment, signal.SIGTERM, [children[rank] for rank in ranks])

        codes = trained(stopped, meanwhile=tell)
        assert set(codes) <= {0, STOPPED, LOST, -signal.SIGTERM}
    assert trained(stopped) == [0, 0]
    assert everything(stopped.run) == everything(whole.run)


def read_state(run, step):
    return json.loads((Path(run) / f"checkpoints/step-{step:08d}/state.json").read_text())


def test_who_loses_another_process_says_so_and_the_run_goes_on(tmp_path):
    whole, lost = (tiny(tmp_path, f"run={tmp_path / name}", "train.steps=6") for name in ("whole", "again"))
    assert trained(whole) == [0, 0]
    assert trained(lost, {1: (5, signal.SIGKILL)}) == [LOST, -signal.SIGKILL]
    assert trained(lost) == [0, 0]
    assert everything(lost.run) == everything(whole.run)


def test_faulty_data_stops_all_processes_before_the_first_step(tmp_path):
    recipe = tiny(tmp_path)
    with (tmp_path / "train.tsv").open("a") as file:
        file.write("no tab here\n")
    assert trained(recipe) == [FAULTY, LOST]
    assert not (Path(recipe.run) / "checkpoints").exists()


def test_another_number_of_processes_goes_on_and_says_so(tmp_path):
    recipe = tiny(tmp_path, "train.steps=4")
    assert trained(recipe) == [0, 0]
    report = Quiet()
    train(tiny(tmp_path, "train.steps=6"), reporting=report)
    assert report.steps == [5, 6]
    assert any("1 processes instead of 2" in line for line in report.lines)
    assert read_state(recipe.run, 6)["processes"] == 1


def test_a_process_without_a_row_counts_for_nothing(tmp_path):
    changes = ["model.dropout=0.0", "train.batch_size=1", "train.steps=3"]
    one, two = (tiny(tmp_path, *changes, f"run={tmp_path / name}") for name in ("one", "two"))
    train(one, reporting=Quiet())
    assert trained(two) == [0, 0]
    assert losses(two.run) == pytest.approx(losses(one.run), rel=1e-5)
    assert torch.isfinite(torch.tensor(losses(two.run))).all()


def test_one_process_does_not_wait_for_what_shards_need():
    found = "import sys, regard.training; print('torch.distributed.tensor' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", found], capture_output=True, text=True, env=os.environ)
    assert ran.stdout == "False\n", ran.stderr


def test_processes_that_are_started_again_meet_under_a_name_of_their_own():
    store, lives = HashStore(), []
    store.set("asks/1", "a process that is dead")
    for _ in range(3):
        with ThreadPoolExecutor(3) as pool:
            lives.append(set(pool.map(lambda rank: agreed_name(store, rank, 3), range(3))))
    assert [len(life) for life in lives] == [1, 1, 1]
    assert len(set.union(*lives)) == 3

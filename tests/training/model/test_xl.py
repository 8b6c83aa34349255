"""A model that remembers learns from text that goes on from batch to batch, and a run that was stopped goes on too.

Also tests: training/data/streams.py, training/run/segment_memory.py.
"""

from pathlib import Path

import numpy as np
import pytest
import torch
from models.test_xl import VOCABULARY, model
from shared import shared
from torch.testing import assert_close
from training.run.test_session import everything
from training.tiny import write_recipe_file
from training.watching import Interrupting, Quiet

import regard
from regard.training import RecipeError, Stopped, read_recipe, train
from regard.training.data.streams import continued_batches
from regard.training.evaluation.held_out import held_out_scores
from regard.training.objectives import NextTokenObjective
from regard.training.optimisation.learner import Learner
from regard.training.run.log import read_log

RECIPE = """
run = "run"
[data]
train = ["text.txt"]
valid_share = 0.2
windows = "carried"
[tokenizer]
kind = "characters"
size = 0
[model]
kind = "xl"
width = 16
layers = 2
heads = 2
feed_forward_width = 32
max_positions = 8
memory_length = 12
[train]
objective = "next-token"
steps = 12
batch_size = 3
learning_rate = 0.01
warmup = 4
save_every = 3
log_every = 2
evaluate_every = 4
"""


def tiny_xl(folder: Path, *changes: str):
    lines = [f"the {what} sees a {other} .\n" for what in ("cat", "dog", "bird") for other in ("tree", "house", "cat")]
    (folder / "text.txt").write_text("".join(lines) * 3)
    return read_recipe(write_recipe_file(folder, RECIPE), changes)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole-xl")
    train(tiny_xl(folder), reporting=Quiet())
    return folder / "run"


@pytest.mark.parametrize("at", [1, 5, 7])
def test_a_run_that_was_stopped_remembers_what_it_read(at, whole, tmp_path):
    recipe = tiny_xl(tmp_path)
    with pytest.raises(Stopped):
        train(recipe, reporting=Interrupting(at, 15))
    train(recipe, reporting=Quiet())
    assert everything(recipe.run) == everything(whole)


def test_what_was_trained_is_loaded_writes_and_is_evaluated_with_its_memory(whole):
    task = regard.load(whole / "model")
    assert task.model.config.memory == 12
    answer = task("the cat sees", max_new_tokens=40)
    assert len(answer.ids) == 40
    with regard.watch(task.model) as seen:
        task("the cat sees", max_new_tokens=20)
    assert seen["decoder.1.self"].shape[2] == len("the cat sees") + 19
    with torch.no_grad():
        ids = torch.tensor([[*task.tokenizer.encode("the cat sees", bare=True).ids, *answer.ids]])
        told = task.model(ids)[0, len(ids[0]) - 41 : -1].argmax(-1)
    assert told.tolist() == list(answer.ids)


def test_a_batch_that_goes_on_is_read_after_the_one_before_it():
    xl, objective = model(30), NextTokenObjective()
    tokens = np.random.default_rng(0).integers(0, VOCABULARY, 121)
    batches = continued_batches(tokens, 10, 2, objective)
    assert [batch.inputs.shape for batch in batches] == [(2, 10)] * 6
    with torch.no_grad():
        found = held_out_scores(Learner(xl, objective).eval(), batches)["loss"]
        rows = torch.from_numpy(np.stack([tokens[:61], tokens[60:121]]))
        meant = torch.nn.functional.cross_entropy(xl(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())
        assert_close(found, float(meant), rtol=1e-5, atol=1e-6)
        first = objective.loss(xl, batches[0])
        assert first.memory["ends"].tolist() == [10, 70]
        elsewhere = objective.loss(xl, batches[3].with_memory(first.memory))  # begins where nothing ended
        assert torch.equal(elsewhere.cross_entropy, objective.loss(xl, batches[3]).cross_entropy)
        follows = objective.loss(xl, batches[1].with_memory(first.memory))
        assert not torch.equal(follows.cross_entropy, objective.loss(xl, batches[1]).cross_entropy)


def test_a_gradient_that_is_no_number_takes_its_memory_with_it():
    from regard.training.optimisation.optimiser import make_optimiser
    from regard.training.optimisation.training_step import training_step

    xl, objective = model(30), NextTokenObjective()
    learner = Learner(xl, objective)
    optimiser = make_optimiser(xl, "adam", learning_rate=0.0, betas=(0.9, 0.98), epsilon=1e-9, weight_decay=0.0)
    batches = continued_batches(np.arange(61) % VOCABULARY, 10, 2, objective)
    done = training_step(learner, batches[:2], optimiser, learning_rate=0.0)
    assert done.memory["ends"].tolist() == [20, 50]
    with torch.no_grad():
        xl.decoder.embedding.table.weight[3] = torch.nan
    done = training_step(learner, batches[2:3], optimiser, learning_rate=0.0, memory=done.memory)
    assert done.skipped
    assert done.memory is None


def test_text_that_does_not_go_on_is_refused(tmp_path):
    with pytest.raises(RecipeError, match=r"'carried' expected, or model\.memory_length = 0"):
        train(tiny_xl(tmp_path, "data.windows=shuffled"), reporting=Quiet())


@pytest.mark.proof
def test_on_shakespeare_it_reaches_a_lower_loss_than_the_same_decoder_without_a_memory(tmp_path):
    path = Path(__file__).parents[3] / "recipes" / "shakespeare-xl.toml"
    folder = shared("tinyshakespeare")
    losses = {}
    for memory in (128, 0):
        changes = [f"run={tmp_path / str(memory)}", f"data.folder={folder}", f"model.memory_length={memory}"]
        recipe = read_recipe(path, changes)
        train(recipe, reporting=Quiet())
        losses[memory] = read_log(Path(recipe.run))[-1]["valid"]["loss"]
    assert losses[128] < losses[0]

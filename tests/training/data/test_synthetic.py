"""A recipe that makes its own data: trained from nothing, resumed to the bit, refused where its texts were changed."""

import json
import shutil
from pathlib import Path

import pytest
from training.run.test_session import everything
from training.watching import Interrupting, Quiet

from regard.text.synthetic import SYNTHETIC_TASKS
from regard.training import RecipeError, Stopped, estimate, read_recipe, train
from regard.training.run.inputs import INPUTS, InputsChanged

RECIPE = """
run = "run"
[data.make]
kind = "copy"
symbols = 5
min_length = 2
max_length = 4
train = 50
valid = 8
test = 8
[tokenizer]
kind = "words"
size = 0
[model]
width = 16
heads = 2
layers = 1
feed_forward_width = 32
dropout = 0.1
[train]
steps = 6
batch_tokens = 64
warmup = 4
save_every = 2
log_every = 1
metric = "exact"
beam = 1
"""
KINDS = {"translate": "transformer", "classify": "encoder", "tag": "encoder", "next-token": "decoder"}


def recipe(folder: Path, *changes: str):
    path = folder / "my.toml"
    path.write_text(RECIPE)
    return read_recipe(path, changes)


def test_a_run_that_was_stopped_ends_with_the_same_bits(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    train(recipe(whole), reporting=Quiet())
    with pytest.raises(Stopped):
        train(recipe(parts), reporting=Interrupting(3))
    shutil.rmtree(parts / "run" / "data")  # made again, the same
    train(recipe(parts), reporting=Quiet())
    assert everything(whole / "run") == everything(parts / "run")


def test_texts_are_known_by_content_and_by_paths_from_the_run(tmp_path):
    with pytest.raises(Stopped):
        train(recipe(tmp_path), reporting=Interrupting(3))
    files = json.loads((tmp_path / "run" / INPUTS).read_text())["files"]
    assert [name for name in files if not name.startswith("tokenizer")] == ["data/train.tsv", "data/valid.tsv"]
    (tmp_path / "run").rename(tmp_path / "moved")
    train(recipe(tmp_path, "train.steps=4", f"run={tmp_path / 'moved'}"), reporting=Quiet())
    path = tmp_path / "moved" / "data" / "train.tsv"
    path.write_text(path.read_text() + "a\ta\n")
    with pytest.raises(InputsChanged, match=r"^data/train\.tsv: changed since this run was trained with it"):
        train(recipe(tmp_path, f"run={tmp_path / 'moved'}"), reporting=Quiet())


def test_other_texts_are_another_run(tmp_path):
    train(recipe(tmp_path, "train.steps=2"), reporting=Quiet())
    with pytest.raises(RecipeError, match=r"this run has another data\.make"):
        train(recipe(tmp_path, "data.make.seed=2"), reporting=Quiet())


def test_an_estimate_makes_its_texts_elsewhere(tmp_path):
    assert estimate(recipe(tmp_path))["examples"] == 50
    assert not (tmp_path / "run").exists()


def test_the_card_says_where_the_texts_come_from(tmp_path):
    folder = train(recipe(tmp_path, "train.steps=2"), reporting=Quiet())
    assert "on texts that the recipe makes itself (`copy`)" in (folder / "README.md").read_text()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["data.make.kind=sing"], "unknown data.make.kind 'sing'"),
        (["data.train=a.tsv"], "data.train: either files or \\[data.make\\] expected, got both"),
        (["data.make.size=3"], "data.make: 'copy' has no setting 'size'; known: symbols, min_length, max_length"),
        (["data.make.symbols=1"], "data.make: 'copy': symbols = 1: int from 2"),
        (["data.make.train=0"], "data.make: 'copy': train = 0: int from 1"),
        (["data.make.kind=anomaly"], "'translate': data.make = 'anomaly' is learned by 'classify'"),
    ],
)
def test_a_fault_is_one_line(changes, message, tmp_path):
    with pytest.raises(RecipeError, match=message):
        train(recipe(tmp_path, *changes), reporting=Quiet())


def test_a_recipe_needs_texts(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text('run = "run"\n[data]\nswap = true\n')
    with pytest.raises(RecipeError, match=r"my.toml: data.train: either files or \[data.make\] expected, got none"):
        read_recipe(path)


@pytest.mark.parametrize(("name", "task"), SYNTHETIC_TASKS.items())
def test_every_task_can_be_trained(name, task, tmp_path):
    make = json.dumps({"kind": name, "train": 300, "valid": 6, "test": 5, **vars(task.example())}).replace(": ", " = ")
    changes = [f"data.make={make}", f"train.objective={task.objective}", f"model.kind={KINDS[task.objective]}"]
    metric = "exact" if task.objective == "translate" else "loss"
    path = tmp_path / "my.toml"
    path.write_text(RECIPE.replace('kind = "copy"\nsymbols = 5\nmin_length = 2\nmax_length = 4\n', ""))
    report = Quiet()
    folder = train(read_recipe(path, [*changes, f"train.metric={metric}", "train.steps=2"]), reporting=report)
    assert (folder / "model.safetensors").is_file()

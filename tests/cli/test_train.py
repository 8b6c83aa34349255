import json

import pytest
from click.testing import CliRunner
from training.tiny import write_pairs, write_recipe_file

from regard.cli import train as module
from regard.errors import RecipeError
from regard.training import Stopped


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    monkeypatch.setattr("regard.training.run.memory_pool.keep_freed_memory", lambda: None)  # of this very process
    write_pairs(tmp_path)
    return str(write_recipe_file(tmp_path))


def run(*arguments):
    return CliRunner().invoke(module.train, arguments)


def test_a_training_ends_with_its_folder(recipe, tmp_path):
    ran = run(recipe, "--set", "train.steps=2", "--json")
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout.splitlines()[-1]) == {"model": str(tmp_path / "run" / "model")}
    assert (tmp_path / "run" / "model" / "config.json").exists()


def test_a_dry_run_says_what_it_would_take_and_leaves_nothing(recipe, tmp_path):
    ran = run(recipe, "--dry-run", "--json")
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["parameters"] > 0
    assert not (tmp_path / "run").exists()


def test_a_training_that_was_stopped_says_so_and_how_to_go_on(recipe, monkeypatch):
    def stop(*_, **__):
        raise Stopped

    monkeypatch.setattr("regard.training.train", stop)
    ran = run(recipe)
    assert (ran.exit_code, ran.stderr) == (
        3,
        "regard: stopped and saved; the same command goes on, --finish makes the model\n",
    )


def test_what_a_model_refuses_names_the_recipe(recipe):
    ran = run(recipe, "--set", "model.kind=encoder")
    assert isinstance(ran.exception, RecipeError)
    assert str(ran.exception).startswith(f"{recipe}: ")

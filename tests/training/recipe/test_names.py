"""A recipe is checked before anything is read, wherever it comes from."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from training.tiny import tiny, write_recipe_file
from training.watching import Quiet

from regard.cli.train import train as train_command
from regard.training import RecipeError, estimate, train

WRONG = {
    "train.steps = 0: a whole number from 1": {"steps": 0},
    "train.learning_rate = nan: a number from 0": {"learning_rate": float("nan")},
    "unknown train.schedule 'cosin': did you mean 'cosine'": {"schedule": "cosin"},
    "train.metric = 'blue': known here are loss, perplexity, bleu, chrf": {"metric": "blue"},
    "train.metric = 'accuracy': known here are loss": {"metric": "accuracy"},
}


@pytest.mark.parametrize("message", WRONG)
@pytest.mark.parametrize(
    "follow", [estimate, lambda recipe: train(recipe, reporting=Quiet())], ids=["dry run", "train"]
)
def test_a_recipe_made_in_python_is_checked_before_the_first_step_and_in_a_dry_run(message, follow, tmp_path):
    recipe = tiny(tmp_path)
    with pytest.raises(RecipeError, match=f"^{message}"):
        follow(replace(recipe, train=replace(recipe.train, **WRONG[message])))
    assert not (Path(recipe.run) / "checkpoints").exists()


@pytest.mark.parametrize(
    "change", ["train.metric=blue", "model.score.kind=dots", "train.schedule=cosin", "model.heads=3"]
)
def test_the_command_names_the_file_of_the_recipe(change, tmp_path):
    tiny(tmp_path)
    path = write_recipe_file(tmp_path)
    problem = CliRunner().invoke(train_command, [str(path), "--dry-run", "--set", change]).exception
    assert isinstance(problem, RecipeError)
    assert str(problem).startswith(f"{path}: ")
    assert change.split("=")[0] in str(problem)

from dataclasses import replace
from pathlib import Path

import pytest
from training.tiny import RECIPE, write_recipe_file

from regard.training import RecipeError, read_recipe
from regard.training.recipe.old_keys import OLD_KEYS
from regard.training.recipe.reading import changed_keys, flatten, write_recipe
from regard.training.recipe.recipe import DataRecipe, Recipe

FOLDER = Path(__file__).parents[3] / "recipes"
SHIPPED = sorted(path for path in FOLDER.glob("*.toml") if path.name != "cards.toml")  # what model cards say


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_recipe_can_be_read_and_says_where_its_data_comes_from(path):
    recipe = read_recipe(path, ["data.folder=/elsewhere"])
    assert all(file.startswith("/elsewhere/") for file in recipe.data.train)
    assert "Data:" in path.read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[train]\nstep = 3", "unknown key 'train.step': did you mean 'train.steps'?"),
        ("[model]\nsteps = 3", "unknown key 'model.steps': did you mean 'train.steps'?"),
        ("[modle]\nwidth = 3", "unknown key 'modle': did you mean 'model'?"),
        ("[model]\nqzx = 3", "unknown key 'model.qzx': known are activation"),
        ('[train]\nsteps = "many"', "train.steps = 'many': a whole number expected"),
        ("[train]\nsteps = 1.5", "train.steps = 1.5: a whole number expected"),
        ("[train]\nsteps = true", "train.steps = True: a whole number expected"),
        ('[train]\nlearning_rate = "fast"', "train.learning_rate = 'fast': a number expected"),
        ("[train]\ncompile = 1", "train.compile = 1: true or false expected"),
        ("[train]\nrate = 0.1", "'train.rate' is now called 'train.learning_rate'"),
        ("[model]\ninner = 3", "'model.inner' is now called 'model.feed_forward_width'"),
        ('[model]\nkind = "alignment"\ninner = 3', "'model.inner' is now called 'model.embedding_width'"),
        ("[data]\ntrain = [1]", "data.train = 1: a text in quotes expected"),
        ("model = 3", "[model] is a table, got 3"),
        ("", "no 'data', which every recipe needs"),
        ("[train", "no readable recipe"),
    ],
)
def test_a_fault_is_one_line_with_file_and_key(text, message, tmp_path):
    rest = "" if "[data]" in text or not text else '\n[data]\ntrain = ["a.tsv"]\n'
    path = write_recipe_file(tmp_path, f'run = "r"\n{text}{rest}')
    with pytest.raises(RecipeError) as caught:
        read_recipe(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_paths_are_relative_to_the_recipe_and_those_set_by_hand_to_where_one_stands(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    path = write_recipe_file(home)
    monkeypatch.chdir(tmp_path)
    recipe = read_recipe(path, ["data.folder=here"])
    assert recipe.run == str(home / "run")
    assert recipe.data.train == (str(tmp_path / "here" / "train.tsv"),)
    assert read_recipe(path).data.train == (str(home / "train.tsv"),)


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("train.steps=7", 7),
        ("train.metric=bleu", "bleu"),
        ('train.metric="bleu"', "bleu"),
        ("train.learning_rate=1e-3", 0.001),
    ],
)
def test_a_change_goes_before_the_file(change, value, tmp_path):
    recipe = read_recipe(write_recipe_file(tmp_path), [change])
    assert getattr(recipe.train, change.split("=")[0].split(".")[1]) == value


@pytest.mark.parametrize("change", ["train.steps", "=3", "train.stpes=3"])
def test_a_change_that_cannot_be_made_is_an_error(change, tmp_path):
    with pytest.raises(RecipeError):
        read_recipe(write_recipe_file(tmp_path), [change])


def test_one_number_of_layers_or_two(tmp_path):
    path = write_recipe_file(tmp_path)
    assert read_recipe(path, ["model.layers=2"]).model.layers == (2,)
    assert read_recipe(path, ["model.layers=[6, 2]"]).model.layers == (6, 2)


def test_a_recipe_that_is_written_is_read_again_as_it_was(tmp_path):
    recipe = read_recipe(write_recipe_file(tmp_path, RECIPE.replace('"run"', r'"a\"b\\c ä"')))
    again = tmp_path / "again.toml"
    again.write_text(write_recipe(recipe))
    assert read_recipe(again) == recipe


def test_a_run_may_be_made_longer_and_not_other(tmp_path):
    recipe = read_recipe(write_recipe_file(tmp_path))
    longer = replace(recipe, train=replace(recipe.train, steps=1000))
    other = replace(recipe, train=replace(recipe.train, seed=2), model=replace(recipe.model, width=32))
    assert changed_keys(recipe, longer) == []
    assert changed_keys(recipe, other) == ["model.width", "train.seed"]


def test_the_recipe_of_a_run_is_read_with_the_keys_of_its_time(tmp_path):
    (tmp_path / "checkpoints").mkdir()
    old = RECIPE.replace("learning_rate", "rate").replace("feed_forward_width", "inner")
    before = read_recipe(write_recipe_file(tmp_path, old), ["train.weight_decay=0.5"])
    assert (before.train.learning_rate, before.train.weight_decay, before.model.feed_forward_width) == (0.01, 0.5, 32)


def test_every_old_key_has_a_new_one_that_recipes_have():
    known = {*flatten(Recipe("run", DataRecipe(())))}
    assert known >= {f"{old.split('.')[0]}.{new}" for old, new in OLD_KEYS.items()}
    assert not known & OLD_KEYS.keys()

"""Recipes, and what is wrong with them, in one line.

Also tests: training/recipe/old_keys.py, training/recipe/tables.py.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from training.tiny import RECIPE, write_recipe_file

from regard.families.recipe import PartRecipe
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
    text = " ".join(path.read_text().replace("#", " ").split())
    assert "makes its own data" in text if recipe.data.make.kind else "Data:" in text


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
        *[
            (f"[{section}]\n{key} = {value}", f"{section}.{key} = {shown}")
            for section, key, value, shown in [
                ("train", "steps", "0", "0"),
                ("train", "steps", str(2**64), str(2**64)),
                ("train", "save_every", "0", "0"),
                ("train", "log_every", "0", "0"),
                ("train", "batch_tokens", "0", "0"),
                ("train", "batch_size", "-1", "-1"),
                ("train", "accumulate", "0", "0"),
                ("train", "seed", str(2**63), str(2**63)),
                ("train", "learning_rate", "nan", "nan"),
                ("train", "learning_rate", "inf", "inf"),
                ("train", "learning_rate", "-0.1", "-0.1"),
                ("train", "learning_rate", "9" * 400, "9" * 18),
                ("train", "min_learning_rate", "-1", "-1.0"),
                ("train", "betas", "[0.9, 1.0]", "1.0"),
                ("train", "betas", "[0.9]", "[0.9]"),
                ("train", "betas", "[0.9, -0.1]", "-0.1"),
                ("train", "epsilon", "0.0", "0.0"),
                ("train", "weight_decay", "nan", "nan"),
                ("train", "clip_norm", "-1.0", "-1.0"),
                ("train", "label_smoothing", "1.0", "1.0"),
                ("train", "mask_probability", "0.0", "0.0"),
                ("train", "noise", "1.5", "1.5"),
                ("train", "workers", "100000", "100000"),
                ("train", "workers", "-1", "-1"),
                ("train", "beam", "-1", "-1"),
                ("train", "valid_beam", "1000000", "1000000"),
                ("train", "length_penalty", "nan", "nan"),
                ("train", "average", "0", "0"),
                ("train", "non_finite", "0", "0"),
                ("data", "max_length", "1_000_000_000_000", "1000000000000"),
                ("data", "valid_share", "1.0", "1.0"),
                ("data", "context", "-1", "-1"),
                ("data", "faulty", '"ignore"', "'ignore'"),
                ("tokenizer", "size", "-1", "-1"),
                ("model", "width", "0", "0"),
                ("model", "heads", "0", "0"),
                ("model", "heads", "-2", "-2"),
                ("model", "layers", "-1", "-1"),
                ("model", "layers", "[3, -1]", "-1"),
                ("model", "layers", "1001", "1001"),
                ("model", "dropout", "1.0", "1.0"),
                ("model", "dropout", "-0.1", "-0.1"),
                ("model", "attention_dropout", "nan", "nan"),
                ("model", "max_positions", "0", "0"),
                ("model", "memory_length", "-1", "-1"),
                ("model", "pool", '"middle"', "'middle'"),
            ]
        ],
        ('[train]\nschedule = "cosin"', "unknown train.schedule 'cosin': did you mean 'cosine'?"),
        ('[train]\noptimiser = "sgd"', "unknown train.optimiser 'sgd': known: adam, adamw"),
        ('[train]\nprecision = "half"', "unknown train.precision 'half'"),
        ('[train]\nobjective = "guess"', "unknown train.objective 'guess'"),
        ('[model]\nkind = "cnn"', "unknown model.kind 'cnn'"),
        ('[model]\nfamily = "gpt2"', "unknown model.family 'gpt2'"),
        ('[model]\nactivation = "bend"', "unknown model.activation 'bend'"),
        ('[tokenizer]\nkind = "bytes"', "unknown tokenizer.kind 'bytes'"),
        ("[model.position]\nbase = 3", "[model.position] has 'base' and no kind"),
        ('[model.position]\nkind = "rotary"\nbase = [[3]]', "model.position.base = [[3]]: a number, a text"),
        ('[model.position]\nkind = "rotary"\nbase = nan', "model.position.base = nan: a number from"),
        (f"a = {'[' * 5000}{']' * 5000}", "no readable recipe (maximum recursion depth exceeded"),
        (f"[train]\nsteps = {'[' * 50}{']' * 50}", "train.steps = [[[[[["),
        (f"[train]\nsteps = 0x{'f' * 6000}", "train.steps = a number of 24,000 bits: a whole number from"),
        (f"# {'x' * 70000}", "more than 65,536 bytes, where a recipe is expected"),
        ('[train]\n"a\\nb" = 3', r"unknown key 'train.a\nb'"),
        ('start = "a\\u0000b"', r"start = 'a\x00b': no path"),
        ('start = "a\\nb"', r"start = 'a\nb': a text of one line"),
        (f'start = "{"y" * 5000}"', "no path (File name too long)"),
        ('start = "~nobody-here/x"', "start = '~nobody-here/x': no path"),
        ("", "no 'data', which every recipe needs"),
        ("[train", "no readable recipe"),
    ],
)
def test_a_fault_is_one_line_with_file_and_key(text, message, tmp_path):
    if "[data]\n" in text and "data.train" not in message:
        text = text.replace("[data]", '[data]\ntrain = ["a.tsv"]')
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


CHANGES = [
    "train.steps",
    "=3",
    "train.stpes=3",
    "train=3",
    "data.train.x=1",
    "." * 20 + "=1",
    "a." * 5000 + "b=1",
    "==",
]
CHANGES += [
    "train.steps=1\nvalue2=3",
    f"train.steps={'[' * 5000}",
    f"train.steps={'9' * 5000}",
    "train.steps=",
    "run=\0",
]
CHANGES += ["train.seed=\udcff", "model.position=rotary", "train.betas=nan", "run.x=1", "train.steps=0x" + "f" * 5000]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: ascii(change)[:20])
def test_a_change_that_cannot_be_made_is_an_error(change, tmp_path):
    with pytest.raises(RecipeError) as caught:
        read_recipe(write_recipe_file(tmp_path), [change])
    assert len(str(caught.value).splitlines()) == 1


def test_one_number_of_layers_or_two(tmp_path):
    path = write_recipe_file(tmp_path)
    assert read_recipe(path, ["model.layers=2"]).model.layers == (2,)
    assert read_recipe(path, ["model.layers=[6, 2]"]).model.layers == (6, 2)


def test_a_recipe_that_is_written_is_read_again_as_it_was(tmp_path):
    recipe = read_recipe(write_recipe_file(tmp_path, RECIPE.replace('"run"', r'"a\"b\\c ä"')))
    settings = {"base": 5e5, "scaling": {"factor": 2.0, "odd key\x7f": True}}
    recipe = replace(recipe, model=replace(recipe.model, position=PartRecipe("rotary", settings)))
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

"""One thing changed at a time, the rest as it was; what is finished is only read.

Also tests: cli/ablate.py.
"""

import json

import pytest
from click.testing import CliRunner

from regard.cli.ablate import ablate as command
from regard.errors import RecipeError
from regard.training.run.ablation import AblationRow, Variant, ablation_table, read_variants, split_values

RECIPE = """
run = "run"
[data.make]
kind = "copy"
symbols = 4
min_length = 1
max_length = 3
train = 40
valid = 6
test = 6
[tokenizer]
kind = "words"
size = 0
[model]
width = 16
heads = 2
layers = 1
dropout = 0.0
[train]
steps = 2
batch_tokens = 64
save_every = 2
metric = "exact"
beam = 1
"""


@pytest.fixture
def recipe(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text(RECIPE)
    return path


def test_values_are_divided_by_commas_that_are_in_no_table_list_or_text():
    assert split_values('1, 2,{kind="dot", scale=1.0},[3,4],"a,b"') == [
        "1", "2", '{kind="dot", scale=1.0}', "[3,4]", '"a,b"'
    ]  # fmt: skip


def test_each_variant_differs_from_the_recipe_in_one_key(recipe):
    vary = ["model.heads=1,4", 'model.score={kind="dot",scale=1.0}']
    base, one, four, score = read_variants(recipe, ["train.steps=3"], vary)
    assert {variant.recipe.train.steps for variant in (base, one, four, score)} == {3}
    assert [variant.recipe.model.heads for variant in (base, one, four, score)] == [2, 1, 4, 2]
    assert score.recipe.model.score.settings == {"scale": 1.0}
    assert not base.recipe.model.score.kind


@pytest.mark.parametrize("vary", ["model.heads", "=1", "model.heads=1,,2", "run=a,b"])
def test_what_cannot_be_varied_is_refused_before_anything_is_trained(recipe, vary):
    with pytest.raises(RecipeError, match=r"^--vary"):
        read_variants(recipe, [], [vary])


def run(*arguments):
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_a_second_call_reads_what_the_first_has_trained(recipe, tmp_path):
    arguments = [recipe, "--vary", "model.heads=1,2", "--vary", "model.residual=false", "--seeds", "1,2", "--json"]
    first = run(*arguments)
    rows = [json.loads(line) for line in first.stdout.splitlines()]
    assert [(row["key"], row["value"], len(row["scores"])) for row in rows] == [
        ("", "", 2),
        ("model.heads", "1", 2),
        ("model.heads", "2", 2),
        ("model.residual", "false", 2),
    ]
    assert rows[0]["scores"] == rows[2]["scores"]  # two heads are what the recipe has
    assert rows[0]["scores"] != rows[3]["scores"]
    runs = sorted(path.name for path in (tmp_path / "run-ablation").iterdir() if path.is_dir())
    assert runs == [
        f"{name}-seed-{seed}" for name in ("base", "model.heads=1", "model.residual=false") for seed in (1, 2)
    ]
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("model.safetensors")}
    second = run(*arguments)
    assert second.stdout == first.stdout
    assert times == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("model.safetensors")}


def test_the_table_has_means_and_ranges_and_says_what_diverged(recipe):
    (base, one) = read_variants(recipe, [], ["model.heads=1"])
    rows = [
        AblationRow(base, 1200, ({"exact": 0.5, "loss": 1.0}, {"exact": 1.0, "loss": 3.0})),
        AblationRow(one, 0, (), diverged=2),
    ]
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in ablation_table(rows, "exact").splitlines()
    ]
    assert lines[0] == ["changed", "to", "parameters", "exact", "loss"]
    assert lines[2] == ["as it is", "", "1,200", "0.750 (0.500 – 1.000)", "2.000 (1.000 – 3.000)"]
    assert lines[3] == ["model.heads", "1", "", "diverged", "diverged"]
    assert Variant("", "", base.recipe).name == "as it is"


def test_seeds_are_numbers(recipe):
    result = run(recipe, "--vary", "model.heads=1", "--seeds", "one")
    assert result.exit_code == 2
    assert "--seeds 'one': numbers with commas between them expected" in result.stderr

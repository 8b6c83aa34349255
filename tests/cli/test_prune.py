"""`regard prune`, as it is typed."""

import json

import pytest
from cli.test_heads import LABELS
from click.testing import CliRunner
from tasks.tiny import bert

import regard
from regard.cli.main import regard as command
from regard.config.pruning import pruned_heads


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prune")
    bert("ForSequenceClassification", folder / "model", **LABELS)
    lines = ["the dog sleeps .\tgood", "a cat\tbad", "what a film !\tgood", "not bad\tbad"] * 6
    (folder / "lines.tsv").write_text("\n".join(lines) + "\n")
    return folder


def run(*arguments):
    return CliRunner().invoke(command, ["prune", *map(str, arguments)])


def test_a_folder_is_written_and_told_about(home, tmp_path):
    told = ("--keep", "0.5", "--data", home / "lines.tsv", "--out", tmp_path / "small")
    found = json.loads(run(home / "model", *told, "--json").output)
    small = regard.load(tmp_path / "small")
    assert found["pruned"] == pruned_heads(small.model.config)
    assert found["heads"] == [6, 3]
    assert found["before"].keys() == found["after"].keys() == {"accuracy", "f1", "loss"}
    assert small("the dog sleeps .").label in ("good", "bad")
    shown = run(home / "model", *told, "--tune", "2", "--test", home / "lines.tsv").output  # replaces the folder
    lines = shown.split("\n")
    assert lines[0].split() == ["before", "after", "ratio"]
    assert lines[1].split() == ["heads", "6", "3", "0.50"]
    assert json.loads((tmp_path / "small/pruning.json").read_text())["tuned"] == 2


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (["--data", "x", "--out", "y"], "Missing option '--keep'"),
        (["--keep", "0", "--data", "x", "--out", "y"], "0.0 is not in the range"),
        (["--keep", "0.5", "--out", "y"], "Missing option '--data'"),
        (["--keep", "0.5", "--data", "x", "--out", "y", "--by", "taste"], "'taste' is not one of"),
    ],
)
def test_wrong_usage_is_told_before_a_model_is_loaded(told, message, home):
    ran = run(home / "model", *told)
    assert ran.exit_code == 2
    assert message in ran.output

"""`regard diff`, as it is typed."""

import json

import pytest
from click.testing import CliRunner
from tasks.tiny import gpt2

import regard
from regard.cli.main import regard as command
from regard.tasks import reading_difference


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diff")
    for number in (1, 2):
        gpt2(folder / f"run/checkpoints/step-{number:08d}", n_inner=24 * number)
    return folder


def run(*arguments):
    ran = CliRunner().invoke(command, ["diff", *map(str, arguments)])
    assert ran.exit_code == 0, ran.output
    return ran.output


def steps(home):
    return [home / f"run/checkpoints/step-{number:08d}" for number in (1, 2)]


def test_two_models_are_compared(home, tmp_path):
    found = json.loads(run(*steps(home), "--text", "the dog", "--json"))
    expected = reading_difference.of_models(*map(regard.load, steps(home)), "the dog")
    assert found["divergence"] == expected.divergences()
    run(*steps(home), "--text", "the dog", "--output", tmp_path / "grid.svg")
    assert "decoder.1.self" in (tmp_path / "grid.svg").read_text()


def test_two_texts_are_compared_down_to_a_head(home):
    told = ("--text", "the dog", "--text", "the cat", "--at", "decoder.0.self", "--head", "2")
    found = json.loads(run(steps(home)[0], *told, "--json"))
    expected = reading_difference.of_texts(regard.load(steps(home)[0]), "the dog", "the cat").tile("decoder.0.self", 2)
    assert found["difference"] == expected.table
    assert len(found["rows"]) == 7
    assert "head 2" in run(steps(home)[0], *told)


def test_the_steps_of_a_run_are_compared(home):
    found = json.loads(run(home / "run", "--steps", "--text", "the dog", "--json"))
    assert found["steps"] == [1, 2]
    assert [*found["divergences"][0]] == ["decoder.0.self", "decoder.1.self"]
    assert "divergence from the step before" in run(home / "run", "--steps", "--text", "the dog")


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (["one", "--text", "a"], "give OTHER or a second --text"),
        (["one", "two", "--text", "a", "--text", "b"], "two models and one --text, or one model and two"),
        (["one", "two", "--steps", "--text", "a"], "--steps takes one MODEL and one --text"),
        (["one"], "Missing option '--text'"),
    ],
)
def test_wrong_usage_is_told_before_a_model_is_loaded(told, message):
    ran = CliRunner().invoke(command, ["diff", *told])
    assert ran.exit_code == 2
    assert message in ran.output

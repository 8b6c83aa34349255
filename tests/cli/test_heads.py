"""`regard heads`, as it is typed.

Also tests: tasks/heads/scoring.py.
"""

import json
import sys

import pytest
from click.testing import CliRunner
from tasks.tiny import bert
from torch.testing import assert_close

import regard
from regard.cli import main as cli
from regard.cli.heads import JUDGES
from regard.cli.main import regard as command
from regard.looking import ablation
from regard.tasks.evaluation import corpus_for
from regard.tasks.heads import JUDGES as KNOWN
from regard.tasks.heads import head_data

LABELS = {"id2label": {0: "bad", 1: "good"}, "label2id": {"bad": 0, "good": 1}}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("heads")
    bert("ForSequenceClassification", folder / "model", **LABELS)
    (folder / "lines.tsv").write_text("the dog sleeps .\tgood\na cat\tbad\nwhat a film !\tgood\n")
    return folder


def run(*arguments):
    ran = CliRunner().invoke(command, ["heads", *map(str, arguments)])
    assert ran.exit_code == 0, ran.output
    return ran.output


def test_every_judge_can_be_asked():
    assert {*JUDGES} == {*KNOWN}


def test_numbers_are_those_of_the_library(home):
    found = json.loads(run(home / "model", home / "lines.tsv", "--by", "ablation", "--json"))
    task = regard.load(home / "model")
    expected = ablation(task.model, head_data(task, corpus_for(task, [home / "lines.tsv"])).evaluation_set())
    assert found["by"] == "ablation"
    for layer, row in expected.items():
        assert [head for head, _ in found["scores"][layer]] == [0, 1, 2]
        assert_close([score for _, score in found["scores"][layer]], row.tolist())


def test_the_grid_is_drawn_and_both_ends_are_named(home, tmp_path):
    shown = run(home / "model", home / "lines.tsv", "--by", "confidence", "--output", tmp_path / "heads.svg")
    assert shown.startswith("confidence: the mean of a head's largest weight")
    assert [line.split()[0] for line in shown.split("\n")[-3:-1]] == ["highest", "lowest"]
    assert "encoder.1.self" in (tmp_path / "heads.svg").read_text()


def test_what_is_wrong_is_one_line(home, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["regard", "heads", str(home / "model"), str(home / "none.tsv")])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 1
    assert capsys.readouterr().err.startswith("regard: ")

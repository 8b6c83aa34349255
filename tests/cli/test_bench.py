"""A benchmark of a small model, beside the peers that are installed.

Also tests: tasks/benchmark/clock.py, tasks/benchmark/contenders.py, tasks/benchmark/peers.py, tasks/benchmark/run.py,
tasks/benchmark/shapes.py, tasks/benchmark/token_spec.py.
"""

import json

import pytest
from click.testing import CliRunner

from regard.cli.main import regard
from regard.errors import RegardError
from regard.tasks.benchmark import ModelShape, contenders, peers, random_folder

CASES = ["batch 1 greedy", "batch 1 beam 2", "batch 2 greedy", "batch 2 beam 2"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The command, with a model so small that nobody waits for it."""
    monkeypatch.setattr("regard.tasks.benchmark.clock.SHORTEST", 0.0)
    monkeypatch.setattr("regard.tasks.benchmark.clock.PAUSE", 0.0)
    folder = random_folder(ModelShape("marian", 16, 1, 2, 50), tmp_path / "model")

    def command(*arguments):
        told = ["bench", "--quick", "--model", str(folder), "--batch", "2", "--beam", "2", "--threads", "1"]
        return CliRunner().invoke(regard, [*told, *arguments], catch_exceptions=False)

    return command


def test_a_table_and_bars_are_printed_for_every_case(run):
    pytest.importorskip("transformers")
    lines = run().output.splitlines()
    titles = [line.split(": ")[0] for line in lines if "tokens in" in line]
    assert [title.split(", ")[-1] for title in titles] == CASES
    assert sum(line.lstrip().startswith("transformers ") for line in lines) == 8
    assert sum("█" in line for line in lines) >= 4


def test_json_has_every_round_and_all_in_float32_write_the_same(run):
    pytest.importorskip("transformers")
    found = json.loads(run("--json").output)
    assert [(race["case"]["batch"], race["case"]["beam"]) for race in found["races"]] == [
        (1, 1),
        (1, 2),
        (2, 1),
        (2, 2),
    ]
    for race in found["races"]:
        assert {"regard, PyTorch step", "transformers"} <= race["rows"].keys()
        for name, row in race["rows"].items():
            assert len(row["seconds"]) == 2
            assert row["equal"] == 1 or "16" in name or "int8" in name


def test_who_is_not_installed_is_named(run, monkeypatch):
    monkeypatch.setattr(contenders, "find_spec", lambda name: None)
    output = run().output
    assert "transformers did not take part: pip install transformers" in output
    assert "CTranslate2 float32 did not take part: pip install ctranslate2 transformers" in output
    assert "regard, PyTorch step" in output


def test_what_a_peer_cannot_do_is_said_in_one_line(run, monkeypatch):
    def refuse(*given):
        raise ValueError("no\nway")

    monkeypatch.setitem(peers.PEERS, "transformers", peers.Peer((), False, refuse))
    assert "transformers did not take part: no way" in run().output


def test_a_model_that_does_not_write_is_refused(tmp_path):
    from regard.checkpoints import save_model
    from regard.families.bert import preset as bert
    from regard.models import build

    folder = save_model(build(bert(1, 8, 2, 20)), tmp_path / "bert", {"model_type": "bert"}, "BertForPreTraining")
    with pytest.raises(RegardError, match="BertForPreTraining does not write"):
        CliRunner().invoke(regard, ["bench", "--model", str(folder)], catch_exceptions=False)

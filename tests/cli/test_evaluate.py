"""`regard evaluate`, as it is typed."""

import json
import sys

import pytest
from click.testing import CliRunner
from tasks.evaluated import LINES, learned, write_texts

from regard.cli import main as cli
from regard.cli.main import regard as command

sacrebleu = pytest.importorskip("sacrebleu")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluate")
    write_texts(folder)
    learned(folder, "translate", "train.steps=40")
    learned(folder, "classify")
    return folder


def run(*arguments):
    ran = CliRunner().invoke(command, ["evaluate", *map(str, arguments)])
    assert ran.exit_code == 0, ran.output
    return ran.output


@pytest.mark.parametrize("swap", [False, True])
def test_the_scores_are_those_of_the_hypotheses_as_written(home, tmp_path, swap):
    out = tmp_path / "out"
    files = [home / "test.en", home / "test.de"]
    pair = [*reversed(files), "--swap"] if swap else files
    options = ("--beam", "2", "--tokenize", "none", "--lowercase", "--hypotheses", out, "--json")
    found = json.loads(run(home / "translate/model", *pair, *options))
    hypotheses = out.read_text().split("\n")[:-1]
    references = files[1].read_text().replace("@@ ", "").split("\n")[:-1]
    assert len(hypotheses) == found["texts"] == LINES
    bleu = sacrebleu.metrics.BLEU(tokenize="none", lowercase=True)
    assert found["scores"]["bleu"] == bleu.corpus_score(hypotheses, [references]).score > 0
    assert found["details"]["bleu"]["signature"] == str(bleu.get_signature())


def test_scores_and_tables_are_printed(home):
    lines = run(home / "translate/model", home / "test.tsv", "--beam", "1").split("\n")
    assert lines[0].split() == ["texts", str(LINES)]
    assert [line.split("  ")[0] for line in lines[1:7]] == [
        *("bleu", "chrf", "loss", "perplexity", "word perplexity", "bits per character"),
    ]
    assert lines[8].split() == ["words", "texts", "bleu", "chrf", "perplexity"]
    assert any(line.startswith("bleu: signature nrefs:1|case:mixed|eff:no|tok:13a") for line in lines)


def test_a_classifier_is_measured_by_its_labels(home):
    shown = run(home / "classify/model", home / "test.labels")
    assert "accuracy" in shown
    assert "animal" in shown
    found = json.loads(run(home / "classify/model", home / "test.labels", "--json"))
    assert set(found["scores"]) == {"accuracy", "f1", "loss"}
    assert set(found["tables"]) == {"label", "words"}


def ended(monkeypatch, capsys, *arguments):
    """The exit code and what was said on stderr."""
    monkeypatch.setattr(sys, "argv", ["regard", "evaluate", *map(str, arguments)])
    with pytest.raises(SystemExit) as end:
        cli.main()
    return end.value.code, capsys.readouterr().err


def test_files_of_unequal_length_are_one_line(home, tmp_path, monkeypatch, capsys):
    short = tmp_path / "short.de"
    short.write_text("THE CAT\n")
    code, said = ended(monkeypatch, capsys, home / "translate/model", home / "test.en", short)
    told = f"{home / 'test.en'} has {LINES} lines, {short} has 1"
    assert (code, said) == (1, f"regard: {home / 'test.en'}:2: no line to go with it: {told}\n")


def test_without_sacrebleu_one_line_names_the_extra(home, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    code, said = ended(monkeypatch, capsys, home / "translate/model", home / "test.tsv")
    missing = "BLEU is counted by sacrebleu, which is not installed: pip install 'regard[train]'"
    assert (code, said) == (1, f"regard: {missing}\n")


def test_data_is_not_overwritten(home, monkeypatch, capsys):
    data = home / "test.tsv"
    before = data.read_bytes()
    code, said = ended(monkeypatch, capsys, home / "translate/model", data, "--hypotheses", data)
    assert code == 2
    assert "--hypotheses would overwrite DATA" in said
    assert data.read_bytes() == before

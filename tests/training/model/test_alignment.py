"""Recurrent translators learn by the same recipes, and are used by the same commands.

Also tests: training/model/initial.py.
"""

import json
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from training.tiny import tiny, write_pairs
from training.watching import Quiet

import regard
from regard.checkpoints import load_model
from regard.cli.main import regard as command
from regard.errors import RegardError
from regard.families.recipe import DataSizes
from regard.models import AlignConfig
from regard.training import train
from regard.training.data.readers import read_training_data
from regard.training.model.initial import initialise
from regard.training.model.model_plans import model_plan

KIND = "model.kind=alignment"
SCORES = {
    "additive": AlignConfig("additive", "before", 2, 32),
    "concat": AlignConfig("additive", "after", 2, 32),
    "general": AlignConfig("bilinear", "after", 2, 32),
    "dot": AlignConfig("dot", "after", 2, 32),
    "multihead": AlignConfig("multihead", "after", 2, 32),
    "none": None,
}


@pytest.mark.parametrize("score", SCORES)
def test_a_recipe_names_scores_as_the_papers_do(score, tmp_path):
    recipe = tiny(tmp_path, KIND, "model.embedding_width=32", f"model.score.kind={score}")
    assert model_plan(recipe.model, DataSizes(20)).config.align == SCORES[score]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("model.score.kind=dots", "unknown score (model.score.kind) 'dots': did you mean 'dot'?"),
        ("model.cell=elman", "unknown model.cell 'elman'"),
        ("model.local=sideways", "unknown model.local 'sideways'"),
        ("model.activation=relu", "unknown deep output 'relu'"),
    ],
)
def test_a_wrong_key_is_one_line(change, message, tmp_path):
    with pytest.raises(RegardError) as caught:
        train(tiny(tmp_path, KIND, change), reporting=Quiet())
    assert message in str(caught.value)


def test_the_same_seed_begins_alike(tmp_path):
    recipe = tiny(tmp_path, KIND, "model.cell=lstm")
    from regard.models import build

    config = model_plan(recipe.model, read_training_data(recipe, tmp_path, print).sizes).config
    first, second = build(config), build(config)
    initialise(first, 5)
    torch.manual_seed(99)
    initialise(second, 5)
    assert all(torch.equal(one, other) for one, other in zip(first.parameters(), second.parameters(), strict=True))
    hidden = first.decoder.cells.weight_hh_l0.detach().split(first.config.writes.width)
    for gate in hidden:
        torch.testing.assert_close(gate @ gate.T, torch.eye(len(gate)), rtol=0, atol=1e-5)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A translator that turns sentences around: the words of the target stand at the other end of the source."""
    folder = tmp_path_factory.mktemp("alignment")
    changes = ["model.width=48", "model.score.kind=general"]
    changes += ["model.dropout=0", "train.steps=240", "train.batch_tokens=300"]
    changes += [
        "train.warmup=10",
        "train.save_every=240",
        "train.metric=bleu",
        "train.clip_norm=1",
        "train.log_every=60",
    ]
    recipe = tiny(folder, KIND, *changes)
    write_pairs(folder, train=1500)
    return train(recipe, reporting=Quiet())


def test_what_was_learned_is_translated_and_aligned(trained):
    translate = regard.load(trained)
    assert translate.name == "translate"
    answer = translate("the cat sees a big dog", beam=3, num_hypotheses=2)
    assert answer.text == "DOG BIG A SEES CAT THE"
    assert len(answer.alternatives) == 1
    assert set(answer.alignment.pharaoh.split()) == {f"{5 - position}-{position}" for position in range(6)}
    with regard.watch(translate.model) as seen:
        translate("the cat sees a big dog")
    assert torch.equal(seen["align"].weights()[0, 0, :6].argmax(-1), torch.arange(5, -1, -1))
    with regard.edit(translate.model) as edit:
        edit.hide(source=[1])
        assert "CAT" not in translate("the cat sees a big dog").text


def test_the_commands_know_it(trained, tmp_path):
    run = CliRunner().invoke(command, ["translate", "--model", str(trained), "--align", "--json", "old tree"])
    assert run.exit_code == 0, run.output
    told = json.loads(run.output)
    assert told["text"] == "TREE OLD"
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("the cat sees a big dog\tDOG BIG A SEES CAT THE\nold tree\tTREE OLD\n")
    run = CliRunner().invoke(command, ["evaluate", str(trained), str(pairs), "--json"])
    assert run.exit_code == 0, run.output
    assert json.loads(run.output)["scores"]["bleu"] == pytest.approx(100)


def test_its_card_promises_nothing_that_others_cannot_do(trained):
    card = (Path(trained) / "README.md").read_text()
    assert "`transformers`" not in card
    assert "library_name: regard" in card
    assert load_model(trained).config["model_type"] == "regard"

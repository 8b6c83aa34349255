"""The animal and the road: examples/animal.py, and the models of the lesson."""

import pytest
import torch
from demonstrations.examples import example, run_json

import regard
from regard.tasks.pronouns import pronoun_weights
from regard.text.synthetic.pronouns import PronounTask, sentence
from regard.text.synthetic.splits import SplitSizes, write_splits
from regard.viewer.learn.animal import CHOSEN, MODELS

animal = example("animal")
SMALLER = (
    "train.steps=250",
    "train.save_every=250",
    "data.make.train=3000",
    "data.make.valid=100",
    "data.make.test=100",
)


@pytest.fixture(scope="module")
def splits(tmp_path_factory):
    """The valid and the test split of the recipe; they do not depend on how much there is to learn from."""
    folder = tmp_path_factory.mktemp("splits")
    write_splits(PronounTask(), SplitSizes(train=1, valid=200, test=200), folder)
    return [animal.read_sentences(folder / f"{split}.tsv") for split in ("valid", "test")]


def test_the_recipe_asks_for_these_splits():
    made = animal.read_recipe(animal.RECIPE).data.make
    assert made.kind == "pronouns"
    assert made.settings["valid"] == made.settings["test"] == 200
    assert "seed" not in made.settings


@pytest.mark.parametrize(
    ("name", "share"), [("one-head", 0.95), pytest.param("two-heads", 0.9, marks=pytest.mark.proof)]
)
def test_the_head_that_the_valid_split_chose_prefers_the_right_noun(name, share, splits):
    task = regard.load(MODELS / name)
    result = animal.judge(task, *splits)
    layer, head = CHOSEN[name]
    assert result.looks.heads[result.head] == f"{layer} · {head}"
    assert len(splits[1]) == 200
    assert result.test >= share
    assert animal.tags_right(task, splits[1][:40]) >= 0.95


def test_the_noun_changes_with_the_adjective_in_the_sentence_of_the_figure():
    task = regard.load(MODELS / "one-head")
    layer, head = CHOSEN["one-head"]
    for adjective, right, wrong in (("tired", "animal", "road"), ("wide", "road", "animal")):
        for swapped in (False, True):
            seen = pronoun_weights(task, sentence("animal", "road", adjective, swapped=swapped))
            number = seen.heads.index((layer, head))
            assert seen.on(right)[number] > seen.on(wrong)[number]


def test_heads_that_look_at_a_planted_noun_are_chosen(splits, monkeypatch):
    """The measure itself: one head always looks at the right noun, one never, one at animals alone."""
    right = [torch.tensor([0.1, 0.6, 0.9 if one.right == one.animal else 0.1]) for one in splits[1]]
    wrong = [torch.tensor([0.6, 0.1, 0.1 if one.right == one.animal else 0.9]) for one in splits[1]]
    looks = animal.Looks(["a", "b", "c"], torch.stack(right), torch.stack(wrong), torch.zeros(len(right), 3))
    monkeypatch.setattr(animal, "look", lambda task, sentences: looks)
    result = animal.judge(None, splits[0], splits[1])
    assert (result.head, result.test) == (1, 1)
    assert looks.shares[0] == 0
    assert looks.shares[2] == pytest.approx(0.5, abs=0.1)


@pytest.mark.proof
def test_a_smaller_recipe_is_trained_and_told(tmp_path):
    changes = [part for change in SMALLER for part in ("--set", change)]
    found = run_json(animal, "--home", str(tmp_path), "--seed", "2", *changes, "--chart", str(tmp_path / "chart.svg"))
    shares = {row["model"]: row["test"] for row in found["models"]}
    assert found["sentences"] == 100
    assert shares["one head"] > 0.8
    assert shares["tags by lot"] < 0.65
    assert {row["head"] for row in found["heads"] if row["model"] == "two heads"} == {
        f"encoder.{layer}.self · {head}" for layer in (0, 1) for head in (0, 1)
    }
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")

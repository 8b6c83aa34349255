"""Zero, one and two layers: examples/induction.py, on fewer words and steps."""

import math

import pytest
import torch
from demonstrations.examples import example

induction = example("induction")
SMALLER = [
    "data.make.symbols=10", "data.make.length=15", "data.make.min_period=3", "data.make.max_period=6",
    "data.context=16", "data.make.train=2000", "data.make.valid=20", "data.make.test=100", "model.max_positions=16",
    "model.width=32", "train.steps=400", "train.save_every=400", "train.learning_rate=8e-3",
]  # fmt: skip


@pytest.fixture(scope="module")
def readers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return [induction.learn("repeats", layers, folder, SMALLER) for layers in induction.LAYERS]


def test_words_are_told_where_the_rule_can_be_followed():
    assert induction.is_told("bigrams", ["^", "a", "b", "a"]) == [False, True, True]
    assert induction.is_told("skip-trigrams", ["^", "A", "?", "d", "b"]) == [False, False, True, False]
    assert induction.is_told("repeats", ["^", *"abcabc"]) == [False, False, False, False, True, True]


def test_two_layers_foresee_what_comes_again_and_fewer_do_not(readers):
    none, one, two = (induction.told_loss(reader, "repeats") for reader in readers)
    assert two < 0.5
    assert one > 1.0
    assert none > one


def test_neither_head_can_be_missed(readers):
    _, without = induction.look(readers[-1])
    two = induction.told_loss(readers[-1], "repeats")
    assert all(min(losses) > two + 0.5 for losses in without.values())


def test_what_comes_first_surprises_and_what_comes_again_does_not(readers):
    losses = torch.tensor(induction.by_position(readers[-1], period=5, count=50))
    assert losses[:4].mean() > 1.5
    assert losses[-5:].mean() < 0.7


@pytest.mark.proof
def test_other_kinds_of_texts_are_learned_by_the_same_recipe(tmp_path):
    """One layer finds a topic that was named long ago; nobody says where."""
    reader = induction.learn("skip-trigrams", 1, tmp_path, SMALLER)
    assert induction.told_loss(reader, "skip-trigrams") < math.log(10) / 2  # a guess among ten words costs log 10

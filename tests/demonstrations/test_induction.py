"""Zero, one and two layers on texts that come back: examples/induction.py, on a smaller vocabulary and fewer steps."""

import pytest
import torch
from demonstrations.examples import example

induction = example("induction")
SMALLER = [
    "data.make.symbols=12", "data.make.length=19", "data.make.min_period=4", "data.make.max_period=9",
    "data.context=20", "data.make.train=2000", "data.make.valid=20", "data.make.test=100",
    "model.width=32", "train.steps=200",
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
    assert two < 0.3
    assert one > 1.0
    assert none > one


def test_the_first_layer_looks_one_back_the_second_at_what_followed_and_neither_can_be_missed(readers):
    heads, without = induction.look(readers[-1])
    layers = list(without)
    strongest = {
        kind: max(heads.heads(0), key=lambda h: (h.kind == kind, h.score)) for kind in ("previous", "induction")
    }
    assert [strongest[kind].layer for kind in ("previous", "induction")] == layers
    assert min(head.score for head in strongest.values()) > 0.4
    two = induction.told_loss(readers[-1], "repeats")
    assert max(without[layers[0]]) > two + 0.5
    assert max(without[layers[1]]) > two + 0.5


def test_what_comes_first_surprises_and_what_comes_again_does_not(readers):
    losses = torch.tensor(induction.by_position(readers[-1], period=8, count=50))
    assert losses[:4].mean() > 1.5
    assert losses[-8:].mean() < 0.3

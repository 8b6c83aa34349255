"""How far a word reaches, and what company it keeps: examples/paths.py and examples/company.py."""

import importlib.util
import random
from pathlib import Path

import torch

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_a_recurrent_net_forgets_attention_does_not():
    table = example("paths").measured(seeds=2)
    by_distance = dict(zip(example("paths").DISTANCES, zip(*table.values(), strict=True), strict=True))
    recurrent, convolution, dilated, attention = by_distance[64]
    assert recurrent < 1e-6
    assert recurrent < convolution < 0.5  # four steps at least
    assert 0.2 < dilated < 5
    assert 0.2 < attention < 5


def test_eight_layers_reach_as_far_as_their_kernels_are_long():
    """Plain ones take k - 1 positions a layer, dilated ones of two tokens 1 + 2 + 4 + …: nothing is from beyond."""
    paths = example("paths")
    torch.manual_seed(1)
    for net, reach in ((paths.convolution(), 8 * (paths.KERNEL - 1)), (paths.dilated(), 255)):
        at_reach = paths.gradient(net, reach, torch.Generator().manual_seed(1))
        beyond = (
            [paths.gradient(net, reach + 1, torch.Generator().manual_seed(1))] if reach + 1 < paths.LENGTH else [0.0]
        )
        assert at_reach > 0
        assert beyond == [0.0]


def test_names_that_stand_in_the_same_places_lie_close_together(monkeypatch):
    """Names and towns take the same two places of a sentence, but never each other's."""
    company = example("company")
    monkeypatch.setattr(company, "FREQUENT", 1e4)
    names, towns, verbs = ["tom", "ann", "bob", "eve"], ["rome", "bonn", "oslo", "lima"], ["sees", "likes", "calls"]
    draw = random.Random(1)
    texts = [
        [draw.choice(names), draw.choice(verbs), draw.choice(names), "near", draw.choice(towns), "today"]
        for _ in range(1500)
    ]
    torch.manual_seed(1)
    found = company.learn(texts, width=16, epochs=8, rows=256, rate=1e-2)
    for word, kind in [*((name, names) for name in names), *((town, towns) for town in towns)]:
        assert {other for other, _ in found.nearest(word, 3)} == set(kind) - {word}


def test_sentences_that_make_themselves_are_enough():
    company = example("company")
    torch.manual_seed(1)
    learned = company.learn(company.made_sentences(seed=1)[:2000], width=16, epochs=4, rows=256, rate=1e-2)
    for kind in ("drink", "number", "colour"):
        words = set(company.KINDS[kind])
        assert all({other for other, _ in learned.nearest(word, 3)} <= words for word in words)


def test_words_of_which_nothing_was_learned_are_alike():
    company = example("company")
    torch.manual_seed(1)
    alike = company.learn(company.made_sentences(seed=1)[:300], epochs=1)
    assert company.Company(alike.words, torch.ones(len(alike.words), 4) / 2).sameness() > company.ALIKE
    assert abs(company.Company(["a", "b"], torch.eye(2)).sameness()) < 1e-6

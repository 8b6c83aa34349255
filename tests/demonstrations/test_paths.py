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
    recurrent, convolution, attention = by_distance[64]
    assert recurrent < 1e-6
    assert 0.2 < convolution < 5
    assert 0.2 < attention < 5


def test_names_that_stand_in_the_same_places_lie_close_together(monkeypatch):
    """Names and towns take the same two places of a sentence, but never each other's."""
    company = example("company")
    monkeypatch.setattr(company, "FREQUENT", 1.0)
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

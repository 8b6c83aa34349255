"""Small models, texts, settings and edits drawn at random: what holds in the matrix holds everywhere between.

    LIVE_EXAMPLES=500 python -m pytest -m proof tests/looking/live/test_drawn_models.py

draws so many; without the variable it is 10,000.
"""

import os

import pytest
import torch
from hypothesis import HealthCheck, assume, given, note, settings
from looking.live.comparisons import apart, assert_same, compare
from looking.live.edit_runs import assert_one_pass
from looking.live.examples import Example, examples, pool, randomise, records
from looking.live.families import BIASED, FAMILIES
from looking.live.references import shadowed
from looking.live.runs import run

import regard
from regard.looking.layer_names import LayerNames

EXAMPLES = int(os.environ.get("LIVE_EXAMPLES", "10000"))


def check(example: Example) -> None:
    """All that is held of a live model."""
    note(str(example))
    family, setting = FAMILIES[example.name], example.setting
    model, other = (pool(example.name, example.shape, kind) for kind in (setting.implementation, "eager"))
    # Scores that nobody scales are large already: rounding alone would take implementations apart.
    randomise([model, other], example.seed, spread=0.2 if example.name in BIASED else 0.3)
    names = [list(LayerNames(model).layers)[number] for number in example.watched]
    plain = run(model, family, setting)
    with regard.watch(model, *names) as seen:
        watched = run(model, family, setting)
    assert_same(watched, plain)
    assert list(seen) == names
    rounds = setting.cache == "quantised" and setting.implementation != "eager"
    expected = shadowed(model, other, family, setting) if rounds else run(other, family, setting, attentions=True)
    if plain.tokens is not None:
        assume(torch.equal(plain.tokens, expected.tokens))  # two implementations may choose differently in a tie
    assume(apart(family, setting, plain, expected) < 1e-3)
    compare(family, setting, model, seen, expected)
    if example.edits and setting.cache not in ("no cache", "quantised") and setting.way in ("forward", "greedy"):
        assert_one_pass(model, family, setting, records(example, model))


def run_examples(number: int):
    health = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    return settings(max_examples=number, deadline=None, suppress_health_check=health)


@pytest.mark.filterwarnings("ignore:.*never reached")  # some edits are of tokens that a short text does not have
@run_examples(15)
@given(examples())
def test_a_few_models_drawn_at_random_are_watched_exactly(example):
    check(example)


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore:.*never reached")
@run_examples(EXAMPLES)
@given(examples())
def test_ten_thousand_models_drawn_at_random_are_watched_exactly(example):
    check(example)

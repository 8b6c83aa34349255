"""A step of learning beside torch's own.

Also tests: training/optimisation/learner.py, training/optimisation/optimiser.py.
"""

import math

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from regard.families.recipe import DataSizes, ModelRecipe
from regard.models import build
from regard.training.model.initial import initialise
from regard.training.model.model_plans import model_plan
from regard.training.objectives import TranslationObjective
from regard.training.optimisation.learner import Learner, freeze
from regard.training.optimisation.optimiser import clip_gradients, make_optimiser, moments, restore_moments
from regard.training.optimisation.training_step import training_step

WORDS = 17


def learner(smoothing=0.1):
    model = build(
        model_plan(
            ModelRecipe(width=8, heads=2, layers=(1,), feed_forward_width=16, dropout=0.0), DataSizes(WORDS)
        ).config
    )
    initialise(model, seed=1)
    return Learner(model, TranslationObjective(start=0, pad=0), smoothing=smoothing)


def rows(count):
    draw = np.random.default_rng(0)
    return [tuple(draw.integers(1, WORDS, draw.integers(1, 9)) for _ in range(2)) for _ in range(count)]


def batched(some, sizes):
    objective, batches = TranslationObjective(start=0, pad=0), []
    for size in sizes:
        batches.append(objective.batch(some[:size], torch.Generator()))
        some = some[size:]
    return batches


def adam(model, **changes):
    return make_optimiser(
        model, "adam", **({"learning_rate": 0.0, "betas": (0.9, 0.98), "epsilon": 1e-9, "weight_decay": 0.0} | changes)
    )


def gradients(sizes):
    mine = learner()
    done = training_step(mine, batched(rows(32), sizes), adam(mine), learning_rate=0.0)
    return {name: weight.grad for name, weight in mine.model.named_parameters()}, done


@pytest.mark.parametrize("sizes", [[8, 8, 8, 8], [1, 30, 1], [16, 16]])
def test_batches_that_are_added_up_are_one_batch(sizes):
    whole, one = gradients([32])
    parts, several = gradients(sizes)
    assert_close(parts, whole, rtol=1e-4, atol=1e-7)
    assert (several.count, several.tokens) == (one.count, one.tokens)
    assert several.loss == pytest.approx(one.loss, rel=1e-5)


def test_a_gradient_that_is_no_number_changes_nothing():
    mine = learner()
    optimiser = adam(mine)
    training_step(mine, batched(rows(4), [4]), optimiser, learning_rate=0.01)
    before = {name: weight.clone() for name, weight in mine.state_dict().items()}
    mine.register_forward_hook(lambda module, inputs, output: (output[0] * math.nan, *output[1:]))
    done = training_step(mine, batched(rows(4), [4]), optimiser, learning_rate=0.01)
    assert done.skipped
    assert_close(dict(mine.state_dict()), before, rtol=0, atol=0)
    assert all(int(known["step"]) == 1 for known in optimiser.state.values())


def test_a_step_tells_those_who_keep_copies_of_the_weights():
    mine = learner()
    versions = [weight._version for weight in mine.parameters()]
    training_step(mine, batched(rows(4), [4]), adam(mine), learning_rate=0.01)
    assert all(weight._version > old for weight, old in zip(mine.parameters(), versions, strict=True))


def test_gradients_are_clipped_together():
    weights = [torch.nn.Parameter(torch.zeros(3)), torch.nn.Parameter(torch.zeros(2, 2))]
    for weight in weights:
        weight.grad = torch.full_like(weight, 2.0)
    assert float(clip_gradients(weights, 1.0)) == pytest.approx(2 * math.sqrt(7))
    assert float(clip_gradients(weights, 0.0)) == pytest.approx(1.0, abs=1e-5)


def test_only_what_multiplies_decays():
    optimiser = adam(learner(), weight_decay=0.1)
    for group in optimiser.param_groups:
        assert all((weight.dim() > 1) == (group["weight_decay"] > 0) for weight in group["params"])


def test_an_optimiser_s_memory_goes_by_names():
    mine = learner()
    names = {weight: name for name, weight in mine.named_parameters()}
    optimiser = adam(mine)
    training_step(mine, batched(rows(4), [4]), optimiser, learning_rate=0.01)
    other = adam(mine)
    lacking, unwanted = restore_moments(other, names, moments(optimiser, names))
    assert not lacking
    assert not unwanted
    assert_close(moments(other, names), moments(optimiser, names), rtol=0, atol=0)


def test_frozen_weights_are_named_by_their_layer():
    mine = learner()
    kept, learning = freeze(mine.model, ("encoder.0", "decoder.0.self"))
    assert all(name.startswith(("encoder.stack.blocks.0.", "decoder.stack.blocks.0.self.")) for name in kept)
    assert "decoder.stack.blocks.0.self_norm.weight" in learning
    training_step(mine, batched(rows(4), [4]), adam(mine), learning_rate=0.01)
    assert mine.model.encoder.stack.blocks[0].self.output.weight.grad is None

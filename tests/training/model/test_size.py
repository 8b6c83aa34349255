"""A model is measured before it is made."""

from dataclasses import replace

import pytest
import torch

from regard.errors import RecipeError
from regard.families import EXAMPLES
from regard.families.recipe import DataSizes, ModelRecipe
from regard.models import build
from regard.training.model import size
from regard.training.model.model_plans import model_plan


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_model_takes_what_was_said_before_it_was_made(name):
    config = EXAMPLES[name]().config
    before = torch.random.get_rng_state()
    said = size.model_bytes(config)
    assert torch.equal(torch.random.get_rng_state(), before)
    model = build(config)
    assert said == sum(one.numel() * one.element_size() for one in (*model.parameters(), *model.buffers()))


LARGE = [{"width": 1 << 17}, {"layers": (40,), "width": 32768}, {"max_positions": 1 << 24, "width": 1024}]


@pytest.mark.parametrize("change", LARGE)
@pytest.mark.parametrize("kind", ["transformer", "decoder", "encoder", "alignment"])
def test_a_model_that_no_memory_holds_is_refused_and_not_made(kind, change, monkeypatch):
    monkeypatch.setattr(size, "machine_memory", lambda: 16 << 30)
    monkeypatch.setattr("regard.training.model.parts.build_small", pytest.fail)
    if kind in ("transformer", "alignment") and "max_positions" in change:
        pytest.skip("its positions are computed")
    model = replace(ModelRecipe(kind=kind, width=64), **change)
    with pytest.raises(RecipeError, match=r"model: its weights alone take .* GB, and this machine has 16.0"):
        model_plan(model, DataSizes(50))


def test_a_system_that_does_not_tell_its_memory_refuses_nothing(monkeypatch):
    monkeypatch.setattr(size.os, "sysconf", lambda name: -1 if name == "SC_PHYS_PAGES" else 4096)
    assert size.machine_memory() is None
    monkeypatch.delattr(size.os, "sysconf")  # as on Windows
    assert size.machine_memory() is None
    size.check_size(EXAMPLES["marian"]().config)

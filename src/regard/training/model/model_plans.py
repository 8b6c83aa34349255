"""A recipe becomes a model, in the layout of a family that others can load."""

from dataclasses import replace

from regard.config import AlignerConfig
from regard.errors import RecipeError, lookup
from regard.families import RECIPES
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe
from regard.layers import CELLS
from regard.training.model.parts import has_words, own_layout, try_out, with_parts


def model_plan(model: ModelRecipe, sizes: DataSizes) -> ModelPlan:
    """What a recipe's model is made of."""
    families = lookup(RECIPES, model.kind, "model kind")
    family = lookup(families, model.family or next(iter(families)), f"family of {model.kind} (model.family)")
    if len(model.layers) > (2 if model.kind in ("transformer", "alignment") else 1) or min(model.layers, default=0) < 1:
        raise RecipeError(f"model.layers = {list(model.layers)}: one number from 1 on expected, or two for two sides")
    if model.heads < 1 or model.width % model.heads:
        raise RecipeError(f"model.heads = {model.heads}: a width of {model.width} cannot be split into so many")
    assert family.plan is not None
    plan = family.plan(model, sizes)
    if isinstance(plan.config, AlignerConfig):
        lookup(CELLS, plan.config.cell, "cell (model.cell)")
    if model.kind in ("alignment", "memory"):
        return plan
    config = with_parts(plan.config, model)
    try_out(config)
    if has_words(config, plan.architecture, plan.config_entries):
        return replace(plan, config=config)
    return own_layout(config, plan.config_entries)

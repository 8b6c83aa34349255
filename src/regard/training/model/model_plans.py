"""A recipe becomes a model, in the layout of a family that others can load."""

from dataclasses import replace

from regard.errors import RecipeError, lookup
from regard.families import RECIPES
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe
from regard.families.recipe_parts import changes_blocks, with_parts
from regard.settings import shown
from regard.training.model.parts import LIBRARY, has_words, own_layout, try_out
from regard.training.model.size import check_size


def model_plan(model: ModelRecipe, sizes: DataSizes) -> ModelPlan:
    """What a recipe's model is made of."""
    families = lookup(RECIPES, model.kind, "model kind")
    family = lookup(families, model.family or next(iter(families)), f"family of {model.kind} (model.family)")
    if not 1 <= len(model.layers) <= (2 if model.kind in ("transformer", "alignment", "masked-aligner") else 1):
        raise RecipeError(f"model.layers = {shown(model.layers)}: one number expected, or two for two sides")
    if 0 in model.layers and model.kind not in ("encoder", "decoder"):
        raise RecipeError(f"model.layers = 0: an encoder or a decoder can do without, not {model.kind!r}")
    if model.width % model.heads:
        raise RecipeError(f"model.heads = {model.heads}: a width of {model.width} cannot be split into so many")
    assert family.plan is not None
    plan = family.plan(model, sizes)
    if model.kind in ("alignment", "memory"):
        if model.value_width:
            raise RecipeError(f"model.value_width = {model.value_width}: a {model.kind} has no heads of its own width")
        if changes_blocks(model):
            raise RecipeError(f"model.kind = {model.kind!r} has no residuals, norms or feed-forward layers to change")
        check_size(plan.config)
        return plan
    config = with_parts(plan.config, model, LIBRARY)
    try_out(config, model.max_positions)
    if has_words(config, plan.architecture, plan.config_entries):
        return replace(plan, config=config)
    return own_layout(config, plan.config_entries)

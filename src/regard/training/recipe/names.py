"""The names that a recipe may use, before anything is read: each is in a table of the library."""

from collections.abc import Mapping

from regard.errors import RecipeError, UnknownName, lookup
from regard.families import RECIPES
from regard.families.recipe_fields import check_fields
from regard.layers import CELLS, NORMS
from regard.layers.alignment_attention import LOCAL
from regard.layers.deep_output import DEEP_ACTIVATIONS
from regard.layers.feedforward import ACTIVATIONS
from regard.models.memory import TYINGS
from regard.text.labelled import LAYOUTS
from regard.text.learning import KINDS
from regard.text.synthetic import SYNTHETIC_TASKS
from regard.text.windows import ORDERS
from regard.training.objectives import OBJECTIVES
from regard.training.optimisation.learner import PRECISIONS
from regard.training.optimisation.optimiser import OPTIMISERS
from regard.training.optimisation.schedules import SCHEDULES
from regard.training.recipe.recipe import Recipe


def check_recipe(recipe: Recipe) -> None:
    """Raise RecipeError, which begins with the key, for a value or a name that a recipe may not have."""
    check_fields(Recipe, vars(recipe))
    check_names(recipe)


def check_names(recipe: Recipe) -> None:
    """Raise RecipeError for a name that its table does not hold; what a model's parts are called, the model knows."""
    data, tokenizer, model, train = recipe.data, recipe.tokenizer, recipe.model, recipe.train
    if data.make.kind:
        check_name("data.make.kind", data.make.kind, SYNTHETIC_TASKS)
    if bool(data.make.kind) == bool(data.train):
        raise RecipeError("data.train: either files or [data.make] expected, got " + ("both" if data.train else "none"))
    for number, more in enumerate(data.also, 1):
        if train.objective not in ("translate", "align"):
            raise RecipeError(f"data.also: pairs of texts, which train.objective {train.objective!r} does not read")
        if not more.train:
            raise RecipeError(f"data.also.train: no file in table {number}")
    check_name("data.label", data.label, LAYOUTS)
    check_name("data.windows", data.windows, ORDERS)
    if not tokenizer.kind.endswith(".json"):
        check_name("tokenizer.kind", tokenizer.kind, KINDS)
    check_name("model.kind", model.kind, RECIPES)
    if model.family:
        check_name("model.family", model.family, RECIPES[model.kind])
    if model.activation:
        check_name("model.activation", model.activation, {**ACTIVATIONS, **DEEP_ACTIVATIONS})
    if model.norm:
        check_name("model.norm", model.norm, NORMS)
    check_name("model.cell", model.cell, CELLS)
    if model.local:
        check_name("model.local", model.local, LOCAL)
    check_name("model.weight_tying", model.weight_tying, TYINGS)
    check_name("train.objective", train.objective, OBJECTIVES)
    check_name("train.optimiser", train.optimiser, OPTIMISERS)
    if train.lora_rank and train.optimiser not in ("adam", "adamw"):
        raise RecipeError(f"train.lora_rank: learned by Adam, got train.optimiser = {train.optimiser!r}")
    if train.lora_rank and train.shard:
        raise RecipeError("train.lora_rank: weights that are split have no products of that rank: train.shard = false")
    if train.shard and train.optimiser == "muon":
        raise RecipeError('train.shard: weights that are split have no singular values: train.optimiser = "adamw"')
    check_name("train.schedule", train.schedule, SCHEDULES)
    check_name("train.precision", train.precision, PRECISIONS)


def check_name(key: str, name: str, table: Mapping[str, object]) -> None:
    try:
        lookup(table, name, key)
    except UnknownName as problem:
        raise RecipeError(str(problem)) from None

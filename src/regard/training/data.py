"""The data of every objective."""

from collections.abc import Callable
from pathlib import Path

from regard.errors import lookup
from regard.text import DataError
from regard.training.materials import Say, TrainingData, classify, translate
from regard.training.questions import answer
from regard.training.reading import RecipeError
from regard.training.recipe import Recipe
from regard.training.streams import masked, next_token

MATERIALS: dict[str, Callable[[Recipe, Path, Say], TrainingData]] = {
    "translate": translate,
    "next-token": next_token,
    "masked": masked,
    "classify": classify,
    "answer": answer,
}
"""How the data of an objective is read."""


def material(recipe: Recipe, home: Path, say: Say) -> TrainingData:
    """Read the data of a recipe; what is derived from it is kept in `home`."""
    found = lookup(MATERIALS, recipe.train.objective, "objective")(recipe, home, say)
    if recipe.model.kind not in found.objective.kinds:
        able = " or ".join(found.objective.kinds)
        raise RecipeError(f"model.kind = {recipe.model.kind!r}: train.objective {found.objective.name!r} needs {able}")
    if not len(found.rows):
        raise DataError(f"{recipe.data.train[0]}: no text left to learn from")
    return found

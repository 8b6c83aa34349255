"""The data of every objective."""

from collections.abc import Callable
from pathlib import Path

from regard.errors import lookup
from regard.text import DataError
from regard.training.data.questions import answer_data
from regard.training.data.streams import masked_data, next_token_data
from regard.training.data.tags import tag_data
from regard.training.data.training_data import Say, TrainingData, classification_data, translation_data
from regard.training.recipe.reading import RecipeError
from regard.training.recipe.recipe import Recipe

READERS: dict[str, Callable[[Recipe, Path, Say], TrainingData]] = {
    "translate": translation_data,
    "next-token": next_token_data,
    "masked": masked_data,
    "classify": classification_data,
    "tag": tag_data,
    "answer": answer_data,
    "align": translation_data,
}
"""How the data of an objective is read."""


def read_training_data(recipe: Recipe, home: Path, say: Say) -> TrainingData:
    """Read the data of a recipe; what is derived from it is kept in `home`."""
    data = lookup(READERS, recipe.train.objective, "objective")(recipe, home, say)
    if recipe.model.kind not in data.objective.kinds:
        able = " or ".join(data.objective.kinds)
        raise RecipeError(f"model.kind = {recipe.model.kind!r}: train.objective {data.objective.name!r} needs {able}")
    if recipe.train.metric not in data.objective.metrics:
        metrics = ", ".join(data.objective.metrics)
        raise RecipeError(f"train.metric = {recipe.train.metric!r}: known here are {metrics}")
    if not len(data.examples):
        raise DataError(f"{recipe.data.train[0]}: no text left to learn from")
    return data

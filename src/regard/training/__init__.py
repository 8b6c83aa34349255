"""Learning from text: one recipe, exact resume, a folder that others can load."""

from regard.training.recipe.reading import RecipeError, read_recipe
from regard.training.recipe.recipe import Recipe
from regard.training.run.estimate import estimate, format_estimate
from regard.training.run.session import train
from regard.training.run.signals import Stopped

__all__ = ["Recipe", "RecipeError", "Stopped", "estimate", "format_estimate", "read_recipe", "train"]

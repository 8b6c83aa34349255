"""Learning from text: one recipe, exact resume, a folder that others can load."""

from regard.training.estimate import estimate, format_estimate
from regard.training.reading import RecipeError, read_recipe
from regard.training.recipe import Recipe
from regard.training.session import train
from regard.training.signals import Stopped

__all__ = ["Recipe", "RecipeError", "Stopped", "estimate", "format_estimate", "read_recipe", "train"]

"""Learning from text: one recipe, exact resume, a folder that others can load.

The names are loaded when first used: what a recipe may say takes no torch.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from regard.lazy import lazy_names

if TYPE_CHECKING:
    from regard.training.recipe.reading import RecipeError, read_recipe
    from regard.training.recipe.recipe import Recipe
    from regard.training.run.estimate import estimate, format_estimate
    from regard.training.run.session import train
    from regard.training.run.signals import Stopped

__all__ = ["Recipe", "RecipeError", "Stopped", "estimate", "format_estimate", "read_recipe", "train"]

_PUBLIC = {
    "Recipe": ".recipe.recipe",
    "RecipeError": "regard.errors",
    "Stopped": ".run.signals",
    "estimate": ".run.estimate",
    "format_estimate": ".run.estimate",
    "read_recipe": ".recipe.reading",
    "train": ".run.session",
}

__getattr__: Callable[[str], object]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = lazy_names(__name__, _PUBLIC)

"""Families of models, one file each: config, names in checkpoints, published sizes, and how a recipe speaks of it.

Nothing here imports torch. The names are loaded when first used: who knows the family need not wait for all of them.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from regard.lazy import lazy_names

if TYPE_CHECKING:
    from regard.families.family import ExampleModel, Family, architecture_of
    from regard.families.registry import EXAMPLES, FAMILIES, LAYOUTS, PRESETS, RECIPES, family_of, preset

__all__ = [
    "EXAMPLES",
    "FAMILIES",
    "LAYOUTS",
    "PRESETS",
    "RECIPES",
    "ExampleModel",
    "Family",
    "architecture_of",
    "family_of",
    "preset",
]  # fmt: skip

_PUBLIC = {
    "EXAMPLES": ".registry",
    "ExampleModel": ".family",
    "FAMILIES": ".registry",
    "Family": ".family",
    "LAYOUTS": ".registry",
    "PRESETS": ".registry",
    "RECIPES": ".registry",
    "architecture_of": ".family",
    "family_of": ".registry",
    "preset": ".registry",
}

__getattr__: Callable[[str], object]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = lazy_names(__name__, _PUBLIC)

"""Data that a recipe makes itself: the texts of a synthetic task become files of the run, and are read like any."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from regard.config.value_types import check_settings
from regard.errors import RecipeError, ShapeError, lookup
from regard.files import write_folder
from regard.text.synthetic import SYNTHETIC_TASKS, SplitSizes, SyntheticTask, write_splits
from regard.training.recipe.recipe import Recipe

FOLDER = "data"


def with_synthetic_data(recipe: Recipe, home: Path) -> Recipe:
    """The same recipe with the files that it makes, written into `home` where they are not there yet."""
    if not recipe.data.make.kind:
        return recipe
    task, sizes = synthetic_task(recipe)
    folder = home / FOLDER
    if not folder.is_dir():
        write_folder(folder, lambda beside: write_splits(task, sizes, beside))
    train, valid = (str(folder / f"{split}{task.suffix}") for split in ("train", "valid"))
    return replace(recipe, data=replace(recipe.data, train=(train,), valid=(valid,)))


def synthetic_task(recipe: Recipe) -> tuple[SyntheticTask, SplitSizes]:
    """The task that a recipe names, and how many lines of it there are to be."""
    make = recipe.data.make
    cls = lookup(SYNTHETIC_TASKS, make.kind, "synthetic task (data.make.kind)")
    if cls.objective != recipe.train.objective:
        raise RecipeError(
            f"train.objective = {recipe.train.objective!r}: data.make = {make.kind!r} is learned by {cls.objective!r}"
        )
    names = {field.name for field in fields(SplitSizes)}
    sizes = {name: value for name, value in make.settings.items() if name in names}
    settings = {name: value for name, value in make.settings.items() if name not in names}
    return built(cls, settings, make.kind), built(SplitSizes, sizes, make.kind)


def built(cls: Callable[..., Any], settings: Mapping[str, Any], kind: str) -> Any:
    try:
        check_settings(cls, settings, f"data.make: {kind!r}")  # type: ignore[arg-type]  # all are dataclasses
    except ShapeError as problem:
        raise RecipeError(str(problem)) from None
    return cls(**settings)

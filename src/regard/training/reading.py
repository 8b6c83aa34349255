"""Recipes are read with distrust: an unknown key or a wrong value is one line that says where it stands."""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from regard.errors import RegardError
from regard.training.recipe import Recipe

Part = TypeVar("Part")


class RecipeError(RegardError, ValueError):
    """A recipe that cannot be followed; the message names the file and the key."""


def read_recipe(path: str | Path, changes: Iterable[str] = (), *, find: Callable[[str], str] | None = None) -> Recipe:
    """Read a recipe. `changes` are "train.steps=100": they go before the file.

    Relative paths are relative to the recipe; those in changes, to where one stands. `find` gives the folder of a name
    to start from.
    """
    path = Path(path)
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise RecipeError(f"{path}: no readable recipe ({problem})") from None
    placed = _place(told, path.parent)
    for change in changes:
        where, given = _change(change)
        placed = _merge(placed, _place(given, Path()), where)
    recipe = resolve_files(build(Recipe, placed, str(path)), path)
    if recipe.start and find is not None:
        recipe = replace(recipe, start=find(recipe.start))
    return recipe


def _change(change: str) -> tuple[str, dict[str, Any]]:
    """ "train.steps=100" as nested tables."""
    key, equals, value = change.partition("=")
    if not equals or not key.strip():
        raise RecipeError(f"--set {change}: key=value expected, as in train.steps=100")
    try:
        found: Any = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        found = value.strip()
    for name in reversed(key.strip().split(".")):
        found = {name: found}
    return f"--set {change}", found


def _merge(told: Mapping[str, Any], news: Mapping[str, Any], where: str) -> dict[str, Any]:
    both = dict(told)
    for key, value in news.items():
        old = both.get(key)
        both[key] = _merge(old, value, where) if isinstance(old, dict) and isinstance(value, dict) else value
    return both


def _place(told: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The same with paths made absolute that are named from a folder."""
    placed = dict(told)
    if isinstance(run := told.get("run"), str):
        placed["run"] = str((folder / Path(run).expanduser()).resolve())
    if isinstance(start := told.get("start"), str) and start and (folder / start).is_dir():
        placed["start"] = str((folder / start).resolve())
    data, words = told.get("data"), told.get("tokenizer")
    if isinstance(data, dict) and isinstance(home := data.get("folder"), str) and home:
        placed["data"] = data | {"folder": str((folder / Path(home).expanduser()).resolve())}
    if isinstance(words, dict) and isinstance(kind := words.get("kind"), str) and kind.endswith(".json"):
        placed["tokenizer"] = words | {"kind": str((folder / kind).resolve())}
    return placed


def resolve_files(recipe: Recipe, path: Path) -> Recipe:
    """The files of the data, absolute."""
    home = Path(recipe.data.folder) if recipe.data.folder else path.parent.resolve()
    named = {key: tuple(str((home / name).resolve()) for name in getattr(recipe.data, key)) for key in FILES}
    return replace(recipe, data=replace(recipe.data, folder=str(home), **named))


FILES = ("train", "valid")


def build(kind: type[Part], told: Any, where: str, path: str = "") -> Part:
    """A frozen value from a table, every key of it known and of the right type."""
    if not isinstance(told, dict):
        raise RecipeError(f"{where}: [{path}] is a table, got {told!r}")
    hints = get_type_hints(kind)
    for key in told:
        if key not in hints:
            raise RecipeError(f"{where}: unknown key '{_join(path, key)}'{_suggestion(key, hints, path)}")
    found: dict[str, Any] = {}
    for one in fields(kind):  # type: ignore[arg-type]
        name = _join(path, one.name)
        if one.name in told:
            found[one.name] = _value(hints[one.name], told[one.name], where, name)
        elif one.default is MISSING and one.default_factory is MISSING:
            raise RecipeError(f"{where}: no '{name}', which every recipe needs")
    return kind(**found)


def _value(kind: Any, told: Any, where: str, name: str) -> Any:
    if is_dataclass(kind):
        return build(kind, told, where, name)  # type: ignore[arg-type]
    if get_origin(kind) is tuple:
        inner = get_args(kind)[0]
        items = told if isinstance(told, list) else [told]
        return tuple(_value(inner, item, where, name) for item in items)
    if kind is float and type(told) is int:
        return float(told)
    if type(told) is not kind:
        wanted = {int: "a whole number", float: "a number", bool: "true or false", str: "a text in quotes"}[kind]
        raise RecipeError(f"{where}: {name} = {told!r}: {wanted} expected")
    return told


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _suggestion(key: str, known: Iterable[str], path: str) -> str:
    """The table that has this very key; the nearest key of this table; else that of another."""
    tables = {name: kind for name, kind in get_type_hints(Recipe).items() if is_dataclass(kind)}
    others = {_join(name, one.name): one.name for name, kind in tables.items() for one in fields(kind)}
    same = [place for place, name in others.items() if name == key]
    here = [_join(path, near) for near in get_close_matches(key, list(known), n=1)]
    far = [place for place, name in others.items() if name in get_close_matches(key, list(others.values()), n=1)]
    if found := [*same, *here, *far]:
        return f": did you mean '{found[0]}'?"
    return f": known are {', '.join(sorted(known))}"


def write_recipe(recipe: Recipe) -> str:
    """A recipe as TOML, everything said."""
    lines: list[str] = []
    tables: list[str] = []
    for one in fields(recipe):
        value = getattr(recipe, one.name)
        if is_dataclass(value):
            tables += ["", f"[{one.name}]", *(f"{key} = {_written(inner)}" for key, inner in vars(value).items())]
        else:
            lines.append(f"{one.name} = {_written(value)}")
    return "\n".join([*lines, *tables]) + "\n"


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_written(item) for item in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


MAY_CHANGE = {
    *("run", "train.steps", "train.cooldown"),
    *("train.save_every", "train.keep", "train.log_every", "train.evaluate_every"),
    *(
        "train.score",
        "train.patience",
        "train.beam",
        "train.valid_beam",
        "train.length_penalty",
        "train.valid_lines",
        "train.average",
    ),
    *("train.workers", "train.non_finite", "train.tensorboard", "data.folder"),
}
"""What a run that goes on may be told anew."""


def changed_keys(old: Recipe, new: Recipe) -> list[str]:
    """The keys in which a run that goes on is not what it was, and may not be otherwise."""
    one, other = flatten(old), flatten(new)
    return [key for key in other if one[key] != other[key] and key not in MAY_CHANGE]


def flatten(recipe: Recipe) -> dict[str, Any]:
    """Every key with its value: {"train.steps": 100}."""
    found: dict[str, Any] = {}
    for one in fields(recipe):
        value = getattr(recipe, one.name)
        found |= (
            {f"{one.name}.{key}": inner for key, inner in vars(value).items()}
            if is_dataclass(value)
            else {one.name: value}
        )
    return found

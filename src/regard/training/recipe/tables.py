"""Tables of TOML become frozen values: an unknown key or a wrong value is one line that says where it stands."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from typing import TypeVar, get_args, get_origin, get_type_hints

from regard.errors import RecipeError, list_names
from regard.families.recipe import PartRecipe
from regard.families.recipe_fields import check_fields
from regard.settings import shown
from regard.training.recipe.old_keys import new_key
from regard.training.recipe.recipe import Recipe

Section = TypeVar("Section")


def build(kind: type[Section], table: object, where: str, path: str = "") -> Section:
    """A frozen value from a table, every key of it known and every value in its range."""
    if not isinstance(table, dict):
        raise RecipeError(f"{where}: [{path}] is a table, got {shown(table)}")
    hints = get_type_hints(kind)
    for key in table:
        if key in hints:
            continue
        if new := new_key(path, key, table):
            raise RecipeError(f"{where}: '{join_keys(path, key)}' is now called '{join_keys(path, new)}'")
        raise RecipeError(f"{where}: unknown key {shown(join_keys(path, key))}{suggestion(key, hints, path)}")
    values: dict[str, object] = {}
    for field in fields(kind):  # type: ignore[arg-type]  # a dataclass: no TypeVar can say so
        name = join_keys(path, field.name)
        if field.name in table:
            values[field.name] = convert(hints[field.name], table[field.name], where, name)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise RecipeError(f"{where}: no '{name}', which every recipe needs")
    return make(kind, values, where, path)


def make(kind: type[Section], values: dict[str, object], where: str, path: str) -> Section:
    """The value itself; what is wrong with a field is said with the path of its key."""
    try:
        check_fields(kind, values)
    except RecipeError as problem:
        raise RecipeError(f"{where}: {join_keys(path, str(problem))}") from None
    return kind(**values)


def convert(kind: object, value: object, where: str, name: str) -> object:
    """A value of TOML as a field wants it: lists as tuples, whole numbers as numbers, tables as what they hold."""
    if kind is PartRecipe:
        return part(value, where, name)
    if isinstance(kind, type) and is_dataclass(kind):
        return build(kind, value, where, name)
    if get_origin(kind) is tuple:
        item_kind = get_args(kind)[0]
        items = value if isinstance(value, list) else [value]
        return tuple(convert(item_kind, item, where, name) for item in items)
    if kind is float and type(value) is int:
        with suppress(OverflowError):  # beyond all numbers: its field refuses it
            return float(value)
    return value


def part(value: object, where: str, name: str) -> PartRecipe:
    """A part of a model: its name, and whatever settings it has."""
    if isinstance(value, str):
        raise RecipeError(f"{where}: '{name}' is a table now: [{name}] with kind = {shown(value)}")
    if not isinstance(value, dict) or not isinstance(value.get("kind", ""), str):
        raise RecipeError(f"{where}: [{name}] is a table with the name of a part as its kind, got {shown(value)}")
    settings = {key: setting for key, setting in value.items() if key != "kind"}
    if settings and not value.get("kind"):
        raise RecipeError(f"{where}: [{name}] has {list_names(map(shown, settings))} and no kind that could take it")
    return make(PartRecipe, {"kind": value.get("kind", ""), "settings": settings}, where, name)


def join_keys(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def suggestion(key: str, known: Iterable[str], path: str) -> str:
    """The table that has this very key; the nearest key of this table; else that of another."""
    tables = {name: kind for name, kind in get_type_hints(Recipe).items() if is_dataclass(kind)}
    keys = {join_keys(name, field.name): field.name for name, kind in tables.items() for field in fields(kind)}
    same = [path for path, name in keys.items() if name == key]
    here = [join_keys(path, near) for near in get_close_matches(key, list(known), n=1)]
    far = [path for path, name in keys.items() if name in get_close_matches(key, list(keys.values()), n=1)]
    if suggestions := [*same, *here, *far]:
        return f": did you mean '{suggestions[0]}'?"
    return f": known are {', '.join(sorted(known))}"

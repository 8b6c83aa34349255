"""Recipes are read with distrust: an unknown key or a wrong value is one line that says where it stands."""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from regard.errors import RecipeError
from regard.families.recipe import PartRecipe
from regard.training.recipe.old_keys import new_key, with_new_keys
from regard.training.recipe.recipe import Recipe

Part = TypeVar("Part")
CHECKPOINTS = "checkpoints"  # of a run: a folder beside its recipe


def read_recipe(path: str | Path, changes: Iterable[str] = (), *, find: Callable[[str], str] | None = None) -> Recipe:
    """Read a recipe. `changes` are "train.steps=100": they go before the file.

    Relative paths are relative to the recipe; those in changes, to where one stands. `find` gives the folder of a name
    to start from. The recipe in the folder of a run is read with the keys of its time.
    """
    path = Path(path)
    recipe = _read(path, _read_tables(path), changes) if not _is_run(path.parent) else read_run_recipe(path, changes)
    if recipe.start and find is not None:
        recipe = replace(recipe, start=find(recipe.start))
    return recipe


def read_run_recipe(path: Path, changes: Iterable[str] = ()) -> Recipe:
    """The recipe that a run wrote into its own folder, with the keys of its time."""
    return _read(path, with_new_keys(_read_tables(path)), changes)


def _is_run(folder: Path) -> bool:
    return (folder / CHECKPOINTS).is_dir()


def _read(path: Path, tables: Mapping[str, Any], changes: Iterable[str]) -> Recipe:
    tables = _with_absolute_paths(tables, path.parent)
    for change in changes:
        tables = _merge(tables, _with_absolute_paths(_change_tables(change), Path()))
    return resolve_files(build(Recipe, tables, str(path)), path)


def _read_tables(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise RecipeError(f"{path}: no readable recipe ({problem})") from None


def _change_tables(change: str) -> dict[str, Any]:
    """ "train.steps=100" as nested tables."""
    key, equals, value = change.partition("=")
    if not equals or not key.strip():
        raise RecipeError(f"--set {change}: key=value expected, as in train.steps=100")
    try:
        nested: Any = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        nested = value.strip()
    for name in reversed(key.strip().split(".")):
        nested = {name: nested}
    return nested


def _merge(tables: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(tables)
    for key, value in changes.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _with_absolute_paths(tables: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The same with paths made absolute that are named from a folder."""
    resolved = dict(tables)
    if isinstance(run := tables.get("run"), str):
        resolved["run"] = str((folder / Path(run).expanduser()).resolve())
    if isinstance(start := tables.get("start"), str) and start and (folder / start).is_dir():
        resolved["start"] = str((folder / start).resolve())
    data, tokenizer = tables.get("data"), tables.get("tokenizer")
    if isinstance(data, dict) and isinstance(home := data.get("folder"), str) and home:
        resolved["data"] = data | {"folder": str((folder / Path(home).expanduser()).resolve())}
    if isinstance(tokenizer, dict) and isinstance(kind := tokenizer.get("kind"), str) and kind.endswith(".json"):
        resolved["tokenizer"] = tokenizer | {"kind": str((folder / kind).resolve())}
    return resolved


def resolve_files(recipe: Recipe, path: Path) -> Recipe:
    """The files of the data, absolute."""
    home = Path(recipe.data.folder) if recipe.data.folder else path.parent.resolve()
    files = {key: tuple(str((home / name).resolve()) for name in getattr(recipe.data, key)) for key in FILES}
    return replace(recipe, data=replace(recipe.data, folder=str(home), **files))


FILES = ("train", "valid")


def build(kind: type[Part], table: Any, where: str, path: str = "") -> Part:
    """A frozen value from a table, every key of it known and of the right type."""
    if not isinstance(table, dict):
        raise RecipeError(f"{where}: [{path}] is a table, got {table!r}")
    hints = get_type_hints(kind)
    for key in table:
        if key in hints:
            continue
        if new := new_key(path, key, table):
            raise RecipeError(f"{where}: '{_join(path, key)}' is now called '{_join(path, new)}'")
        raise RecipeError(f"{where}: unknown key '{_join(path, key)}'{_suggestion(key, hints, path)}")
    values: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type]
        name = _join(path, field.name)
        if field.name in table:
            values[field.name] = _value(hints[field.name], table[field.name], where, name)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise RecipeError(f"{where}: no '{name}', which every recipe needs")
    return kind(**values)


def _part(value: Any, where: str, name: str) -> PartRecipe:
    """A part of a model: its name, and whatever settings it has."""
    if isinstance(value, str):
        raise RecipeError(f"{where}: '{name}' is a table now: [{name}] with kind = {value!r}")
    if not isinstance(value, dict) or not isinstance(value.get("kind", ""), str):
        raise RecipeError(f"{where}: [{name}] is a table with the name of a part as its kind, got {value!r}")
    return PartRecipe(value.get("kind", ""), {key: setting for key, setting in value.items() if key != "kind"})


def _value(kind: Any, value: Any, where: str, name: str) -> Any:
    if kind is PartRecipe:
        return _part(value, where, name)
    if is_dataclass(kind):
        return build(kind, value, where, name)  # type: ignore[arg-type]
    if get_origin(kind) is tuple:
        item_kind = get_args(kind)[0]
        items = value if isinstance(value, list) else [value]
        return tuple(_value(item_kind, item, where, name) for item in items)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        expected = {int: "a whole number", float: "a number", bool: "true or false", str: "a text in quotes"}[kind]
        raise RecipeError(f"{where}: {name} = {value!r}: {expected} expected")
    return value


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _suggestion(key: str, known: Iterable[str], path: str) -> str:
    """The table that has this very key; the nearest key of this table; else that of another."""
    tables = {name: kind for name, kind in get_type_hints(Recipe).items() if is_dataclass(kind)}
    keys = {_join(name, field.name): field.name for name, kind in tables.items() for field in fields(kind)}
    same = [path for path, name in keys.items() if name == key]
    here = [_join(path, near) for near in get_close_matches(key, list(known), n=1)]
    far = [path for path, name in keys.items() if name in get_close_matches(key, list(keys.values()), n=1)]
    if suggestions := [*same, *here, *far]:
        return f": did you mean '{suggestions[0]}'?"
    return f": known are {', '.join(sorted(known))}"


def write_recipe(recipe: Recipe) -> str:
    """A recipe as TOML, everything said."""
    lines: list[str] = []
    tables: list[str] = []
    for field in fields(recipe):
        value = getattr(recipe, field.name)
        if is_dataclass(value):
            parts = {key: item for key, item in vars(value).items() if isinstance(item, PartRecipe)}
            plain = {key: item for key, item in vars(value).items() if key not in parts}
            tables += ["", f"[{field.name}]", *(f"{key} = {_toml(item)}" for key, item in plain.items())]
            for key, part in parts.items():
                if part.kind:
                    entries = {"kind": part.kind, **part.settings}
                    inline = ", ".join(f"{name} = {_toml(item)}" for name, item in entries.items())
                    tables.append(f"{key} = {{ {inline} }}")
        else:
            lines.append(f"{field.name} = {_toml(value)}")
    return "\n".join([*lines, *tables]) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


MAY_CHANGE = {
    *("run", "train.steps", "train.cooldown"),
    *("train.save_every", "train.keep", "train.log_every", "train.evaluate_every"),
    *(
        "train.metric",
        "train.patience",
        "train.beam",
        "train.valid_beam",
        "train.length_penalty",
        "train.valid_lines",
        "train.average",
    ),
    *("train.workers", "train.non_finite", "train.tensorboard", "data.folder"),
}
"""What may differ when a run goes on."""


def changed_keys(old: Recipe, new: Recipe) -> list[str]:
    """The keys in which a run that goes on is not what it was, and may not be otherwise."""
    before, after = flatten(old), flatten(new)
    return [key for key in after if before[key] != after[key] and key not in MAY_CHANGE]


def flatten(recipe: Recipe) -> dict[str, Any]:
    """Every key with its value: {"train.steps": 100}."""
    values: dict[str, Any] = {}
    for field in fields(recipe):
        value = getattr(recipe, field.name)
        values |= (
            {f"{field.name}.{key}": item for key, item in vars(value).items()}
            if is_dataclass(value)
            else {field.name: value}
        )
    return values

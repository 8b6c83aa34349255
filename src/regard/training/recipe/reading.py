"""Recipes are read with distrust: an unknown key or a wrong value is one line that says where it stands."""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

from regard.checkpoints.files import first_line
from regard.errors import RecipeError
from regard.families.recipe import PartRecipe
from regard.settings import shown
from regard.training.recipe.names import check_names
from regard.training.recipe.old_keys import with_new_keys
from regard.training.recipe.recipe import Recipe
from regard.training.recipe.tables import build

LARGEST, DEEPEST = 1 << 16, 8  # bytes of a recipe, and names in a key, that are still taken for such
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


def _read(path: Path, tables: Mapping[str, object], changes: Iterable[str]) -> Recipe:
    tables = _with_absolute_paths(tables, path.parent, str(path))
    for change in changes:
        tables = _merge(tables, _with_absolute_paths(_change_tables(change), Path(), "--set"))
    recipe = build(Recipe, tables, str(path))
    try:
        check_names(recipe)
    except RecipeError as problem:
        raise RecipeError(f"{path}: {problem}") from None
    return _with_files(recipe, path)


def _read_tables(path: Path) -> dict[str, object]:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        tables = tomllib.loads(content.decode("utf-8")) if len(content) <= LARGEST else None
    except (OSError, ValueError, RecursionError) as problem:
        raise RecipeError(f"{path}: no readable recipe ({first_line(problem)})") from None
    if tables is None:
        raise RecipeError(f"{path}: more than {LARGEST:,} bytes, where a recipe is expected")
    return tables


def _change_tables(change: str) -> dict[str, object]:
    """ "train.steps=100" as nested tables."""
    key, equals, text = change.partition("=")
    names = key.strip().split(".")
    if not equals or not key.strip() or len(names) > DEEPEST:
        raise RecipeError(f"--set {shown(change)}: key=value expected, as in train.steps=100")
    try:
        tables = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):  # no TOML: the text as it is
        tables = {}
    nested: dict[str, object] = {names[-1]: tables["value"] if tables.keys() == {"value"} else text.strip()}
    for name in reversed(names[:-1]):
        nested = {name: nested}
    return nested


def _merge(tables: Mapping[str, object], changes: Mapping[str, object]) -> dict[str, object]:
    merged = dict(tables)
    for key, value in changes.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _with_absolute_paths(tables: Mapping[str, object], folder: Path, where: str) -> dict[str, object]:
    """The same with paths made absolute that are named from a folder."""
    resolved = dict(tables)
    if isinstance(run := tables.get("run"), str):
        resolved["run"] = _absolute(folder, run, f"{where}: run")
    if isinstance(start := tables.get("start"), str) and start:
        path = Path(_absolute(folder, start, f"{where}: start"))
        resolved["start"] = str(path) if path.is_dir() else start  # the name of a model, else
    data, tokenizer = tables.get("data"), tables.get("tokenizer")
    if isinstance(data, dict) and isinstance(home := data.get("folder"), str) and home:
        resolved["data"] = data | {"folder": _absolute(folder, home, f"{where}: data.folder")}
    if isinstance(tokenizer, dict) and isinstance(kind := tokenizer.get("kind"), str) and kind.endswith(".json"):
        resolved["tokenizer"] = tokenizer | {"kind": _absolute(folder, kind, f"{where}: tokenizer.kind")}
    return resolved


def _absolute(folder: Path, name: str, where: str) -> str:
    """A path named from a folder, as this system would find it; `where` is its key."""
    try:
        path = (folder / Path(name).expanduser()).resolve()
        path.is_dir()  # which says, too, whether a path can be so long
        return str(path)
    except (OSError, RuntimeError, ValueError) as problem:
        reason = (problem.strerror if isinstance(problem, OSError) else None) or first_line(problem)
        raise RecipeError(f"{where} = {shown(name)}: no path ({reason})") from None


def _with_files(recipe: Recipe, path: Path) -> Recipe:
    """The same with the files of the data made absolute."""
    data = recipe.data
    home = Path(data.folder) if data.folder else path.parent.resolve()
    train = tuple(_absolute(home, name, f"{path}: data.train") for name in data.train)
    valid = tuple(_absolute(home, name, f"{path}: data.valid") for name in data.valid)
    also = tuple(
        replace(more, train=tuple(_absolute(home, name, f"{path}: data.also.train") for name in more.train))
        for more in data.also
    )
    return replace(recipe, data=replace(data, folder=str(home), train=train, valid=valid, also=also))


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
            tables += [
                f"{key} = {_toml({'kind': part.kind, **part.settings})}" for key, part in parts.items() if part.kind
            ]
        else:
            lines.append(f"{field.name} = {_toml(value)}")
    return "\n".join([*lines, *tables]) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if is_dataclass(value):
        value = vars(value)
    if isinstance(value, dict):
        entries = (f"{key if BARE_KEY.fullmatch(key) else _toml(key)} = {_toml(item)}" for key, item in value.items())
        return f"{{ {', '.join(entries)} }}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # as TOML wants it, JSON does not mind
    return repr(value)


BARE_KEY = re.compile("[A-Za-z0-9_-]+")
MAY_CHANGE = {
    *("run", "train.steps", "train.minutes", "train.cooldown"),
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


def flatten(recipe: Recipe) -> dict[str, object]:
    """Every key with its value: {"train.steps": 100}."""
    values: dict[str, object] = {}
    for field in fields(recipe):
        value = getattr(recipe, field.name)
        values |= (
            {f"{field.name}.{key}": item for key, item in vars(value).items()}
            if is_dataclass(value)
            else {field.name: value}
        )
    return values

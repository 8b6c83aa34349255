"""What a model is made of, by its name: a published size, a built-in model, a folder, a recipe. Torch is not loaded."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from regard.architectures.part_weights import PART_WEIGHTS
from regard.config import Config
from regard.errors import RecipeError, RegardError, lookup
from regard.families import PRESETS, RECIPES, architecture_of, family_of, preset
from regard.families.old_names import current_config
from regard.families.options import Options
from regard.families.read_config import read_model_config
from regard.families.recipe import DataSizes, ModelRecipe
from regard.families.recipe_parts import with_parts
from regard.folder_files import WEIGHTS, StoredTensor, read_header
from regard.settings import shown
from regard.tasks.find import builtin, find
from regard.training.recipe.recipe import DataRecipe, TokenizerRecipe
from regard.training.recipe.tables import build
from regard.untrusted import CONFIG, first_line, read_json

LARGEST_RECIPE = 1 << 16  # bytes


@dataclass(frozen=True)
class NamedConfig:
    """A config, and what its model is called."""

    name: str
    config: Config


def find_config(name: str, *, vocabulary: int | None = None) -> NamedConfig:
    """The config of a preset, a built-in model, a folder, a recipe or a Hub id; `vocabulary` is for another number of
    words, in presets and recipes."""
    if name.endswith(".toml"):
        return NamedConfig(Path(name).stem, recipe_config(Path(name), vocabulary))
    if name in PRESETS:
        return NamedConfig(name, preset(name, vocabulary=vocabulary))
    if vocabulary is not None:
        raise RegardError(f"{shown(name)} has its own words: --vocabulary is for sizes and recipes")
    known = [*PRESETS, *builtin()]
    near = get_close_matches(name, known, n=1)
    if name not in known and near and not Path(name).is_dir() and "/" not in name:
        raise RegardError(f"{shown(name)}: did you mean {near[0]!r}? known: {', '.join(sorted(known))}")
    folder = find(name, [CONFIG])
    return NamedConfig(folder.resolve().name if Path(name).is_dir() else name, folder_config(folder))


def folder_config(folder: Path) -> Config:
    """What the config.json of a folder describes."""
    where = str(folder / CONFIG)
    config = current_config(read_json(folder / CONFIG))
    family = family_of(config, where)
    options = Options(config, where, config_tensors(folder))
    return read_model_config(family, options, architecture_of(config, family, where))


def config_tensors(folder: Path) -> dict[str, StoredTensor]:
    """The tensors of a folder by name, from the header of its file; none where there is no such file."""
    path = folder / WEIGHTS
    return read_header(path) if path.exists() else {}


def recipe_config(path: Path, vocabulary: int | None = None) -> Config:
    """The model that a recipe asks for, as far as it can be told before the data are read."""
    tables = read_tables(path)
    where = str(path)
    model = build(ModelRecipe, tables.get("model", {}), where, "model")
    tokenizer = build(TokenizerRecipe, tables.get("tokenizer", {}), where, "tokenizer")
    data = build(DataRecipe, tables.get("data", {}), where, "data")
    words = vocabulary or tokenizer.size
    if not words or (vocabulary is None and tokenizer.kind.endswith(".json")):
        raise RecipeError(f"{path}: how many words there are is known when the data are read: give --vocabulary")
    families = lookup(RECIPES, model.kind, f"model kind in {path}")
    family = lookup(families, model.family or next(iter(families)), f"family of {model.kind} in {path}")
    if model.width % model.heads:
        raise RecipeError(f"{path}: model.heads = {model.heads}: a width of {model.width} cannot be split into so many")
    assert family.plan is not None
    target = None if tokenizer.joint or len(data.train) < 2 else words
    sizes = DataSizes(words, target, sentence_words=1)  # how many there are in a sentence, the data say
    config = family.plan(model, sizes).config
    return config if model.kind in ("alignment", "memory") else with_parts(config, model, PART_WEIGHTS)


def read_tables(path: Path) -> Mapping[str, object]:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_RECIPE)
        return tomllib.loads(content.decode("utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise RecipeError(f"{path}: no readable recipe ({first_line(problem)})") from None

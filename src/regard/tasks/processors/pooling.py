"""How the vectors of a text's tokens become one, as the folder of a sentence model says."""

from dataclasses import dataclass
from pathlib import Path

from regard.config.ranges import POSITIONS
from regard.errors import CheckpointError, lookup, short_name
from regard.settings import Settings, shown
from regard.untrusted import is_name, read_json, read_json_value, read_optional_json

MODES = ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "lasttoken")
"""Ways to pool, under the names that sentence models use."""


@dataclass(frozen=True)
class Pooling:
    """Several ways are set side by side; `normalise` makes vectors of length 1. Of a text, in small letters with
    `lower`, `max_length` tokens are read, those of the `prompt` before it included."""

    modes: tuple[str, ...]
    normalise: bool = False
    max_length: int | None = None
    lower: bool = False
    prompt: str = ""


def pooling_of(folder: Path, default: str) -> Pooling:
    """The settings of a folder: modules.json and what it names; the mean or the last token (`default`) without it."""
    path = folder / "modules.json"
    if not path.is_file():
        return Pooling((default,))
    modes: tuple[str, ...] = (default,)
    normalise = False
    for module in modules(path):
        kind = module.text("type").rsplit(".", 1)[-1]
        if kind == "Pooling":
            modes = modes_of(inside(folder, module.text("path")) / "config.json")
        elif kind == "Normalize":
            normalise = True
        elif kind != "Transformer":
            raise CheckpointError(f"{path}: a {short_name(kind) or shown(module.entries)} is not supported")
    sentence, general = (
        Settings(read_optional_json(folder / file), str(folder / file), CheckpointError)
        for file in ("sentence_bert_config.json", "config_sentence_transformers.json")
    )
    prompts = Settings(general.object("prompts"), f"{general.where}: prompts", CheckpointError)
    return Pooling(
        modes,
        normalise,
        sentence.integer_or_none("max_seq_length", None, POSITIONS),
        sentence.flag("do_lower_case", False),
        prompts.text(general.text("default_prompt_name")),
    )


def modes_of(path: Path) -> tuple[str, ...]:
    settings = Settings(read_json(path), str(path), CheckpointError)
    prefix = "pooling_mode_"
    chosen = [key for key in settings.entries if key.startswith(prefix) and settings.flag(key, False)]
    modes = tuple(key.removeprefix(prefix) for key in chosen)
    for mode in modes:
        lookup(dict.fromkeys(MODES), mode, f"way to pool ({path})")
    if not modes:
        raise CheckpointError(f"{path}: no pooling_mode_… is true")
    return modes


def modules(path: Path) -> list[Settings]:
    """The parts that a sentence model is made of."""
    parts = read_json_value(path)
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise CheckpointError(f"{path}: a list of modules expected")
    return [Settings(part, str(path), CheckpointError) for part in parts]


def inside(folder: Path, name: str) -> Path:
    if not is_name(name):
        raise CheckpointError(f"{folder / 'modules.json'}: {shown(name)} is not the name of a folder in this one")
    return folder / name

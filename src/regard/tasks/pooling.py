"""How the vectors of a text's tokens become one, as the folder of a sentence model says."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from regard.checkpoints import CheckpointError
from regard.checkpoints.files import read_json
from regard.errors import lookup
from regard.layers import pool_tokens
from regard.shapes import AttentionMask, Stream

Vectors = Float[Tensor, "batch width"]


def largest(x: Stream, attention_mask: AttentionMask) -> Vectors:
    """The largest of each number over the real tokens."""
    return x.masked_fill(~attention_mask[..., None], -torch.inf).amax(1)


def by_root(x: Stream, attention_mask: AttentionMask) -> Vectors:
    """The sum divided by the root of the length."""
    return (x * attention_mask[..., None]).sum(1) / attention_mask.sum(1, keepdim=True).to(x.dtype).sqrt()


POOLS: dict[str, Callable[[Stream, AttentionMask], Vectors]] = {
    "cls_token": lambda x, attention_mask: pool_tokens(x, attention_mask, "first"),
    "mean_tokens": lambda x, attention_mask: pool_tokens(x, attention_mask, "mean"),
    "max_tokens": largest,
    "mean_sqrt_len_tokens": by_root,
    "lasttoken": lambda x, attention_mask: pool_tokens(x, attention_mask, "last"),
}
"""Ways to pool, under the names that sentence models use."""


@dataclass(frozen=True)
class Pooling:
    """Several ways are set side by side; `normalise` makes vectors of length 1."""

    modes: tuple[str, ...]
    normalise: bool = False
    max_length: int | None = None
    lower: bool = False
    prompt: str = ""

    def __call__(self, x: Stream, attention_mask: AttentionMask) -> Float[Tensor, "batch _"]:
        vectors = torch.cat([POOLS[mode](x, attention_mask) for mode in self.modes], -1)
        return F.normalize(vectors, dim=-1) if self.normalise else vectors


def pooling_of(folder: Path, default: str) -> Pooling:
    """The settings of a folder: modules.json and what it names; the mean or the last token (`default`) without it."""
    if not (folder / "modules.json").is_file():
        return Pooling((default,))
    modes: tuple[str, ...] = (default,)
    normalise = False
    for module in modules(folder / "modules.json"):
        kind, path = str(module.get("type", "")).rsplit(".", 1)[-1], str(module.get("path", ""))
        if kind == "Pooling":
            modes = modes_of(inside(folder, path) / "config.json")
        elif kind == "Normalize":
            normalise = True
        elif kind != "Transformer":
            raise CheckpointError(f"{folder / 'modules.json'}: a {kind or module} is not supported")
    sentence_settings = optional(folder / "sentence_bert_config.json")
    general = optional(folder / "config_sentence_transformers.json")
    prompt = (general.get("prompts") or {}).get(general.get("default_prompt_name"), "")
    max_length = sentence_settings.get("max_seq_length")
    return Pooling(
        modes,
        normalise,
        max_length if isinstance(max_length, int) else None,
        sentence_settings.get("do_lower_case") is True,
        prompt,
    )


def modes_of(path: Path) -> tuple[str, ...]:
    settings = read_json(path)
    prefix = "pooling_mode_"
    chosen = [key.removeprefix(prefix) for key, value in settings.items() if key.startswith(prefix) and value is True]
    for mode in chosen:
        lookup(POOLS, mode, f"way to pool ({path})")
    if not chosen:
        raise CheckpointError(f"{path}: no pooling_mode_… is true")
    return tuple(chosen)


def modules(path: Path) -> list[dict[str, Any]]:
    """A list of objects from a file of JSON."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise CheckpointError(f"{path}: no readable JSON ({type(problem).__name__})") from None
    if not isinstance(result, list) or not all(isinstance(module, dict) for module in result):
        raise CheckpointError(f"{path}: a list of modules expected")
    return result


def inside(folder: Path, name: str) -> Path:
    if Path(name).name != name or name in ("", ".", ".."):
        raise CheckpointError(f"{folder / 'modules.json'}: {name!r} is not the name of a folder in this one")
    return folder / name


def optional(path: Path) -> dict[str, Any]:
    return read_json(path) if path.is_file() else {}

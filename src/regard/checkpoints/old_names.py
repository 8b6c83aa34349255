"""What earlier versions called tensors and fields of configs: the one place that still knows.

Layouts of our own (regard-*) and the optimiser's state of a training are read through it; only new names are written.
"""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

Value = TypeVar("Value")

END = r"(?=[.:]|$)"  # of a part of a name; behind a colon the optimiser says which of its numbers it is
TENSORS = [
    (re.compile(old + END), new)
    for old, new in (
        (r"\.words\.(table|segments|norm|widen)", r".embedding.\1"),
        (r"\.self\.project", r".self.qkv"),
        (r"(\.cross|^align)\.pair", r"\1.kv"),
        (r"(\.self|\.cross|^align)\.compare", r"\1.score"),
        (r"\.score\.sharpness", r".score.inverse_temperature"),
        (r"\.inner\.(widen|narrow)", r".feed_forward.\1"),
        (r"\.inner_norm", r".feed_forward_norm"),
        (r"^align\.centre\.inner", r"align.centre.hidden"),
        (r"^(source|target)_words", r"\1_embedding"),
        (r"^begin", r"initial_state"),
        (r"^words", r"embedding"),
        (r"^places", r"positions"),
        (r"^place", r"position"),
        (r"^seen", r"patch"),
        (r"^remember", r"cell"),
        (r"^hope", r"baseline"),
    )
]
FIELDS = {
    "regard-xl": {
        "words": "embedding",
        "embedding.inner": "embedding_width",
        "stack.inner": "feed_forward",
        "stack.first": "pre_norm",
        "stack.attention.groups": "kv_heads",
    },
    "regard-alignment": {
        "reads.words": "embedding_width",
        "writes.words": "embedding_width",
        "align.inner": "score_width",
    },
    "regard-memory": {"longest": "max_words"},
    "regard-vision": {"inner": "feed_forward_width", "places": "has_positions"},
}
"""Of each model type, the path of a field by its old name, and its new name."""
ARCHITECTURES = {
    "XL": "TransformerXL",
    "Memory": "MemoryNetwork",
    "Vision": "VisionTransformer",
    "Glimpse": "GlimpseNetwork",
}


def is_own(config: Mapping[str, Any]) -> bool:
    """Whether a config.json is of a layout of our own, whose tensors have our names."""
    return str(config.get("model_type")) in FIELDS


def current_tensors(tensors: Mapping[str, Value]) -> dict[str, Value]:
    """The same under the names that they have now."""
    return {current_name(name): value for name, value in tensors.items()}


def current_name(name: str) -> str:
    for old, new in TENSORS:
        name = old.sub(new, name)
    return name


def current_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """A config.json with the fields that its model type has now; those of other libraries stay as they are."""
    current = dict(config)
    if is_own(config) and isinstance(config.get("architectures"), list):
        current["architectures"] = [ARCHITECTURES.get(str(name), name) for name in config["architectures"]]
    for path, new in FIELDS.get(str(config.get("model_type")), {}).items():
        *parents, old = path.split(".")
        part: Any = current
        for parent in parents:
            if isinstance(part, dict) and isinstance(part.get(parent), dict):
                part[parent] = dict(part[parent])
            part = part.get(parent) if isinstance(part, dict) else None
        if isinstance(part, dict) and old in part:
            value = part.pop(old)
            part.setdefault(new, value)
    return current

"""What earlier versions called tensors and fields of configs: the one place that still knows.

Layouts of our own (regard-xl, regard-alignment, regard-memory, regard-vision) and the optimiser's state of a training
are read through it; what is written is the generic layout, with new names.
"""

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import TypeVar

from regard.families import generic

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


def is_own(config: Mapping[str, object]) -> bool:
    """Whether a config.json is of a layout of our own that is no longer written, whose tensors have our names."""
    return str(config.get("model_type")) in FIELDS


def current_tensors(tensors: Mapping[str, Value]) -> dict[str, Value]:
    """The same under the names that they have now."""
    return {current_name(name): value for name, value in tensors.items()}


def current_name(name: str) -> str:
    for old, new in TENSORS:
        name = old.sub(new, name)
    return name


def current_config(config: Mapping[str, object]) -> dict[str, object]:
    """A config.json of an old layout of ours as the generic one has it; those of other libraries stay as they are."""
    if not is_own(config):
        return dict(config)
    model_type = str(config["model_type"])
    current = with_current_fields(config, FIELDS[model_type])
    architectures = config.get("architectures")
    if isinstance(architectures, list):
        current["architectures"] = [ARCHITECTURES.get(str(name), name) for name in architectures]
    kind = model_type.removeprefix("regard-")
    if current.get("architectures") == ["GlimpseNetwork"]:
        kind = "glimpse"
    model = {key: current.pop(key) for key in model_fields(kind) if key in current}
    return {**current, "model_type": generic.KIND, "kind": kind, "model": nested(model) if kind == "xl" else model}


def model_fields(kind: str) -> list[str]:
    """What an old layout said of a model, beside what is said of every family alike."""
    if kind == "xl":
        return ["embedding", "stack", "output"]
    return [field.name for field in fields(generic.CONFIGS[kind]) if field.name != "pruned"]


def nested(model: dict[str, object]) -> dict[str, object]:
    """The parts of an XL, which lay side by side, and whose score was a name."""
    side = {key: model[key] for key in ("embedding", "stack") if key in model}
    match side.get("stack"):
        case {"attention": {"score": str(score)} as attention, **others}:
            side["stack"] = {**others, "attention": {**attention, "score": {"kind": score}}}
    return {"decoder": side, **({"output": model["output"]} if "output" in model else {})}


def with_current_fields(config: Mapping[str, object], names: Mapping[str, str]) -> dict[str, object]:
    """A config with its fields renamed."""
    current = dict(config)
    for path, new in names.items():
        *parents, old = path.split(".")
        part: object = current
        for parent in parents:
            below = part.get(parent) if isinstance(part, dict) else None
            if isinstance(part, dict) and isinstance(below, dict):
                below = part[parent] = dict(below)
            part = below
        if isinstance(part, dict) and old in part:
            value = part.pop(old)
            part.setdefault(new, value)
    return current

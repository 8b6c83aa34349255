"""Live models, texts, settings and edits drawn at random, none that transformers does not run."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import torch
from hypothesis import assume
from hypothesis import strategies as st
from looking.live.families import FAMILIES, Family, build, transformers
from looking.live.settings import (
    CACHES,
    FULL,
    IMPLEMENTATIONS,
    MASKS,
    WAYS,
    Setting,
    Sizes,
    implementations,
    layer_types,
    not_run,
)

from regard.looking.layer_names import LayerNames, attends_to_source

NAMES = (
    *("llama", "gpt2", "gemma3_text", "mistral", "bert", "marian", "t5", "qwen3", "gpt_oss", "gemma2", "phi3", "opt"),
    *("gpt_neox", "bart", "albert", "bert-decoder", "llama4_text", "mt5", "cohere2", "granite"),
)
HEADS = {
    **dict.fromkeys(("num_attention_heads", "n_head", "num_heads"), "heads"),
    **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), "heads"),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "num_layers", "num_decoder_layers"), "layers"),
    **dict.fromkeys(("encoder_layers", "decoder_layers"), "layers"),
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "word_embed_proj_dim", "embedding_size"), "width"),
    **dict.fromkeys(("head_dim", "d_kv"), "head_width"),
    **dict.fromkeys(("sliding_window", "attention_chunk_size"), "window"),
    "num_key_value_heads": "kv_heads",
}
"""Which field of a config is which size."""


@dataclass(frozen=True)
class Shape:
    """The sizes of a model."""

    layers: int
    heads: int
    kv_heads: int
    head_width: int
    window: int

    @property
    def width(self) -> int:
        return self.heads * self.head_width


@dataclass(frozen=True)
class Example:
    """A model, a setting, the layers that are watched and what is edited, as data."""

    name: str
    shape: Shape
    seed: int
    setting: Setting
    watched: tuple[int, ...]
    edits: tuple[dict, ...] = field(hash=False)


@lru_cache(128)
def pool(name: str, shape: Shape, implementation: str) -> Any:
    """A model of these sizes, whose weights are drawn anew for every example."""
    family = FAMILIES[name]
    fields = build_fields(name)
    sizes = {config: getattr(shape, size) for config, size in HEADS.items() if config in fields}
    if "layer_types" in family.changes:
        sizes["layer_types"] = family.changes["layer_types"][: shape.layers]
    return build(family, implementation, **sizes)


@lru_cache
def build_fields(name: str) -> frozenset[str]:
    return frozenset(transformers.AutoConfig.for_model(FAMILIES[name].model_type or name).to_dict())


def randomise(models: list[Any], seed: int, spread: float) -> None:
    """The same random weights for all of these models, around 0 in a matrix and around 1 in a norm."""
    for model in models:
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for parameter in model.parameters():
                noise = torch.randn(parameter.shape, generator=generator)
                parameter.copy_(noise * spread if parameter.ndim > 1 else 1 + 0.2 * noise)


@st.composite
def examples(draw: st.DrawFn) -> Example:
    """One example, with nothing in it that transformers does not run."""
    family = FAMILIES[draw(st.sampled_from(NAMES))]
    heads = draw(st.sampled_from([2, 4]))
    kv_heads = draw(st.sampled_from([count for count in (1, 2, 4) if count <= heads]))
    shape = Shape(draw(st.integers(1, 2)), heads, kv_heads, draw(st.sampled_from([4, 8])), draw(st.integers(2, 7)))
    length, batch = draw(st.integers(4, 12)), draw(st.integers(1, 3))
    way = draw(st.sampled_from(WAYS)) if family.writes else "forward"
    mask = draw(st.sampled_from(MASKS))
    parts, rest = [], length
    while rest:
        parts.append(draw(st.integers(1, rest)))
        rest -= parts[-1]
    sizes = Sizes(
        batch=batch,
        length=length,
        prompt=draw(st.integers(2, 5)),
        padding=() if mask == "no mask" else draw(st.tuples(*[st.integers(0, length - 2)] * batch)),
        parts=tuple(parts),
        new_tokens=draw(st.integers(1, 4)),
        beams=draw(st.integers(2, 3)),
        seed=draw(st.integers(0, 99)),
    )
    setting = Setting(
        mask,
        draw(st.sampled_from(caches(family))),
        draw(st.sampled_from([one for one in IMPLEMENTATIONS if one in implementations(family.name)])),
        "all",
        way,
        sizes,
    )
    assume(not_run(family, setting) is None)
    count = shape.layers * (3 if family.is_pair else 1)
    watched = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=count, unique=True))
    edits = draw(st.lists(edit(family, setting, heads, count), max_size=2))
    return Example(family.name, shape, draw(st.integers(0, 9999)), setting, tuple(sorted(watched)), tuple(edits))


def caches(family: Family) -> list[str]:
    """The caches that a family can have."""
    if not family.writes:
        return ["no cache"]
    return [one for one in CACHES if one != ("sliding" if layer_types(family.name) <= FULL else "quantised")]


@st.composite
def edit(draw: st.DrawFn, family: Family, setting: Setting, heads: int, layers: int) -> dict:
    """An edit as data, its layer as a number."""
    some_heads = st.lists(st.integers(0, heads - 1), min_size=1, max_size=2, unique=True)
    where = {"layer": draw(st.integers(0, layers - 1))}
    kind = draw(st.sampled_from(["hide", "scale", "temperature", "set"]))
    if kind == "hide":
        return where | {
            "do": "hide",
            "positions": draw(st.lists(st.integers(0, 15), min_size=1, max_size=3, unique=True)),
        }
    where["heads"] = draw(some_heads)
    if kind == "scale":
        return where | {"do": "scale", "factor": draw(st.sampled_from([0.0, 0.5, -1.0]))}
    if kind == "temperature":
        return where | {"do": "temperature", "temperature": draw(st.sampled_from([0.5, 1.5, 4.0]))}
    return where | {"do": "set", "row": draw(st.integers(0, 12))}


def records(example: Example, model: Any) -> list[dict]:
    """The edits of an example for its model. Rows are set on what each of them may see in any window: its own token."""
    layer_names, result = list(LayerNames(model).layers), []
    for one in example.edits:
        record = one | {"layer": layer_names[one["layer"]]}
        of_source = attends_to_source(record["layer"])
        if record["do"] == "set":
            row = record.pop("row")
            record |= {"weights": [[0.0] * row + [1.0]], "rows": [row]}
        elif record["do"] == "hide" and of_source:  # every text has two tokens
            record["positions"] = sorted({number % 2 for number in record["positions"]})
        if record["do"] != "set" or not of_source:
            result.append(record)
    return result

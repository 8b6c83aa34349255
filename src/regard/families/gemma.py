"""Gemma: Gemma Team 2024; Gemma 2 (2024), whose scores are capped and which looks near and far in turns; and the text
models of Gemma 3 (2025), whose queries and keys are normalised and whose near layers have positions of their own."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from regard.config import (
    AttentionConfig,
    DecoderConfig,
    EmbeddedStackConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    ScoreConfig,
)
from regard.config.ranges import EPSILON, LAYERS, POSITIONS, ROPE_BASE, SHARPNESS, WIDTH
from regard.errors import CheckpointError
from regard.families import llama, qwen3
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorNames

ARCHITECTURES = {
    "gemma": ("GemmaModel", "GemmaForCausalLM", "GemmaForSequenceClassification"),
    "gemma2": ("Gemma2Model", "Gemma2ForCausalLM", "Gemma2ForSequenceClassification"),
    "gemma3_text": ("Gemma3TextModel", "Gemma3ForCausalLM", "Gemma3TextForSequenceClassification"),
}
LATER: dict[str, object] = {
    "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26, "num_attention_heads": 8,
    "num_key_value_heads": 4,
}  # fmt: skip
DEFAULTS: dict[str, dict[str, object]] = {
    "gemma": {
        "vocab_size": 256000, "hidden_size": 3072, "intermediate_size": 24576, "num_hidden_layers": 28,
        "num_attention_heads": 16, "num_key_value_heads": 16, "max_position_embeddings": 8192,
    },
    "gemma2": {
        "vocab_size": 256000, "max_position_embeddings": 8192, **LATER, "attn_logit_softcapping": 50.0,
        "final_logit_softcapping": 30.0,
    },
    "gemma3_text": {"vocab_size": 262208, "max_position_embeddings": 131072, **LATER},
}  # fmt: skip
NORMS = {
    "self_norm": "input_layernorm",
    "self_output_norm": "post_attention_layernorm",
    "feed_forward_norm": "pre_feedforward_layernorm",
    "feed_forward_output_norm": "post_feedforward_layernorm",
}
"""Of Gemma 2 and 3; Gemma has Llama's."""
GLOBAL_BASE = 1e6
BASES = {qwen3.GLOBAL: ("rope_theta", GLOBAL_BASE), qwen3.LOCAL: ("rope_local_base_freq", llama.BASE)}
"""What the bases of rotary positions were called before transformers 5, and the usual ones."""
ACTIVATION = "gelu_pytorch_tanh"


def read(kind: str, options: Options, architecture: str) -> DecoderConfig:
    options.presume({**DEFAULTS[kind], "head_dim": 256, "tie_word_embeddings": True})
    options.only("use_bidirectional_attention", None, False)
    attention = llama.attention_of(options, options.flag("attention_bias", False))
    norm = NormConfig("rms-offset", options.number("rms_norm_eps", 1e-6, EPSILON))
    if kind == "gemma":
        sizes = replace(llama.sizes_of(options, activation=ACTIVATION), activation=activation(options))
        body = side(sizes, llama.rotary(options, attention.head_width or 0), attention, norm)
        return DecoderConfig(body, **llama.heads_config(options, architecture))
    sizes = llama.sizes_of(options, "hidden_activation", ACTIVATION)
    options.ignore("hidden_act")  # which earlier files have, too, and nobody reads
    attention = replace(attention, scale=options.integer("query_pre_attn_scalar", 256, WIDTH) ** -0.5)
    if kind == "gemma2":
        attention = capped(attention, options.number_or_none("attn_logit_softcapping", SHARPNESS))
        position, local = llama.rotary(options, attention.head_width or 0), None
    else:
        options.only("attn_logit_softcapping", None)
        attention = replace(attention, qk_norm="head")
        position, local = near_and_far(options, attention.head_width or 0, BASES)
        options.ignore("max_position_embeddings")
    cap = options.number_or_none("final_logit_softcapping", SHARPNESS)
    period = options.integer("sliding_window_pattern", 6, LAYERS) if kind == "gemma3_text" else 2
    usual = [qwen3.LOCAL if (layer + 1) % period else qwen3.GLOBAL for layer in range(sizes.layers)]
    options.ignore("_sliding_window_pattern", "sliding_window_size", "cache_implementation")
    window = qwen3.windows(options, usual, options.integer_or_none("sliding_window", 4096, POSITIONS))
    body = sandwiched(side(sizes, position, attention, norm), *window, local)
    config = DecoderConfig(body, **llama.heads_config(options, architecture))
    return replace(config, output=replace(config.output, cap=cap)) if config.output else config


def activation(options: Options) -> str:
    """What Gemma calls gelu was always the approximation of it."""
    options.only("hidden_activation", None, ACTIVATION)
    name = options.activation("hidden_act", ACTIVATION)
    return "gelu-tanh" if name == "gelu" else name


def capped(attention: AttentionConfig, cap: float | None) -> AttentionConfig:
    """Attention whose scores stay between -cap and cap, if there is one."""
    if cap is None:
        return attention
    return replace(attention, scale=None, score=ScoreConfig("softcap", {"cap": cap, "scale": attention.scale}))


def near_and_far(
    options: Options, head_width: int, bases: Mapping[str, tuple[str, float]]
) -> tuple[PositionConfig, PositionConfig]:
    """Positions of layers that see all, and of those with a window, as transformers 5 writes them or as before."""
    both = options.object("rope_parameters")
    before = {qwen3.GLOBAL: options.object("rope_scaling"), qwen3.LOCAL: {}}
    positions = []
    for kind, (key, usual) in bases.items():
        base = options.number(key, usual, ROPE_BASE)
        part = before[kind] or both.get(kind) or {}
        if not isinstance(part, Mapping):
            raise CheckpointError(f"{options.where}: rope_parameters.{kind} is no object")
        entries = {"rope_theta": base, "rope_parameters": part, "max_position_embeddings": 1}
        positions.append(llama.rotary(Options(entries, options.where), head_width, rope_types=("default", "linear")))
    return positions[0], positions[1]


def side(sizes: Sizes, position: PositionConfig, attention: AttentionConfig, norm: NormConfig) -> EmbeddedStackConfig:
    """Llama's, with words times the root of their width."""
    body = llama.side(sizes, position, attention, norm)
    return replace(body, embedding=replace(body.embedding, scale=sizes.width**0.5))


def sandwiched(
    body: EmbeddedStackConfig, window: int | None, global_layers: list[int], local: PositionConfig | None = None
) -> EmbeddedStackConfig:
    """Norms before and behind each part, and layers that see near and far."""
    stack = replace(body.stack, output_norm=True, window=window, global_layers=global_layers)
    return replace(body, stack=stack, local_position=local)


def example(kind: str) -> ExampleModel:
    sizes = replace(example_sizes("gelu-tanh"), dropout=0.0, attention_dropout=0.0, embedding_dropout=0.0)
    position, local = (
        PositionConfig("rotary", {"head_width": 8, "base": base, "pairing": "halves"})
        for base in (GLOBAL_BASE if kind == "gemma3_text" else llama.BASE, llama.BASE)
    )
    attention, norm, output = AttentionConfig(4, 8, 2, bias=False), NormConfig("rms-offset", 1e-6), OutputConfig()
    if kind != "gemma":
        attention = replace(attention, scale=0.5)
    if kind == "gemma2":
        attention, output = capped(attention, 2.0), OutputConfig(cap=3.0)
    body = side(sizes, position, replace(attention, qk_norm="head" if kind == "gemma3_text" else None), norm)
    if kind != "gemma":
        body = sandwiched(body, 3, [1], local if kind == "gemma3_text" else None)
    return ExampleModel(DecoderConfig(body, output), ARCHITECTURES[kind][1], {"model_type": kind})


def write(kind: str, config: DecoderConfig, architecture: str) -> dict[str, object]:
    side, stack = config.decoder, config.decoder.stack
    entries = {"model_type": kind} | llama.config_entries(config) | {"attention_bias": stack.attention.bias}
    entries["tie_word_embeddings"] = config.output.tied if config.output else True
    if kind == "gemma":
        return entries
    score = stack.attention.score.settings if stack.attention.score else {}
    scale = score.get("scale", stack.attention.scale)
    entries |= {
        "hidden_activation": entries.pop("hidden_act"),
        "query_pre_attn_scalar": round(scale**-2),
        "sliding_window": stack.window,
        "layer_types": qwen3.layer_types(stack),
        "attn_logit_softcapping": score.get("cap"),
        "final_logit_softcapping": config.output.cap if config.output else None,
    }
    if kind == "gemma3_text" and side.local_position is not None:
        both = {qwen3.GLOBAL: side.position, qwen3.LOCAL: side.local_position}
        entries["rope_parameters"] = {name: llama.rope(position.settings) for name, position in both.items()}
    return entries


def names(kind: str, config: DecoderConfig, architecture: str) -> TensorNames:
    return llama.names(config, architecture, llama.NORMS if kind == "gemma" else NORMS)


FAMILIES = tuple(
    Family(kind, architectures, partial(read, kind), partial(write, kind), partial(names, kind), partial(example, kind))
    for kind, architectures in ARCHITECTURES.items()
)

"""Llama (Touvron et al. 2023), and Mistral and Qwen2, which kept its names."""

from dataclasses import replace
from functools import partial
from typing import Any

from regard.config import (
    AttentionConfig,
    ClassificationHeadConfig,
    DecoderConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    RopeScaling,
    StackConfig,
)
from regard.errors import CheckpointError
from regard.families.bert import count_labels
from regard.families.family import ExampleModel, Family
from regard.families.gpt2 import heads, labelled
from regard.families.options import ACTIVATIONS, Options, name_of
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorName, TensorNames, tensor_name, weight_and_bias

KINDS = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2"}
BASE = 10000.0
LLAMA3 = {"original_max_position_embeddings": "length", "low_freq_factor": "low", "high_freq_factor": "high"}


def read(kind: str, options: Options, architecture: str) -> DecoderConfig:
    heads = options.get("num_attention_heads", 32)
    sizes = Sizes(
        vocabulary=options.get("vocab_size", 151936 if kind == "qwen2" else 32000),
        layers=options.get("num_hidden_layers", 32),
        width=options.get("hidden_size", 4096),
        heads=heads,
        feed_forward_width=options.need("intermediate_size"),
        activation=options.one_of("hidden_act", ACTIVATIONS, "silu"),
        dropout=0.0,
        attention_dropout=options.get("attention_dropout", 0.0),
        embedding_dropout=0.0,
    )
    head_width = options.get("head_dim") or sizes.width // heads
    kv_heads = options.get("num_key_value_heads", 8 if kind == "mistral" else None)
    body = side(
        sizes,
        rotary(options, head_width),
        AttentionConfig(heads, head_width, heads if kv_heads is None else kv_heads, **biases(kind, options)),
        NormConfig("rms", options.get("rms_norm_eps", 1e-6)),
        feed_forward_bias=kind == "llama" and options.get("mlp_bias", False),
        window=window(kind, options),
    )
    return DecoderConfig(body, **heads_config(options, architecture))


def side(
    sizes: Sizes,
    position: PositionConfig,
    attention: AttentionConfig,
    norm: NormConfig = NormConfig("rms", 1e-6),
    *,
    feed_forward_bias: bool = False,
    window: int | None = None,
) -> EmbeddedStackConfig:
    """RMS norms before each part, rotary positions, a gated feed-forward layer."""
    stack = StackConfig(
        layers=sizes.layers,
        width=sizes.width,
        attention=replace(attention, dropout=sizes.attention_dropout),
        feed_forward=FeedForwardConfig(sizes.feed_forward_width, sizes.activation, gated=True, bias=feed_forward_bias),
        norm=norm,
        window=window,
        dropout=sizes.dropout,
    )
    return EmbeddedStackConfig(EmbeddingConfig(sizes.vocabulary, dropout=sizes.embedding_dropout), stack, position)


def plan(model: ModelRecipe, data: DataSizes) -> ModelPlan:
    """The first Llama: all heads have keys of their own, and no layer has a bias."""
    sizes = Sizes.of_recipe(model, data.vocabulary, "silu")
    position = PositionConfig("rotary", {"head_width": model.width // model.heads, "base": BASE, "pairing": "halves"})
    body = side(sizes, position, AttentionConfig(model.heads, bias=False))
    entries = {"model_type": "llama", "max_position_embeddings": model.max_positions}
    if data.labels:
        return ModelPlan(labelled(model, data, body), "LlamaForSequenceClassification", entries)
    output = OutputConfig(model.tied_embedding, bias=model.output_bias)
    return ModelPlan(DecoderConfig(body, output), "LlamaForCausalLM", entries)


def example(kind: str) -> ExampleModel:
    sizes = replace(example_sizes("silu"), dropout=0.0, attention_dropout=0.0, embedding_dropout=0.0)
    position = PositionConfig("rotary", {"head_width": 6, "base": BASE, "pairing": "halves"})
    attention = AttentionConfig(4, kv_heads=2, bias=kind == "qwen2", output_bias=False)
    body = side(sizes, position, attention, window=3 if kind == "mistral" else None)
    return ExampleModel(
        DecoderConfig(body, OutputConfig(tied=False)), f"{KINDS[kind]}ForCausalLM", {"model_type": kind}
    )


def biases(kind: str, options: Options) -> dict[str, Any]:
    """Which projections of attention have one: all or none in Llama, all but the last in Qwen2."""
    if kind == "qwen2":
        return {"bias": True, "output_bias": False}
    return {"bias": kind == "llama" and options.get("attention_bias", False)}


def window(kind: str, options: Options) -> int | None:
    """How many tokens are seen, the own one included, if not all."""
    if kind == "qwen2":
        options.only("use_sliding_window", False)
        options.only("layer_types", None, ["full_attention"] * options.get("num_hidden_layers", 32))
        for unused in ("max_window_layers", "sliding_window"):
            options.get(unused)
        return None
    return options.get("sliding_window", 4096) if kind == "mistral" else None


def rotary(options: Options, head_width: int) -> PositionConfig:
    """Positions, as transformers 5 writes them or as those before it did."""
    max_positions, base = options.get("max_position_embeddings", 2048), options.get("rope_theta", BASE)
    before, now = options.get("rope_scaling"), options.get("rope_parameters")
    scaling_entries: dict[str, Any] = dict(before or now or {})
    base = scaling_entries.pop("rope_theta", base)
    kind = scaling_entries.pop("rope_type", scaling_entries.pop("type", "default"))
    scaling_entries.pop("type", None)
    where = f"{options.where}: rope_scaling" if before else f"{options.where}: rope_parameters"
    if scaling_entries.pop("partial_rotary_factor", 1.0) != 1.0:
        raise CheckpointError(f"{where}: a partial_rotary_factor other than 1 is not supported")
    scaling_keys = {"default": set(), "linear": {"factor"}, "llama3": {"factor", *LLAMA3}}
    if kind not in scaling_keys:
        raise CheckpointError(f"{where}: rope_type = {kind!r} is not supported, only {', '.join(scaling_keys)}")
    if kind == "llama3":
        scaling_entries.setdefault("original_max_position_embeddings", max_positions)
    if scaling_keys[kind] != scaling_entries.keys():
        raise CheckpointError(f"{where}: {kind!r} takes {sorted(scaling_keys[kind])}, got {sorted(scaling_entries)}")
    scaling = (
        RopeScaling(**{LLAMA3.get(key, key): value for key, value in scaling_entries.items()})
        if scaling_entries
        else None
    )
    return PositionConfig("rotary", {"head_width": head_width, "base": base, "pairing": "halves", "scaling": scaling})


def heads_config(options: Options, architecture: str) -> dict[str, Any]:
    """What an architecture is for."""
    tied, labels = options.get("tie_word_embeddings", False), count_labels(options)
    if architecture.endswith("ForCausalLM"):
        return {"output": OutputConfig(tied)}
    if architecture.endswith("ForSequenceClassification"):
        return {"output": None, "classify": ClassificationHeadConfig(labels, "last", bias=False)}
    return {"output": None}


def write(kind: str, config: DecoderConfig, architecture: str) -> dict[str, Any]:
    side, stack = config.decoder, config.decoder.stack
    split = stack.attention
    settings = side.position.settings
    entries = {
        "model_type": kind,
        "vocab_size": side.embedding.vocabulary,
        "hidden_size": stack.width,
        "intermediate_size": stack.feed_forward.width,
        "num_hidden_layers": stack.layers,
        "num_attention_heads": split.heads,
        "num_key_value_heads": split.heads if split.kv_heads is None else split.kv_heads,
        "head_dim": settings["head_width"],
        "hidden_act": name_of(stack.feed_forward.activation),
        "attention_dropout": split.dropout,
        "rms_norm_eps": stack.norm.epsilon,
        "rope_parameters": rope(settings),
        "rope_scaling": None,
        "tie_word_embeddings": config.output.tied if config.output else False,
    }
    own = {
        "llama": {"attention_bias": split.bias, "mlp_bias": stack.feed_forward.bias},
        "mistral": {"sliding_window": stack.window},
        "qwen2": {"use_sliding_window": False},
    }
    return entries | own[kind] | ({"num_labels": config.classify.labels} if config.classify else {})


def rope(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of rotary positions, as transformers 5 writes them."""
    entries, scaling = {"rope_theta": settings.get("base", BASE)}, settings.get("scaling")
    if scaling is None:
        return entries | {"rope_type": "default"}
    if scaling.length is None:
        return entries | {"rope_type": "linear", "factor": scaling.factor}
    return entries | {
        "rope_type": "llama3",
        "factor": scaling.factor,
        **{key: getattr(scaling, field) for key, field in LLAMA3.items()},
    }


def names(config: DecoderConfig, architecture: str) -> TensorNames:
    root = "" if architecture in {f"{name}Model" for name in KINDS.values()} else "model."
    rows = [
        tensor_name("decoder.embedding.table.weight", f"{root}embed_tokens.weight"),
        tensor_name("decoder.stack.norm.weight", f"{root}norm.weight"),
        *blocks(config.decoder.stack, root),
        *heads(config),
    ]
    copies = {"lm_head.weight": f"{root}embed_tokens.weight"} if config.output and config.output.tied else {}
    layers = range(config.decoder.stack.layers)
    spare = [f"{root}layers.{layer}.self_attn.rotary_emb.inv_freq" for layer in layers]
    return TensorNames.of(rows, copies, spare=spare, root=root)


def blocks(config: StackConfig, root: str) -> list[TensorName]:
    split, inner = config.attention, config.feed_forward
    output_bias = split.bias if split.output_bias is None else split.output_bias
    rows: list[TensorName] = []
    for layer in range(config.layers):
        here, there = f"decoder.stack.blocks.{layer}", f"{root}layers.{layer}"
        attention = f"{there}.self_attn"
        left = split.split(config.width, config.pruned.get(f"{layer}.self", ()))
        queries, pairs = len(left.remaining_heads) * left.width, len(left.remaining_kv_heads) * left.width
        rows += weight_and_bias(
            f"{here}.self.qkv",
            *(f"{attention}.{part}_proj" for part in "qkv"),
            sizes=(queries, pairs, pairs),
            bias=split.bias,
        )
        rows += weight_and_bias(f"{here}.self.output", f"{attention}.o_proj", bias=output_bias)
        rows += weight_and_bias(f"{here}.self_norm", f"{there}.input_layernorm", bias=False)
        rows += weight_and_bias(
            f"{here}.feed_forward.widen", f"{there}.mlp.gate_proj", f"{there}.mlp.up_proj", bias=inner.bias
        )
        rows += weight_and_bias(f"{here}.feed_forward.narrow", f"{there}.mlp.down_proj", bias=inner.bias)
        rows += weight_and_bias(f"{here}.feed_forward_norm", f"{there}.post_attention_layernorm", bias=False)
    return rows


def family(kind: str) -> Family:
    name = KINDS[kind]
    architectures = (f"{name}Model", f"{name}ForCausalLM", f"{name}ForSequenceClassification")
    return Family(kind, architectures, partial(read, kind), partial(write, kind), names, partial(example, kind))


LLAMA = replace(family("llama"), kind="decoder", plan=plan)
MISTRAL, QWEN2 = family("mistral"), family("qwen2")

"""Mixtral: Jiang et al. 2024. Mistral with many feed-forward layers, of which each token goes to two."""

from dataclasses import replace

from regard.config import (
    AttentionConfig,
    DecoderConfig,
    EmbeddedStackConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
)
from regard.config.ranges import EPSILON, EXPERTS, POSITIONS
from regard.families import llama
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import example_sizes
from regard.families.tensor_names import TensorName, TensorNames, tensor_name

ARCHITECTURES = ("MixtralModel", "MixtralForCausalLM", "MixtralForSequenceClassification")
DEFAULTS: dict[str, object] = {"intermediate_size": 14336, "num_key_value_heads": 8}


def read(options: Options, architecture: str) -> DecoderConfig:
    options.presume(DEFAULTS)
    options.ignore("output_router_logits", "router_aux_loss_coef", "router_jitter_noise")  # of training
    attention = llama.attention_of(options, bias=False)
    body = llama.side(
        llama.sizes_of(options),
        llama.rotary(options, attention.head_width or 0),
        attention,
        NormConfig("rms", options.number("rms_norm_eps", 1e-5, EPSILON)),
        window=options.integer_or_none("sliding_window", None, POSITIONS),
    )
    experts = options.integer("num_local_experts", 8, EXPERTS)
    per_token = options.integer("num_experts_per_tok", 2, EXPERTS)
    if not 1 <= per_token <= experts:
        options.refuse("num_experts_per_tok", f"1 to {experts}, the number of experts,")
    return DecoderConfig(with_experts(body, experts, per_token), **llama.heads_config(options, architecture))


def with_experts(body: EmbeddedStackConfig, experts: int, per_token: int) -> EmbeddedStackConfig:
    """A Llama with so many feed-forward layers in each block."""
    feed_forward = replace(body.stack.feed_forward, experts=experts, experts_per_token=per_token)
    return replace(body, stack=replace(body.stack, feed_forward=feed_forward))


def example() -> ExampleModel:
    sizes = replace(example_sizes("silu"), dropout=0.0, attention_dropout=0.0, embedding_dropout=0.0)
    position = PositionConfig("rotary", {"head_width": 6, "base": llama.BASE, "pairing": "halves"})
    body = llama.side(sizes, position, AttentionConfig(4, kv_heads=2, bias=False), NormConfig("rms", 1e-5))
    config = DecoderConfig(with_experts(body, 3, 2), OutputConfig(tied=False))
    return ExampleModel(config, "MixtralForCausalLM", {"model_type": "mixtral"})


def write(config: DecoderConfig, architecture: str) -> dict[str, object]:
    stack = config.decoder.stack
    return (
        {"model_type": "mixtral"}
        | llama.config_entries(config)
        | {
            "sliding_window": stack.window,
            "num_local_experts": stack.feed_forward.experts,
            "num_experts_per_tok": stack.feed_forward.experts_per_token,
        }
    )


def names(config: DecoderConfig, architecture: str) -> TensorNames:
    table = llama.names(config, architecture)
    root = "" if architecture.endswith("Model") else "model."
    kept = [row for row in table.rows if ".feed_forward." not in row.name]
    return replace(table, rows=(*kept, *experts(config.decoder.stack, root)))


def experts(config: StackConfig, root: str) -> list[TensorName]:
    """The router and the feed-forward layers of each block."""
    rows: list[TensorName] = []
    for layer in range(config.layers):
        here, there = f"decoder.stack.blocks.{layer}.feed_forward", f"{root}layers.{layer}.block_sparse_moe"
        rows += [tensor_name(f"{here}.router.weight", f"{there}.gate.weight")]
        for number in range(config.feed_forward.experts):
            ours, theirs = f"{here}.experts.{number}", f"{there}.experts.{number}"
            rows += [tensor_name(f"{ours}.widen.weight", f"{theirs}.w1.weight", f"{theirs}.w3.weight")]
            rows += [tensor_name(f"{ours}.narrow.weight", f"{theirs}.w2.weight")]
    return rows


FAMILY = Family("mixtral", ARCHITECTURES, read, write, names, example)

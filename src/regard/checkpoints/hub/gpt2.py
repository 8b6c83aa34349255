"""GPT-2: Radford et al. 2019."""

from typing import Any

from regard.checkpoints.hub.bert import count_labels
from regard.checkpoints.hub.family import Family
from regard.checkpoints.options import ACTIVATIONS, Options, name_of
from regard.checkpoints.tensor_names import TensorName, TensorNames, tensor_name, weight_and_bias
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
    StackConfig,
)

ARCHITECTURES = ("GPT2Model", "GPT2LMHeadModel", "GPT2ForSequenceClassification")
SUMMARY = ("type", "use_proj", "activation", "proj_to_labels", "first_dropout")  # of a head that is not read here


def read(options: Options, architecture: str) -> DecoderConfig:
    options.only("add_cross_attention", False)
    return DecoderConfig(side(options), **heads_config(options, architecture))


def side(options: Options) -> EmbeddedStackConfig:
    """Words, positions and stack of a GPT-2, whether or not it looks at a source as well."""
    options.only("scale_attn_by_inverse_layer_idx", False)
    options.only("reorder_and_upcast_attn", False)
    width = options.get("n_embd", 768)
    inner = options.get("n_inner")
    stack = StackConfig(
        layers=options.get("n_layer", 12),
        width=width,
        attention=AttentionConfig(
            options.get("n_head", 12),
            scale=None if options.get("scale_attn_weights", True) else 1.0,
            dropout=options.get("attn_pdrop", 0.1),
        ),
        feed_forward=FeedForwardConfig(
            4 * width if inner is None else inner, options.one_of("activation_function", ACTIVATIONS, "gelu_new")
        ),
        norm=NormConfig("layer", options.get("layer_norm_epsilon", 1e-5)),
        dropout=options.get("resid_pdrop", 0.1),
    )
    words = EmbeddingConfig(options.get("vocab_size", 50257), dropout=options.get("embd_pdrop", 0.1))
    length = options.get("n_positions", 1024)
    return EmbeddedStackConfig(words, stack, PositionConfig("learned", {"length": length, "width": width}))


def heads_config(options: Options, architecture: str) -> dict[str, Any]:
    """What an architecture of GPT-2, or of the GPT before it, is for."""
    for what in SUMMARY:
        options.get(f"summary_{what}")
    tied, labels = options.get("tie_word_embeddings", True), count_labels(options)
    if architecture.endswith("LMHeadModel"):
        return {"output": OutputConfig(tied)}
    if architecture.endswith("ForSequenceClassification"):
        return {"output": None, "classify": ClassificationHeadConfig(labels, "last", bias=False)}
    return {"output": None}


def write(config: DecoderConfig, architecture: str) -> dict[str, Any]:
    stack = config.decoder.stack
    return {
        "model_type": "gpt2",
        **sizes(config),
        "n_inner": stack.feed_forward.width,
        "activation_function": name_of(stack.feed_forward.activation),
        "scale_attn_weights": stack.attention.scale is None,
        "add_cross_attention": False,
    }


def sizes(config: DecoderConfig) -> dict[str, Any]:
    """What the config of GPT-2 has in common with that of the GPT before it."""
    side, stack = config.decoder, config.decoder.stack
    return {
        "vocab_size": side.embedding.vocabulary,
        "n_positions": side.position.settings["length"],
        "n_embd": stack.width,
        "n_layer": stack.layers,
        "n_head": stack.attention.heads,
        "resid_pdrop": stack.dropout,
        "embd_pdrop": side.embedding.dropout,
        "attn_pdrop": stack.attention.dropout,
        "layer_norm_epsilon": stack.norm.epsilon,
        "tie_word_embeddings": config.output.tied if config.output else True,
        **({"num_labels": config.classify.labels} if config.classify else {}),
    }


def names(config: DecoderConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "GPT2Model" else "transformer."
    rows = [*base(config.decoder, root), *heads(config)]
    copies = {"lm_head.weight": f"{root}wte.weight"} if config.output and config.output.tied else {}
    return TensorNames.of(rows, copies, spare=masks(config.decoder.stack, root), root=root)


def base(config: EmbeddedStackConfig, root: str, *, cross: bool = False) -> list[TensorName]:
    """A GPT-2 without a head; `cross`: it looks at a source, too."""
    return [
        tensor_name("decoder.embedding.table.weight", f"{root}wte.weight"),
        tensor_name("decoder.position.table.weight", f"{root}wpe.weight"),
        *blocks(config.stack, root, cross=cross),
        *weight_and_bias("decoder.stack.norm", f"{root}ln_f"),
    ]


def blocks(config: StackConfig, root: str, *, cross: bool = False) -> list[TensorName]:
    """The layers of a GPT, whose matrices lie the other way round."""
    rows: list[TensorName] = []
    for layer in range(config.layers):
        here, there = f"decoder.stack.blocks.{layer}", f"{root}h.{layer}"
        rows += weight_and_bias(f"{here}.self.qkv", f"{there}.attn.c_attn", transposed=True)
        rows += weight_and_bias(f"{here}.self.output", f"{there}.attn.c_proj", transposed=True)
        rows += weight_and_bias(f"{here}.self_norm", f"{there}.ln_1")
        rows += weight_and_bias(f"{here}.feed_forward.widen", f"{there}.mlp.c_fc", transposed=True)
        rows += weight_and_bias(f"{here}.feed_forward.narrow", f"{there}.mlp.c_proj", transposed=True)
        rows += weight_and_bias(f"{here}.feed_forward_norm", f"{there}.ln_2")
        if cross:
            rows += weight_and_bias(f"{here}.cross.query", f"{there}.crossattention.q_attn", transposed=True)
            rows += weight_and_bias(f"{here}.cross.kv", f"{there}.crossattention.c_attn", transposed=True)
            rows += weight_and_bias(f"{here}.cross.output", f"{there}.crossattention.c_proj", transposed=True)
            rows += weight_and_bias(f"{here}.cross_norm", f"{there}.ln_cross_attn")
    return rows


def masks(config: StackConfig, root: str) -> list[str]:
    """Causal masks, which older files keep beside the weights."""
    kinds = ("attn.bias", "attn.masked_bias", "crossattention.bias", "crossattention.masked_bias")
    return [f"{root}h.{layer}.{kind}" for layer in range(config.layers) for kind in kinds]


def heads(config: DecoderConfig) -> list[TensorName]:
    """The head of a model that reads left to right, if it is not tied to the words."""
    rows = [tensor_name("classify.labels.weight", "score.weight")] if config.classify else []
    return rows + ([tensor_name("output.weight", "lm_head.weight")] if config.output and not config.output.tied else [])


FAMILY = Family(("gpt2",), ARCHITECTURES, read, write, names)

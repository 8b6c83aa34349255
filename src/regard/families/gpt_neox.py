"""GPT-NeoX: Black et al. 2022; and Pythia: Biderman et al. 2023."""

from dataclasses import replace

from regard.config import (
    AttentionConfig,
    DecoderConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
)
from regard.config.ranges import EPSILON, ROPE_BASE, SHARE
from regard.families import llama
from regard.families.family import ExampleModel, Family
from regard.families.gpt2 import heads
from regard.families.options import Options, name_of
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorName, TensorNames, tensor_name, weight_and_bias

ARCHITECTURES = ("GPTNeoXModel", "GPTNeoXForCausalLM", "GPTNeoXForSequenceClassification")
DEFAULTS: dict[str, object] = {
    "vocab_size": 50432, "hidden_size": 6144, "num_hidden_layers": 44, "num_attention_heads": 64,
    "intermediate_size": 24576, "hidden_act": "gelu",
}  # fmt: skip
ROTARY_SHARE = 0.25  # of a head
OLDER = {"embed_out.weight": "lm_head.weight"}


def read(options: Options, architecture: str) -> DecoderConfig:
    options.presume(DEFAULTS)
    options.only("is_decoder", False, True)
    options.ignore("classifier_dropout")
    dropout = options.number("hidden_dropout", 0.0, SHARE)
    sizes = replace(llama.sizes_of(options), dropout=dropout, embedding_dropout=dropout)
    share = options.number("rotary_pct", ROTARY_SHARE, SHARE)
    options.presume({"rope_theta": options.number("rotary_emb_base", llama.BASE, ROPE_BASE)})
    body = side(
        sizes,
        llama.rotary(options, sizes.width // sizes.heads, share),
        options.number("layer_norm_eps", 1e-5, EPSILON),
        bias=options.flag("attention_bias", True),
        parallel=options.flag("use_parallel_residual", True),
    )
    return DecoderConfig(body, **llama.heads_config(options, architecture))


def side(
    sizes: Sizes, position: PositionConfig, epsilon: float = 1e-5, *, bias: bool = True, parallel: bool = True
) -> EmbeddedStackConfig:
    """Attention and feed-forward layer side by side, a norm before each; a part of every head is turned."""
    stack = StackConfig(
        layers=sizes.layers,
        width=sizes.width,
        attention=AttentionConfig(sizes.heads, bias=bias, dropout=sizes.attention_dropout),
        feed_forward=FeedForwardConfig(sizes.feed_forward_width, sizes.activation),
        norm=NormConfig("layer", epsilon),
        parallel=parallel,
        dropout=sizes.dropout,
    )
    return EmbeddedStackConfig(EmbeddingConfig(sizes.vocabulary, dropout=sizes.embedding_dropout), stack, position)


def example() -> ExampleModel:
    settings = {"head_width": 6, "base": llama.BASE, "pairing": "halves", "rotary_width": 2}
    body = side(example_sizes("gelu"), PositionConfig("rotary", settings))
    return ExampleModel(DecoderConfig(body, OutputConfig(tied=False)), ARCHITECTURES[1], {"model_type": "gpt_neox"})


def write(config: DecoderConfig, architecture: str) -> dict[str, object]:
    side, stack = config.decoder, config.decoder.stack
    entries: dict[str, object] = {
        "model_type": "gpt_neox",
        "vocab_size": side.embedding.vocabulary,
        "hidden_size": stack.width,
        "num_hidden_layers": stack.layers,
        "num_attention_heads": stack.attention.heads,
        "intermediate_size": stack.feed_forward.width,
        "hidden_act": name_of(stack.feed_forward.activation),
        "hidden_dropout": stack.dropout,
        "attention_dropout": stack.attention.dropout,
        "attention_bias": stack.attention.bias,
        "layer_norm_eps": stack.norm.epsilon,
        "use_parallel_residual": stack.parallel,
        "rope_parameters": {"partial_rotary_factor": 1.0} | llama.rope(side.position.settings),
        "rope_scaling": None,
        "tie_word_embeddings": config.output.tied if config.output else False,
    }
    return entries | ({"num_labels": config.classify.labels} if config.classify else {})


def names(config: DecoderConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "GPTNeoXModel" else "gpt_neox."
    table = f"{root}embed_in.weight"
    rows = [
        tensor_name("decoder.embedding.table.weight", table),
        *blocks(config.decoder.stack, root),
        *weight_and_bias("decoder.stack.norm", f"{root}final_layer_norm"),
        *heads(config),
    ]
    copies = {"lm_head.weight": table} if config.output and config.output.tied else {}
    kinds = ("bias", "masked_bias", "rotary_emb.inv_freq")
    layers = range(config.decoder.stack.layers)
    spare = [f"{root}layers.{layer}.attention.{kind}" for layer in layers for kind in kinds]
    return TensorNames.of(rows, copies, spare=spare, old_endings=OLDER, root=root)


def blocks(config: StackConfig, root: str) -> list[TensorName]:
    """The layers, whose queries, keys and values lie head by head."""
    rows: list[TensorName] = []
    for layer in range(config.layers):
        here, there = f"decoder.stack.blocks.{layer}", f"{root}layers.{layer}"
        left = len(config.attention.split(config.width, config.pruned.get(f"{layer}.self", ())).remaining_heads)
        qkv = weight_and_bias(f"{here}.self.qkv", f"{there}.attention.query_key_value", bias=config.attention.bias)
        rows += [replace(row, heads=left) for row in qkv]
        rows += weight_and_bias(f"{here}.self.output", f"{there}.attention.dense", bias=config.attention.bias)
        rows += weight_and_bias(f"{here}.self_norm", f"{there}.input_layernorm")
        rows += weight_and_bias(f"{here}.feed_forward.widen", f"{there}.mlp.dense_h_to_4h")
        rows += weight_and_bias(f"{here}.feed_forward.narrow", f"{there}.mlp.dense_4h_to_h")
        rows += weight_and_bias(f"{here}.feed_forward_norm", f"{there}.post_attention_layernorm")
    return rows


FAMILY = Family("gpt_neox", ARCHITECTURES, read, write, names, example)

"""OPT: Zhang et al. 2022."""

from dataclasses import replace

from regard.config import DecoderConfig, EmbeddedStackConfig, PositionConfig
from regard.config.ranges import FEED_FORWARD_WIDTH, HEADS, LAYERS, POSITIONS, SHARE, VOCABULARY, WIDTH
from regard.families import gpt2, llama
from regard.families.family import ExampleModel, Family
from regard.families.options import Options, name_of
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorName, TensorNames, tensor_name, weight_and_bias

ARCHITECTURES = ("OPTModel", "OPTForCausalLM", "OPTForSequenceClassification")
OFFSET = 2  # rows of the table of positions that no token takes


def read(options: Options, architecture: str) -> DecoderConfig:
    options.only("layer_norm_elementwise_affine", True)
    options.presume({"tie_word_embeddings": True})
    width = options.integer("hidden_size", 768, WIDTH)
    options.only("word_embed_proj_dim", None, width)
    options.ignore("activation_dropout")  # of versions before transformers 4.20
    dropout = options.number("dropout", 0.1, SHARE)
    sizes = Sizes(
        vocabulary=options.integer("vocab_size", 50272, VOCABULARY),
        layers=options.integer("num_hidden_layers", 12, LAYERS),
        width=width,
        heads=options.integer("num_attention_heads", 12, HEADS),
        feed_forward_width=options.integer("ffn_dim", 3072, FEED_FORWARD_WIDTH),
        activation=options.activation("activation_function", "relu"),
        max_positions=options.integer("max_position_embeddings", 2048, POSITIONS),
        dropout=dropout,
        attention_dropout=options.number("attention_dropout", 0.0, SHARE),
        embedding_dropout=0.0,
    )
    pre_norm = options.flag("do_layer_norm_before", True)
    body = side(sizes, bias=options.flag("enable_bias", True), pre_norm=pre_norm)
    if options.flag("_remove_final_layer_norm", False):
        body = replace(body, stack=replace(body.stack, final_norm=False))
    return DecoderConfig(body, **llama.heads_config(options, architecture))


def side(sizes: Sizes, *, bias: bool = True, pre_norm: bool = True) -> EmbeddedStackConfig:
    """GPT-2's, with ReLU, and two rows of positions that are not used."""
    plain = gpt2.side(sizes, pre_norm=pre_norm)
    attention, feed_forward = plain.stack.attention, plain.stack.feed_forward
    stack = replace(plain.stack, attention=replace(attention, bias=bias), feed_forward=replace(feed_forward, bias=bias))
    settings = {"length": sizes.max_positions, "width": sizes.width, "offset": OFFSET}
    return replace(plain, stack=stack, position=PositionConfig("learned", settings))


def example() -> ExampleModel:
    return ExampleModel(DecoderConfig(side(example_sizes("relu"))), "OPTForCausalLM", {"model_type": "opt"})


def write(config: DecoderConfig, architecture: str) -> dict[str, object]:
    side, stack = config.decoder, config.decoder.stack
    entries: dict[str, object] = {
        "model_type": "opt",
        "vocab_size": side.embedding.vocabulary,
        "hidden_size": stack.width,
        "word_embed_proj_dim": stack.width,
        "num_hidden_layers": stack.layers,
        "num_attention_heads": stack.attention.heads,
        "ffn_dim": stack.feed_forward.width,
        "activation_function": name_of(stack.feed_forward.activation),
        "max_position_embeddings": side.position.settings["length"],
        "dropout": stack.dropout,
        "attention_dropout": stack.attention.dropout,
        "enable_bias": stack.attention.bias,
        "do_layer_norm_before": stack.pre_norm,
        "_remove_final_layer_norm": stack.pre_norm and not stack.final_norm,
        "tie_word_embeddings": config.output.tied if config.output else True,
    }
    return entries | ({"num_labels": config.classify.labels} if config.classify else {})


def names(config: DecoderConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "OPTModel" else "model."
    there, stack = f"{root}decoder", config.decoder.stack
    table = f"{there}.embed_tokens.weight"
    rows = [
        tensor_name("decoder.embedding.table.weight", table),
        tensor_name("decoder.position.table.weight", f"{there}.embed_positions.weight"),
        *(weight_and_bias("decoder.stack.norm", f"{there}.final_layer_norm") if stack.final_norm else []),
        *gpt2.heads(config),
    ]
    bias = stack.attention.bias
    for layer in range(stack.layers):
        rows += block(f"decoder.stack.blocks.{layer}", f"{there}.layers.{layer}", bias=bias)
    copies = {"lm_head.weight": table} if config.output and config.output.tied else {}
    return TensorNames.of(rows, copies, root=root)


def block(here: str, there: str, *, bias: bool) -> list[TensorName]:
    attention = f"{there}.self_attn"
    return [
        *weight_and_bias(f"{here}.self.qkv", *(f"{attention}.{part}_proj" for part in "qkv"), bias=bias),
        *weight_and_bias(f"{here}.self.output", f"{attention}.out_proj", bias=bias),
        *weight_and_bias(f"{here}.self_norm", f"{there}.self_attn_layer_norm"),
        *weight_and_bias(f"{here}.feed_forward.widen", f"{there}.fc1", bias=bias),
        *weight_and_bias(f"{here}.feed_forward.narrow", f"{there}.fc2", bias=bias),
        *weight_and_bias(f"{here}.feed_forward_norm", f"{there}.final_layer_norm"),
    ]


FAMILY = Family("opt", ARCHITECTURES, read, write, names, example)

"""T5: Raffel et al. 2020."""

from dataclasses import replace
from functools import partial

from regard.config import (
    AttentionConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    EncoderConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
    TransformerConfig,
)
from regard.config.ranges import BUCKETS, EPSILON, FEED_FORWARD_WIDTH, HEADS, LAYERS, SHARE, VOCABULARY, WIDTH
from regard.families.family import ExampleModel, Family
from regard.families.options import ACTIVATIONS, Options, name_of
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorName, TensorNames, tensor_name

ARCHITECTURES = ("T5Model", "T5ForConditionalGeneration", "T5EncoderModel")
GATED = {"gelu": "gelu_new"}  # "gated-gelu" means the approximation, "gelu" alone does not


def read(options: Options, architecture: str) -> EncoderConfig | TransformerConfig:
    options.only("is_decoder", False)
    options.ignore("classifier_dropout", "n_positions")
    layers, width = options.integer("num_layers", 6, LAYERS), options.integer("d_model", 512, WIDTH)
    below = options.integer_or_none("num_decoder_layers", None, LAYERS)
    scaled = options.flag("scale_decoder_outputs", options.flag("tie_word_embeddings", True))
    encoder = read_side(options, layers, both_ways=True)
    if architecture == "T5EncoderModel":
        return EncoderConfig(encoder)
    decoder = read_side(options, layers if below is None else below, both_ways=False)
    output = None
    if architecture == "T5ForConditionalGeneration":  # the tensors alone say whether the table is used twice
        tied = not options.holds("lm_head.weight", other_than="shared.weight")
        output = OutputConfig(tied, scale=width**-0.5 if scaled else 1.0)
    return TransformerConfig(encoder, decoder, output)


def read_side(options: Options, layers: int, *, both_ways: bool) -> EmbeddedStackConfig:
    dropout = options.number("dropout_rate", 0.1, SHARE)
    activation, gated = activation_of(options)
    sizes = Sizes(
        vocabulary=options.integer("vocab_size", 32128, VOCABULARY),
        layers=layers,
        width=options.integer("d_model", 512, WIDTH),
        heads=options.integer("num_heads", 8, HEADS),
        feed_forward_width=options.integer("d_ff", 2048, FEED_FORWARD_WIDTH),
        activation=activation,
        dropout=dropout,
        attention_dropout=dropout,
        feed_forward_dropout=dropout,
        embedding_dropout=dropout,
    )
    return side(
        sizes,
        options.integer("d_kv", 64, WIDTH),
        options.integer("relative_attention_num_buckets", 32, BUCKETS),
        options.integer("relative_attention_max_distance", 128, BUCKETS),
        options.number("layer_norm_epsilon", 1e-6, EPSILON),
        gated=gated,
        both_ways=both_ways,
    )


def side(
    sizes: Sizes,
    head_width: int,
    buckets: int = 32,
    reach: int = 128,
    epsilon: float = 1e-6,
    *,
    gated: bool = False,
    both_ways: bool,
) -> EmbeddedStackConfig:
    """Norms before each part, no biases, no scale in the score, distances in buckets: 3.1.2."""
    stack = StackConfig(
        layers=sizes.layers,
        width=sizes.width,
        attention=AttentionConfig(sizes.heads, head_width, bias=False, scale=1.0, dropout=sizes.attention_dropout),
        feed_forward=FeedForwardConfig(
            sizes.feed_forward_width, sizes.activation, gated=gated, bias=False, dropout=sizes.feed_forward_dropout
        ),
        norm=NormConfig("rms", epsilon),
        dropout=sizes.dropout,
    )
    settings = {"heads": sizes.heads, "buckets": buckets, "reach": reach, "both_ways": both_ways}
    words = EmbeddingConfig(sizes.vocabulary, dropout=sizes.embedding_dropout)
    return EmbeddedStackConfig(words, stack, PositionConfig("buckets", settings))


def preset(layers: int, width: int, feed_forward_width: int, heads: int, vocabulary: int = 32128) -> TransformerConfig:
    """Raffel et al. 2020, 3.1.2 and 3.7."""
    sizes = Sizes(vocabulary, layers, width, heads, feed_forward_width, "relu", feed_forward_dropout=0.1)
    encoder, decoder = (side(sizes, 64, both_ways=both_ways) for both_ways in (True, False))
    return TransformerConfig(encoder, decoder, OutputConfig(tied=True, scale=width**-0.5))


def plan(model: ModelRecipe, data: DataSizes) -> ModelPlan:
    encoder, decoder = (
        side(
            Sizes.of_recipe(model, data.vocabulary, "relu", is_decoder=is_decoder),
            model.width // model.heads,
            both_ways=not is_decoder,
        )
        for is_decoder in (False, True)
    )
    output = OutputConfig(model.tied_embedding, scale=model.width**-0.5 if model.tied_embedding else 1.0)
    return ModelPlan(TransformerConfig(encoder, decoder, output), "T5ForConditionalGeneration", {"model_type": "t5"})


def example() -> ExampleModel:
    sizes = replace(example_sizes("relu"), feed_forward_dropout=0.1)
    encoder, decoder = (side(sizes, 5, both_ways=both_ways) for both_ways in (True, False))
    output = OutputConfig(tied=True, scale=sizes.width**-0.5)
    return ExampleModel(TransformerConfig(encoder, decoder, output), "T5ForConditionalGeneration", {"model_type": "t5"})


def activation_of(options: Options) -> tuple[str, bool]:
    """The activation of the feed-forward layer, and whether it has a gate."""
    projections = [f"{gate}{name}" for name in ACTIVATIONS for gate in ("", "gated-")]
    kind, _, name = options.one_of("feed_forward_proj", "relu", projections).rpartition("-")
    name = GATED.get(name, name) if kind else name
    options.only("dense_act_fn", name)
    options.only("is_gated_act", bool(kind))
    return ACTIVATIONS[name], bool(kind)


def write(config: EncoderConfig | TransformerConfig, architecture: str) -> dict[str, object]:
    side, stack = config.encoder, config.encoder.stack
    name = name_of(stack.feed_forward.activation)
    if stack.feed_forward.gated and name == "gelu":
        name = "gelu_python"
    shown = next((short for short, long in GATED.items() if long == name), name)
    entries = {
        "model_type": "t5",
        "vocab_size": side.embedding.vocabulary,
        "d_model": stack.width,
        "d_kv": stack.width // stack.attention.heads if (own := stack.attention.head_width) is None else own,
        "d_ff": stack.feed_forward.width,
        "num_layers": stack.layers,
        "num_heads": stack.attention.heads,
        "relative_attention_num_buckets": side.position.settings["buckets"],
        "relative_attention_max_distance": side.position.settings["reach"],
        "dropout_rate": stack.dropout,
        "layer_norm_epsilon": stack.norm.epsilon,
        "feed_forward_proj": f"gated-{shown}" if stack.feed_forward.gated else name,
        "dense_act_fn": name,
        "is_gated_act": stack.feed_forward.gated,
    }
    if isinstance(config, EncoderConfig):
        return entries
    scaled = config.output is None or config.output.scale != 1
    return entries | {
        "num_decoder_layers": config.decoder.stack.layers,
        "scale_decoder_outputs": scaled,
        "tie_word_embeddings": scaled,  # to the reference this means the scale, and to its older versions both
    }


def names(config: EncoderConfig | TransformerConfig, architecture: str) -> TensorNames:
    rows = [tensor_name("encoder.embedding.table.weight", "shared.weight"), *stack(config.encoder.stack, "encoder", 1)]
    copies = {"encoder.embed_tokens.weight": "shared.weight"}
    spare = []
    if isinstance(config, TransformerConfig):
        rows += stack(config.decoder.stack, "decoder", 2)
        copies["decoder.embed_tokens.weight"] = "shared.weight"
        spare = ["decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"]
        if config.output and config.output.tied:
            copies["lm_head.weight"] = "shared.weight"
        elif config.output:
            rows += [tensor_name("output.weight", "lm_head.weight")]
    return TensorNames.of(rows, copies, spare)


def stack(config: StackConfig, side: str, last: int) -> list[TensorName]:
    """A stack's layers, which are called alike here and there; part `last` of each is the feed-forward layer."""
    first_attention = f"{side}.block.0.layer.0.SelfAttention"
    rows = [
        tensor_name(f"{side}.position.table.weight", f"{first_attention}.relative_attention_bias.weight"),
        tensor_name(f"{side}.stack.norm.weight", f"{side}.final_layer_norm.weight"),
    ]
    for layer in range(config.layers):
        here, there = f"{side}.stack.blocks.{layer}", f"{side}.block.{layer}.layer"
        attention, across = f"{there}.0.SelfAttention", f"{there}.1.EncDecAttention"
        think = f"{there}.{last}.DenseReluDense"
        wide = [f"{think}.wi_0.weight", f"{think}.wi_1.weight"] if config.feed_forward.gated else [f"{think}.wi.weight"]
        rows += [
            tensor_name(f"{here}.self.qkv.weight", *(f"{attention}.{part}.weight" for part in "qkv")),
            tensor_name(f"{here}.self.output.weight", f"{attention}.o.weight"),
            tensor_name(f"{here}.self_norm.weight", f"{there}.0.layer_norm.weight"),
            tensor_name(f"{here}.feed_forward.widen.weight", *wide),
            tensor_name(f"{here}.feed_forward.narrow.weight", f"{think}.wo.weight"),
            tensor_name(f"{here}.feed_forward_norm.weight", f"{there}.{last}.layer_norm.weight"),
        ]
        if side == "decoder":
            rows += [
                tensor_name(f"{here}.cross.query.weight", f"{across}.q.weight"),
                tensor_name(f"{here}.cross.kv.weight", f"{across}.k.weight", f"{across}.v.weight"),
                tensor_name(f"{here}.cross.output.weight", f"{across}.o.weight"),
                tensor_name(f"{here}.cross_norm.weight", f"{there}.1.layer_norm.weight"),
            ]
    return rows


FAMILY = Family(
    "t5",
    ARCHITECTURES,
    read,
    write,
    names,
    example,
    presets={"t5-small": partial(preset, 6, 512, 2048, 8), "t5-base": partial(preset, 12, 768, 3072, 12)},
    kind="transformer",
    plan=plan,
)

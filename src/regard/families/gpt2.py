"""GPT-2: Radford et al. 2019."""

from dataclasses import replace
from functools import partial

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
from regard.config.ranges import EPSILON, FEED_FORWARD_WIDTH, HEADS, LAYERS, POSITIONS, SHARE, VOCABULARY, WIDTH
from regard.families.bert import count_labels
from regard.families.family import DecoderHeads, ExampleModel, Family
from regard.families.options import Options, name_of
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorName, TensorNames, tensor_name, weight_and_bias

ARCHITECTURES = ("GPT2Model", "GPT2LMHeadModel", "GPT2ForSequenceClassification")
SUMMARY = ("type", "use_proj", "activation", "proj_to_labels", "first_dropout")  # of a head that is not read here


def read(options: Options, architecture: str) -> DecoderConfig:
    options.only("add_cross_attention", False)
    return DecoderConfig(read_side(options), **heads_config(options, architecture))


def read_side(options: Options) -> EmbeddedStackConfig:
    """Words, positions and stack of a GPT-2, whether or not it looks at a source as well."""
    options.only("scale_attn_by_inverse_layer_idx", False)
    options.only("reorder_and_upcast_attn", False)
    sizes = sizes_of(options, options.activation("activation_function", "gelu_new"), 50257, 1024)
    if (inner := options.integer_or_none("n_inner", None, FEED_FORWARD_WIDTH)) is not None:
        sizes = replace(sizes, feed_forward_width=inner)
    scale = None if options.flag("scale_attn_weights", True) else 1.0
    return side(sizes, options.number("layer_norm_epsilon", 1e-5, EPSILON), scale)


def sizes_of(options: Options, activation: str, vocabulary: int, positions: int) -> Sizes:
    """The sizes that the config of a GPT-2 tells, and that of the GPT before it."""
    width = options.integer("n_embd", 768, WIDTH)
    return Sizes(
        vocabulary=options.integer("vocab_size", vocabulary, VOCABULARY),
        layers=options.integer("n_layer", 12, LAYERS),
        width=width,
        heads=options.integer("n_head", 12, HEADS),
        feed_forward_width=4 * width,
        activation=activation,
        max_positions=options.integer("n_positions", positions, POSITIONS),
        dropout=options.number("resid_pdrop", 0.1, SHARE),
        attention_dropout=options.number("attn_pdrop", 0.1, SHARE),
        embedding_dropout=options.number("embd_pdrop", 0.1, SHARE),
    )


def side(
    sizes: Sizes, epsilon: float = 1e-5, scale: float | None = None, *, pre_norm: bool = True
) -> EmbeddedStackConfig:
    """Norms before each part, and one at the end; learned positions."""
    stack = StackConfig(
        layers=sizes.layers,
        width=sizes.width,
        attention=AttentionConfig(sizes.heads, scale=scale, dropout=sizes.attention_dropout),
        feed_forward=FeedForwardConfig(sizes.feed_forward_width, sizes.activation, dropout=sizes.feed_forward_dropout),
        norm=NormConfig("layer", epsilon),
        pre_norm=pre_norm,
        final_norm=pre_norm,
        dropout=sizes.dropout,
    )
    words = EmbeddingConfig(sizes.vocabulary, dropout=sizes.embedding_dropout)
    settings = {"length": sizes.max_positions, "width": sizes.width}
    return EmbeddedStackConfig(words, stack, PositionConfig("learned", settings))


def preset(layers: int, width: int, heads: int, vocabulary: int = 50257) -> DecoderConfig:
    """Radford et al. 2019, table 2. Heads are 64 wide, but for the largest model: 1600 / 25."""
    return DecoderConfig(side(Sizes(vocabulary, layers, width, heads, 4 * width, "gelu-tanh", 1024)))


def plan(model: ModelRecipe, data: DataSizes) -> ModelPlan:
    body, entries = side(Sizes.of_recipe(model, data.vocabulary, "gelu-tanh")), {"model_type": "gpt2"}
    if data.labels:
        return ModelPlan(labelled(model, data, body), "GPT2ForSequenceClassification", entries)
    output = OutputConfig(model.tied_embedding, bias=model.output_bias)
    return ModelPlan(DecoderConfig(body, output), "GPT2LMHeadModel", entries)


def labelled(model: ModelRecipe, data: DataSizes, body: EmbeddedStackConfig) -> DecoderConfig:
    """A model that reads left to right, asked for labels."""
    return DecoderConfig(body, None, ClassificationHeadConfig(data.labels, model.pool, bias=False))


def example() -> ExampleModel:
    return ExampleModel(DecoderConfig(side(example_sizes("gelu-tanh"))), "GPT2LMHeadModel", {"model_type": "gpt2"})


def heads_config(options: Options, architecture: str) -> DecoderHeads:
    """What an architecture of GPT-2, or of the GPT before it, is for."""
    options.ignore(*(f"summary_{what}" for what in SUMMARY))
    tied, labels = options.flag("tie_word_embeddings", True), count_labels(options)
    if architecture.endswith("LMHeadModel"):
        return {"output": OutputConfig(tied)}
    if architecture.endswith("ForSequenceClassification"):
        return {"output": None, "classify": ClassificationHeadConfig(labels, "last", bias=False)}
    return {"output": None}


def write(config: DecoderConfig, architecture: str) -> dict[str, object]:
    stack = config.decoder.stack
    return {
        "model_type": "gpt2",
        **size_entries(config),
        "n_inner": stack.feed_forward.width,
        "activation_function": name_of(stack.feed_forward.activation),
        "scale_attn_weights": stack.attention.scale is None,
        "add_cross_attention": False,
    }


def size_entries(config: DecoderConfig) -> dict[str, object]:
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


FAMILY = Family(
    "gpt2",
    ARCHITECTURES,
    read,
    write,
    names,
    example,
    presets={
        "gpt2": partial(preset, 12, 768, 12),
        "gpt2-medium": partial(preset, 24, 1024, 16),
        "gpt2-large": partial(preset, 36, 1280, 20),
        "gpt2-xl": partial(preset, 48, 1600, 25),
    },
    kind="decoder",
    plan=plan,
    labelling="GPT2ForSequenceClassification",
)

"""BART: Lewis et al. 2020."""

from regard.config import (
    AttentionConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    SpeechConfig,
    StackConfig,
    TransformerConfig,
)
from regard.config.ranges import FEED_FORWARD_WIDTH, HEADS, LAYERS, POSITIONS, SHARE, VOCABULARY, WIDTH
from regard.families.family import ExampleModel, Family
from regard.families.options import Options, name_of
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorName, TensorNames, tensor_name, weight_and_bias

ARCHITECTURES = ("BartModel", "BartForConditionalGeneration")
OFFSET = 2  # rows of the table of positions that no token takes
UNUSED = ("num_hidden_layers", "num_labels", "_num_labels", "classif_dropout", "classifier_dropout")
UNUSED += ("force_bos_token_to_be_generated",)


def read(options: Options, architecture: str) -> TransformerConfig:
    refuse_unsupported(options)
    options.only("normalize_embedding", True)
    options.only("static_position_embeddings", False)
    options.only("extra_pos_embeddings", OFFSET)
    vocabulary, scale = options.integer("vocab_size", 50265, VOCABULARY), scale_of(options)
    encoder, decoder = (side(sizes_of(options, name, vocabulary), scale) for name in ("encoder", "decoder"))
    return TransformerConfig(encoder, decoder, *tables(options, scored=architecture == "BartForConditionalGeneration"))


def refuse_unsupported(options: Options) -> None:
    """Refuse what BART's config may ask for, and its relatives do: mBART, Pegasus, Blenderbot."""
    for key in ("normalize_before", "add_final_layer_norm", "add_bias_logits", "is_decoder"):
        options.only(key, False)
    options.ignore(*UNUSED)


def sizes_of(options: Options, side: str, vocabulary: int) -> Sizes:
    """The sizes that the config of a BART or a Marian tells of one side: `encoder` or `decoder`."""
    dropout = options.number("dropout", 0.1, SHARE)
    return Sizes(
        vocabulary=vocabulary,
        layers=options.integer(f"{side}_layers", 12, LAYERS),
        width=options.integer("d_model", 1024, WIDTH),
        heads=options.integer(f"{side}_attention_heads", 16, HEADS),
        feed_forward_width=options.integer(f"{side}_ffn_dim", 4096, FEED_FORWARD_WIDTH),
        activation=options.activation("activation_function", "gelu"),
        max_positions=options.integer("max_position_embeddings", 1024, POSITIONS),
        dropout=dropout,
        attention_dropout=options.number("attention_dropout", 0.0, SHARE),
        feed_forward_dropout=options.number("activation_dropout", 0.0, SHARE),
        embedding_dropout=dropout,
    )


def scale_of(options: Options) -> float:
    """What embeddings are multiplied by."""
    return options.integer("d_model", 1024, WIDTH) ** 0.5 if options.flag("scale_embedding", False) else 1.0


def side(sizes: Sizes, scale: float = 1.0) -> EmbeddedStackConfig:
    """Norms after each part, and of the embeddings; learned positions."""
    words = EmbeddingConfig(sizes.vocabulary, norm=True, scale=scale, dropout=sizes.embedding_dropout)
    settings = {"length": sizes.max_positions, "width": sizes.width, "offset": OFFSET}
    return EmbeddedStackConfig(words, stack(sizes), PositionConfig("learned", settings))


def stack(sizes: Sizes) -> StackConfig:
    return StackConfig(
        layers=sizes.layers,
        width=sizes.width,
        attention=AttentionConfig(sizes.heads, dropout=sizes.attention_dropout),
        feed_forward=FeedForwardConfig(sizes.feed_forward_width, sizes.activation, dropout=sizes.feed_forward_dropout),
        norm=NormConfig("layer", 1e-5),
        pre_norm=False,
        final_norm=False,
        dropout=sizes.dropout,
    )


def example() -> ExampleModel:
    both = side(example_sizes("relu"))
    return ExampleModel(TransformerConfig(both, both), "BartForConditionalGeneration", {"model_type": "bart"})


def tables(options: Options, *, scored: bool, shared: bool = True) -> tuple[OutputConfig | None, bool]:
    """How words are scored, if they are, and whether both sides have one table. Untied sides may have one each."""
    tied = options.flag("tie_word_embeddings", True)
    own = any(options.holds(f"{root}encoder.embed_tokens.weight") for root in ("", "model."))
    output = OutputConfig(tied, bias=options.holds("final_logits_bias")) if scored else None
    return output, shared and (tied or not own)


def write(config: TransformerConfig, architecture: str) -> dict[str, object]:
    return {"model_type": "bart", **config_entries(config)} | {
        "vocab_size": config.encoder.embedding.vocabulary,
        "max_position_embeddings": config.encoder.position.settings["length"],
    }


def config_entries(config: TransformerConfig | SpeechConfig) -> dict[str, object]:
    """What BART's config tells, and Marian's."""
    stack = config.encoder.stack
    entries: dict[str, object] = {
        "d_model": stack.width,
        "scale_embedding": config.decoder.embedding.scale != 1,
        "activation_function": name_of(stack.feed_forward.activation),
        "dropout": stack.dropout,
        "attention_dropout": stack.attention.dropout,
        "activation_dropout": stack.feed_forward.dropout,
        "tie_word_embeddings": config.output.tied if config.output else getattr(config, "shared", True),
    }
    for name, stack in (("encoder", config.encoder.stack), ("decoder", config.decoder.stack)):
        entries[f"{name}_layers"] = stack.layers
        entries[f"{name}_attention_heads"] = stack.attention.heads
        entries[f"{name}_ffn_dim"] = stack.feed_forward.width
    return entries


def names(config: TransformerConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "BartModel" else "model."
    positions: list[TensorName] = []
    for side in ("encoder", "decoder"):
        positions += [tensor_name(f"{side}.position.table.weight", f"{root}{side}.embed_positions.weight")]
        positions += weight_and_bias(f"{side}.embedding.norm", f"{root}{side}.layernorm_embedding")
    return words(config, root, has_shared=True) + TensorNames.of([*positions, *layers(config, root)], root=root)


def words(config: TransformerConfig, root: str, *, has_shared: bool) -> TensorNames:
    """The tables of words, and their scores. `has_shared`: there is a table for both, even where nobody uses it."""
    shared, output = f"{root}shared.weight", "lm_head.weight"
    sides = {side: f"{root}{side}.embed_tokens.weight" for side in ("encoder", "decoder")}
    copies: dict[str, str] = {}
    echoes: dict[str, str] = {}
    if config.shared:
        rows = [tensor_name("encoder.embedding.table.weight", shared)]
        copies_or_echoes = copies if config.output is None or config.output.tied else echoes
        copies_or_echoes.update(dict.fromkeys(sides.values(), shared))
    else:
        rows = [tensor_name(f"{side}.embedding.table.weight", file_name) for side, file_name in sides.items()]
        echoes.update({shared: sides["encoder"]} if has_shared else {})
    if config.output and config.output.tied:
        copies[output] = shared if config.shared else sides["decoder"]
    elif config.output:
        rows += [tensor_name("output.weight", output)]
    if config.output and config.output.bias:
        rows += [tensor_name("output.bias", "final_logits_bias", column=True)]
    return TensorNames.of(rows, copies, echoes=echoes)


def layers(config: TransformerConfig | SpeechConfig, root: str) -> list[TensorName]:
    """The layers of both sides, as BART and Marian have them."""
    rows: list[TensorName] = []
    for side, stack in (("encoder", config.encoder.stack), ("decoder", config.decoder.stack)):
        for layer in range(stack.layers):
            here, there = f"{side}.stack.blocks.{layer}", f"{root}{side}.layers.{layer}"
            attention, across = f"{there}.self_attn", f"{there}.encoder_attn"
            rows += weight_and_bias(
                f"{here}.self.qkv", f"{attention}.q_proj", f"{attention}.k_proj", f"{attention}.v_proj"
            )
            rows += weight_and_bias(f"{here}.self.output", f"{attention}.out_proj")
            rows += weight_and_bias(f"{here}.self_norm", f"{attention}_layer_norm")
            if side == "decoder":
                rows += weight_and_bias(f"{here}.cross.query", f"{across}.q_proj")
                rows += weight_and_bias(f"{here}.cross.kv", f"{across}.k_proj", f"{across}.v_proj")
                rows += weight_and_bias(f"{here}.cross.output", f"{across}.out_proj")
                rows += weight_and_bias(f"{here}.cross_norm", f"{across}_layer_norm")
            rows += weight_and_bias(f"{here}.feed_forward.widen", f"{there}.fc1")
            rows += weight_and_bias(f"{here}.feed_forward.narrow", f"{there}.fc2")
            rows += weight_and_bias(f"{here}.feed_forward_norm", f"{there}.final_layer_norm")
    return rows


FAMILY = Family("bart", ARCHITECTURES, read, write, names, example)

"""Whisper: Radford et al. 2023. Hears features, not sound itself: an extractor of transformers makes them."""

from dataclasses import replace

from regard.config import (
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeatureStackConfig,
    OutputConfig,
    PositionConfig,
    SpeechConfig,
    StackConfig,
)
from regard.config.ranges import POSITIONS, VOCABULARY, WIDTH
from regard.families import bart, mbart
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorName, TensorNames, tensor_name, weight_and_bias

ARCHITECTURES = ("WhisperModel", "WhisperForConditionalGeneration")
UNUSED = ("scale_embedding", "use_weighted_layer_sum", "classifier_proj_size", "median_filter_width")
UNUSED += ("apply_spec_augment",)
UNUSED += tuple(f"mask_{axis}_{what}" for axis in ("time", "feature") for what in ("prob", "length", "min_masks"))
GENERATION = ("forced_decoder_ids", "lang_ids", "alignment_heads", "num_hidden_layers")


def read(options: Options, architecture: str) -> SpeechConfig:
    options.ignore(*UNUSED, *GENERATION)  # of training, of a head for classes, of how it writes; words are never scaled
    options.presume({"dropout": 0.0, "encoder_layers": 4, "decoder_layers": 4, "d_model": 384})
    options.presume({f"{side}_{what}": size for side in ("encoder", "decoder") for what, size in
                     (("attention_heads", 6), ("ffn_dim", 1536))})  # fmt: skip
    vocabulary = options.integer("vocab_size", 51865, VOCABULARY)
    encoder, decoder = (bart.sizes_of(options, side, vocabulary) for side in ("encoder", "decoder"))
    hears = replace(encoder, max_positions=options.integer("max_source_positions", 1500, POSITIONS))
    writes = replace(decoder, max_positions=options.integer("max_target_positions", 448, POSITIONS))
    tied = options.flag("tie_word_embeddings", True)
    return SpeechConfig(
        hearing_side(hears, options.integer("num_mel_bins", 80, WIDTH)),
        writing_side(writes),
        OutputConfig(tied) if architecture == ARCHITECTURES[1] else None,
    )


def hearing_side(sizes: Sizes, features: int) -> FeatureStackConfig:
    return FeatureStackConfig(features, sizes.max_positions, stack(sizes), sizes.embedding_dropout)


def writing_side(sizes: Sizes) -> EmbeddedStackConfig:
    words = EmbeddingConfig(sizes.vocabulary, dropout=sizes.embedding_dropout)
    position = PositionConfig("learned", {"length": sizes.max_positions, "width": sizes.width})
    return EmbeddedStackConfig(words, stack(sizes), position)


def stack(sizes: Sizes) -> StackConfig:
    """BART's with the norms before each part and one at the end, and without a bias for keys."""
    plain = bart.stack(sizes)
    attention = replace(plain.attention, key_bias=False)
    return replace(plain, attention=attention, pre_norm=True, final_norm=True)


def example() -> ExampleModel:
    sizes = example_sizes("gelu")
    config = SpeechConfig(hearing_side(replace(sizes, max_positions=12), features=5), writing_side(sizes))
    return ExampleModel(config, ARCHITECTURES[1], {"model_type": "whisper"})


def write(config: SpeechConfig, architecture: str) -> dict[str, object]:
    return {"model_type": "whisper", **bart.config_entries(config)} | {
        "vocab_size": config.decoder.embedding.vocabulary,
        "num_mel_bins": config.encoder.features,
        "max_source_positions": config.encoder.max_positions,
        "max_target_positions": config.decoder.position.settings["length"],
    }


def names(config: SpeechConfig, architecture: str) -> TensorNames:
    root = "" if architecture == ARCHITECTURES[0] else "model."
    table = f"{root}decoder.embed_tokens.weight"
    rows = [tensor_name("decoder.embedding.table.weight", table)]
    for number in (0, 1):
        rows += weight_and_bias(f"encoder.embedding.convolutions.{number}", f"{root}encoder.conv{number + 1}")
    for side in ("encoder", "decoder"):
        rows += [tensor_name(f"{side}.position.table.weight", f"{root}{side}.embed_positions.weight")]
    rows += [without_key_bias(row) for row in bart.layers(config, root)] + mbart.final_norms(root)
    copies = {"proj_out.weight": table} if config.output and config.output.tied else {}
    rows += [tensor_name("output.weight", "proj_out.weight")] if config.output and not config.output.tied else []
    return TensorNames.of(rows, copies, root=root)


def without_key_bias(row: TensorName) -> TensorName:
    """The biases of queries and values, between or before which those of keys would stand."""
    if not row.name.endswith((".qkv.bias", ".kv.bias")):
        return row
    number = next(number for number, name in enumerate(row.file_names) if name.endswith(".k_proj.bias"))
    return replace(row, file_names=row.file_names[:number] + row.file_names[number + 1 :], zeros=number)


FAMILY = Family("whisper", ARCHITECTURES, read, write, names, example)

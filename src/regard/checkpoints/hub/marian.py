"""Marian, the translators of OPUS-MT: Junczys-Dowmunt et al. 2018; Tiedemann and Thottingal 2020."""

from typing import Any

from regard.checkpoints.hub import bart
from regard.checkpoints.hub.family import Family
from regard.checkpoints.options import Options
from regard.checkpoints.tensor_names import TensorNames
from regard.config import EmbeddedStackConfig, EmbeddingConfig, PositionConfig, TransformerConfig

ARCHITECTURES = ("MarianModel", "MarianMTModel")


def read(options: Options, architecture: str) -> TransformerConfig:
    bart.refuse_unsupported(options)
    options.only("normalize_embedding", False)
    options.only("static_position_embeddings", True)
    for unused in ("max_position_embeddings", "extra_pos_embeddings"):  # waves have no end
        options.get(unused)
    shared, vocabulary = options.get("share_encoder_decoder_embeddings", True), options.get("vocab_size", 58101)
    target = options.get("decoder_vocab_size") or vocabulary
    position = PositionConfig("sinusoidal", {"width": options.get("d_model", 1024), "layout": "halves"})
    added = bart.embedding_options(options)
    target_embedding = EmbeddingConfig(vocabulary if shared else target, **added)
    return TransformerConfig(
        EmbeddedStackConfig(EmbeddingConfig(vocabulary, **added), bart.stack(options, "encoder"), position),
        EmbeddedStackConfig(target_embedding, bart.stack(options, "decoder"), position),
        **bart.tables(options, scored=architecture == "MarianMTModel", shared=shared),
    )


def write(config: TransformerConfig, architecture: str) -> dict[str, Any]:
    return {"model_type": "marian", **bart.config_entries(config)} | {
        "vocab_size": config.encoder.embedding.vocabulary,
        "decoder_vocab_size": config.decoder.embedding.vocabulary,
        "share_encoder_decoder_embeddings": has_shared(config),
    }


def has_shared(config: TransformerConfig) -> bool:
    """Whether there is a table for both sides; an untied model of one vocabulary has it, too, and does not use it."""
    tied = config.output is None or config.output.tied
    return config.shared or (not tied and config.encoder.embedding.vocabulary == config.decoder.embedding.vocabulary)


def names(config: TransformerConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "MarianModel" else "model."
    waves = [f"{root}{side}.embed_positions.weight" for side in ("encoder", "decoder")]
    table = bart.words(config, root, has_shared=has_shared(config))
    return table + TensorNames.of(bart.layers(config, root), spare=waves, root=root)


FAMILY = Family(("marian",), ARCHITECTURES, read, write, names)

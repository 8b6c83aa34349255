"""Pegasus: Zhang et al. 2020. mBART with sinusoidal positions, and no norm of the embeddings."""

from regard.config import EmbeddedStackConfig, TransformerConfig
from regard.config.ranges import VOCABULARY
from regard.families import bart, marian, mbart
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorNames

ARCHITECTURES = ("PegasusModel", "PegasusForConditionalGeneration")


def read(options: Options, architecture: str) -> TransformerConfig:
    mbart.allow_pre_norm(options)
    options.only("normalize_embedding", False)
    options.only("static_position_embeddings", True)
    options.ignore("extra_pos_embeddings")
    vocabulary, scale = options.integer("vocab_size", 50265, VOCABULARY), bart.scale_of(options)
    encoder, decoder = (side(bart.sizes_of(options, name, vocabulary), scale) for name in ("encoder", "decoder"))
    return TransformerConfig(encoder, decoder, *bart.tables(options, scored=architecture == ARCHITECTURES[1]))


def side(sizes: Sizes, scale: float = 1.0) -> EmbeddedStackConfig:
    """Marian's with norms before each part."""
    return mbart.pre_norm(marian.side(sizes, scale))


def example() -> ExampleModel:
    both = side(example_sizes("relu"))
    return ExampleModel(TransformerConfig(both, both), ARCHITECTURES[1], {"model_type": "pegasus"})


def write(config: TransformerConfig, architecture: str) -> dict[str, object]:
    vocabulary = config.encoder.embedding.vocabulary
    return {"model_type": "pegasus", **bart.config_entries(config), "vocab_size": vocabulary}


def names(config: TransformerConfig, architecture: str) -> TensorNames:
    root = "" if architecture == ARCHITECTURES[0] else "model."
    waves = [f"{root}{side}.embed_positions.weight" for side in ("encoder", "decoder")]
    rows = [*bart.layers(config, root), *mbart.final_norms(root)]
    return bart.words(config, root, has_shared=True) + TensorNames.of(rows, spare=waves, root=root)


FAMILY = Family("pegasus", ARCHITECTURES, read, write, names, example)

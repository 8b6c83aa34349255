"""DeBERTa V2 and V3: He et al. 2021. BERT whose layers compare content with distances, and no positions are added."""

from dataclasses import replace

from regard.config import (
    ClassificationHeadConfig,
    DistanceConfig,
    EmbeddedStackConfig,
    EncoderConfig,
    OutputConfig,
    PositionConfig,
)
from regard.config.ranges import BUCKETS, POSITIONS, SEGMENTS, SHARE
from regard.families import bert
from regard.families.family import EncoderHeads, ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import example_sizes
from regard.families.tensor_names import TensorNames, tensor_name, weight_and_bias
from regard.settings import Range

NAME = "deberta-v2"
ARCHITECTURES = (
    "DebertaV2Model", "DebertaV2ForMaskedLM", "DebertaV2ForSequenceClassification", "DebertaV2ForTokenClassification",
)  # fmt: skip
DEFAULTS: dict[str, object] = {
    "vocab_size": 128100, "hidden_size": 1536, "num_hidden_layers": 24, "num_attention_heads": 24,
    "intermediate_size": 6144, "layer_norm_eps": 1e-7,
}  # fmt: skip
BOTH = {"c2p", "p2c"}
HEADS = (
    *(f"lm_predictions.lm_head.{name}" for name in ("bias", *bert.pair("dense"), *bert.pair("LayerNorm"))),
    *(f"mask_predictions.{name}" for part in ("dense", "LayerNorm", "classifier") for name in bert.pair(part)),
)
"""What the published ones were taught with, and their config does not name."""
ANY = Range(-1, POSITIONS.most)


def read(options: Options, architecture: str) -> EncoderConfig:
    options.presume({**DEFAULTS, "relative_attention": False, "position_biased_input": True, "share_att_key": False})
    for key in ("relative_attention", "share_att_key"):
        if options.get(key) is not True:
            options.refuse(key, "true")
    options.only("position_biased_input", False)
    options.only("conv_kernel_size", 0)
    options.only("embedding_size", options.get("hidden_size"))
    options.only("attention_head_size", None)
    options.only("legacy", True)
    options.only("pooler_hidden_size", options.get("hidden_size"))
    options.ignore("conv_act", "conv_groups")
    kinds = options.get("pos_att_type")
    kinds = kinds.lower().split("|") if isinstance(kinds, str) else kinds
    if not isinstance(kinds, list) or {str(kind).strip() for kind in kinds} != BOTH:
        options.refuse("pos_att_type", "c2p and p2c")
    body = bert.read_side(options, segments=options.integer("type_vocab_size", 0, SEGMENTS))
    return EncoderConfig(
        side(body, distances_of(options)), **heads_config(options, architecture.removeprefix("DebertaV2"))
    )


def distances_of(options: Options) -> DistanceConfig:
    options.need("position_buckets")
    reach = options.integer("max_relative_positions", -1, ANY)
    reach = reach if reach > 0 else options.integer("max_position_embeddings", 512, POSITIONS)
    norm = options.one_of("norm_rel_ebd", "none", ("none", "layer_norm"))
    return DistanceConfig(options.integer("position_buckets", 0, BUCKETS), reach, norm == "layer_norm")


def side(plain: EmbeddedStackConfig, distances: DistanceConfig) -> EmbeddedStackConfig:
    """A stack of BERT's without positions, but with distances."""
    return replace(plain, position=PositionConfig(), distances=distances)


def heads_config(options: Options, kind: str) -> EncoderHeads:
    """The heads of an architecture."""
    labels, tied = bert.count_labels(options), options.flag("tie_word_embeddings", True)
    own = options.number_or_none("cls_dropout", SHARE)
    dropout = options.number("hidden_dropout_prob", 0.1, SHARE) if own is None else own
    options.ignore("pooler_dropout")
    activation, pooler = options.activation("hidden_act", "gelu"), options.activation("pooler_hidden_act", "gelu")
    heads: dict[str, EncoderHeads] = {
        "Model": {},
        "ForMaskedLM": {"output": OutputConfig(tied, bias=True, transform=activation)},
        "ForSequenceClassification": {
            "classify": ClassificationHeadConfig(labels, "first", dropout=dropout),
            "pooler": pooler,
        },
        "ForTokenClassification": {"classify": ClassificationHeadConfig(labels, None, dropout=dropout)},
    }
    return heads[kind]


def example() -> ExampleModel:
    body = side(bert.side(example_sizes("gelu"), 1e-7, segments=0), DistanceConfig(4, 6))
    output = OutputConfig(tied=True, bias=True, transform="gelu")
    return ExampleModel(EncoderConfig(body, output), "DebertaV2ForMaskedLM", {"model_type": NAME})


def write(config: EncoderConfig, architecture: str) -> dict[str, object]:
    distances = config.encoder.distances
    if distances is None:
        raise AttributeError("distances")
    position = {"length": distances.reach}
    entries = bert.config_entries(
        replace(config, encoder=replace(config.encoder, position=PositionConfig("", position)))
    )
    entries |= {"pooler_hidden_act": config.pooler} if config.pooler else {}
    return entries | {
        "model_type": NAME,
        "type_vocab_size": config.encoder.embedding.segments,
        "relative_attention": True,
        "position_biased_input": False,
        "share_att_key": True,
        "pos_att_type": ["p2c", "c2p"],
        "position_buckets": distances.buckets,
        "max_relative_positions": distances.reach,
        "norm_rel_ebd": "layer_norm" if distances.norm else "none",
    }


def names(config: EncoderConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "DebertaV2Model" else "deberta."
    table, distances = f"{root}embeddings.word_embeddings.weight", config.encoder.distances
    segments = config.encoder.embedding.segments > 0
    rows = [row for row in bert.words(root, segments=segments) if ".position." not in row.name]
    rows += [tensor_name("encoder.distances.table.weight", f"{root}encoder.rel_embeddings.weight")]
    if distances is not None and distances.norm:
        rows += weight_and_bias("encoder.distances.norm", f"{root}encoder.LayerNorm")
    for row in bert.stack(config.encoder.stack, "encoder", f"{root}encoder.layer"):
        files = (name.replace(".self.query.", ".self.query_proj.") for name in row.file_names)
        files = (name.replace(".self.key.", ".self.key_proj.") for name in files)
        rows += [replace(row, file_names=tuple(name.replace(".self.value.", ".self.value_proj.") for name in files))]
    result = TensorNames.of(
        rows, spare=[f"{root}embeddings.position_ids", f"{root}embeddings.position_embeddings.weight"]
    )
    if config.pooler:
        result += TensorNames.of(weight_and_bias("pooler.linear", "pooler.dense"))
    if config.output:
        head = weight_and_bias("output.transform.dense", "cls.predictions.transform.dense")
        head += weight_and_bias("output.transform.norm", "cls.predictions.transform.LayerNorm")
        result += TensorNames.of(head) + bert.scores(config.output, "cls.predictions", table)
    if config.classify:
        result += TensorNames.of(weight_and_bias("classify.labels", "classifier"))
    if not root:
        return replace(result, spare=result.spare | {*HEADS}, outer_root="deberta.")
    return replace(result, root=root)


FAMILY = Family(NAME, ARCHITECTURES, read, write, names, example)

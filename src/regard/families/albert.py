"""ALBERT, whose layers share their weights: Lan et al. 2020."""

from dataclasses import replace

from regard.config import ClassificationHeadConfig, EmbeddedStackConfig, EncoderConfig, OutputConfig, StackConfig
from regard.config.ranges import LAYERS, SEGMENTS_OF_BERT, SHARE, WIDTH
from regard.errors import CheckpointError
from regard.families import bert
from regard.families.family import EncoderHeads, ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import example_sizes
from regard.families.tensor_names import TensorName, TensorNames, weight_and_bias

ARCHITECTURES = (
    "AlbertModel", "AlbertForMaskedLM", "AlbertForPreTraining", "AlbertForSequenceClassification",
    "AlbertForTokenClassification",
)  # fmt: skip
DEFAULTS: dict[str, object] = {
    "vocab_size": 30000, "hidden_size": 4096, "num_attention_heads": 64, "intermediate_size": 16384,
    "hidden_act": "gelu_new", "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
}  # fmt: skip
"""Where ALBERT's differ from BERT's."""


def read(options: Options, architecture: str) -> EncoderConfig:
    bert.require_bidirectional(options)
    options.only("inner_group_num", 1)
    options.only("down_scale_factor", 1)
    for unused in ("gap_size", "net_structure_type", "num_memory_blocks"):
        options.only(unused, 0)
    options.presume(DEFAULTS)
    return EncoderConfig(side(options), **heads_config(options, architecture.removeprefix("Albert")))


def side(options: Options) -> EmbeddedStackConfig:
    """BERT's, with a narrower table of words and fewer blocks than layers."""
    plain = bert.read_side(options, segments=options.integer("type_vocab_size", 2, SEGMENTS_OF_BERT))
    inner = options.integer("embedding_size", 128, WIDTH)
    groups = options.integer("num_hidden_groups", 1, LAYERS)
    layers = plain.stack.layers
    if groups > layers:
        options.refuse("num_hidden_groups", f"1 to {layers}, the number of layers,")
    if any(int(layer / (layers / groups)) != layer * groups // layers for layer in range(layers)):
        shown = f"num_hidden_groups = {groups} is not supported with {layers} layers: the reference rounds unevenly"
        raise CheckpointError(f"{options.where}: {shown}")
    return narrowed(plain, inner, groups)


def narrowed(plain: EmbeddedStackConfig, embedding_width: int, groups: int) -> EmbeddedStackConfig:
    """A stack of BERT's with embeddings of this width, and so many blocks that differ."""
    position = replace(plain.position, settings={**plain.position.settings, "width": embedding_width})
    return EmbeddedStackConfig(
        replace(plain.embedding, embedding_width=embedding_width), replace(plain.stack, distinct=groups), position
    )


def heads_config(options: Options, kind: str) -> EncoderHeads:
    """The heads of an architecture."""
    tied, labels = options.flag("tie_word_embeddings", True), bert.count_labels(options)
    dropout = options.number("classifier_dropout_prob", 0.1, SHARE)
    output = OutputConfig(tied, bias=True, transform=options.activation("hidden_act", "gelu_new"))
    heads: dict[str, EncoderHeads] = {
        "Model": {"pooler": "tanh"},
        "ForMaskedLM": {"output": output},
        "ForPreTraining": {"output": output, "pooler": "tanh", "follows": True},
        "ForSequenceClassification": {
            "classify": ClassificationHeadConfig(labels, "first", dropout=dropout),
            "pooler": "tanh",
        },
        "ForTokenClassification": {"classify": ClassificationHeadConfig(labels, None, dropout=dropout)},
    }
    return heads[kind]


def write(config: EncoderConfig, architecture: str) -> dict[str, object]:
    side = config.encoder
    return {
        "model_type": "albert",
        "embedding_size": side.embedding.embedding_width,
        "type_vocab_size": side.embedding.segments,
        "num_hidden_groups": side.stack.layers if side.stack.distinct is None else side.stack.distinct,
        "inner_group_num": 1,
        **bert.config_entries(config),
    }


def names(config: EncoderConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "AlbertModel" else "albert."
    rows = [
        *bert.words(root),
        *weight_and_bias("encoder.embedding.widen", f"{root}encoder.embedding_hidden_mapping_in"),
    ]
    rows += stack(config.encoder.stack, f"{root}encoder.albert_layer_groups")
    spare = [f"{root}embeddings.position_ids"]
    if config.pooler:
        rows += weight_and_bias("pooler.linear", f"{root}pooler")
    else:
        spare += bert.pair(f"{root}pooler")
    table = TensorNames.of(rows, spare=spare, old_endings=bert.OLDER)
    if config.output:
        head = weight_and_bias("output.transform.dense", "predictions.dense")
        head += weight_and_bias("output.transform.norm", "predictions.LayerNorm")
        table += TensorNames.of(head) + bert.scores(
            config.output, "predictions", f"{root}embeddings.word_embeddings.weight"
        )
        table += TensorNames.of([], spare=[] if config.follows else bert.pair("sop_classifier.classifier"))
    if config.follows:
        table += TensorNames.of(weight_and_bias("follows", "sop_classifier.classifier"))
    if config.classify:
        table += TensorNames.of(weight_and_bias("classify.labels", "classifier"))
    return table


def stack(config: StackConfig, prefix: str) -> list[TensorName]:
    """One block for each group, under the name of the first layer that it serves."""
    rows: list[TensorName] = []
    groups = config.layers if config.distinct is None else config.distinct
    for group in range(groups):
        layer = -(-group * config.layers // groups)
        here, there = f"encoder.stack.blocks.{layer}", f"{prefix}.{group}.albert_layers.0"
        attention = f"{there}.attention"
        rows += weight_and_bias(f"{here}.self.qkv", f"{attention}.query", f"{attention}.key", f"{attention}.value")
        rows += weight_and_bias(f"{here}.self.output", f"{attention}.dense")
        rows += weight_and_bias(f"{here}.self_norm", f"{attention}.LayerNorm")
        rows += weight_and_bias(f"{here}.feed_forward.widen", f"{there}.ffn")
        rows += weight_and_bias(f"{here}.feed_forward.narrow", f"{there}.ffn_output")
        rows += weight_and_bias(f"{here}.feed_forward_norm", f"{there}.full_layer_layer_norm")
    return rows


def example() -> ExampleModel:
    body = narrowed(bert.side(replace(example_sizes("gelu-tanh"), layers=3)), 8, groups=1)
    config = EncoderConfig(body, OutputConfig(tied=True, bias=True, transform="gelu-tanh"))
    return ExampleModel(config, "AlbertForMaskedLM", {"model_type": "albert"})


FAMILY = Family("albert", ARCHITECTURES, read, write, names, example)

"""BERT: Devlin et al. 2019."""

from typing import Any

from regard.checkpoints.hub.family import Family
from regard.checkpoints.options import ACTIVATIONS, Options, name_of
from regard.checkpoints.rows import Names, Row, both, row
from regard.models import (
    AttentionConfig,
    ClassifyConfig,
    EncoderConfig,
    InnerConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    SideConfig,
    StackConfig,
    WordsConfig,
)

ARCHITECTURES = (
    "BertModel", "BertForMaskedLM", "BertForPreTraining", "BertForSequenceClassification", "BertForTokenClassification",
)  # fmt: skip


def read(options: Options, architecture: str) -> EncoderConfig:
    options.only("position_embedding_type", "absolute")
    options.only("is_decoder", False)
    options.only("add_cross_attention", False)
    return EncoderConfig(side(options), **asked(options, architecture))


def side(options: Options) -> SideConfig:
    """Words, positions and stack of a BERT-like config."""
    width, dropout = options.get("hidden_size", 768), options.get("hidden_dropout_prob", 0.1)
    norm = NormConfig("layer", options.get("layer_norm_eps", 1e-12))
    heads = options.get("num_attention_heads", 12)
    inner = options.get("intermediate_size", 3072)
    stack = StackConfig(
        layers=options.get("num_hidden_layers", 12),
        width=width,
        attention=AttentionConfig(heads, dropout=options.get("attention_probs_dropout_prob", 0.1)),
        inner=InnerConfig(inner, options.one_of("hidden_act", ACTIVATIONS, "gelu")),
        norm=norm,
        first=False,
        final_norm=False,
        dropout=dropout,
    )
    segments = options.get("type_vocab_size", 2)
    words = WordsConfig(options.get("vocab_size", 30522), segments=segments, norm=True, dropout=dropout)
    length = options.get("max_position_embeddings", 512)
    return SideConfig(words, stack, PositionConfig("learned", {"length": length, "width": width}))


def asked(options: Options, architecture: str) -> dict[str, Any]:
    """The heads of an architecture."""
    tied, labels = options.get("tie_word_embeddings", True), count_labels(options)
    dropout = options.get("classifier_dropout")
    dropout = options.get("hidden_dropout_prob", 0.1) if dropout is None else dropout
    output = OutputConfig(tied, bias=True, transform=options.one_of("hidden_act", ACTIVATIONS, "gelu"))
    kind = architecture.removeprefix("Bert")
    return {
        "Model": {"pooler": "tanh"},
        "ForMaskedLM": {"output": output},
        "ForPreTraining": {"output": output, "pooler": "tanh", "follows": True},
        "ForSequenceClassification": {"classify": ClassifyConfig(labels, "first", dropout=dropout), "pooler": "tanh"},
        "ForTokenClassification": {"classify": ClassifyConfig(labels, None, dropout=dropout)},
    }[kind]


def count_labels(options: Options) -> int:
    names = options.config.get("id2label")
    return options.get("num_labels", len(names) if names else 2)


def write(config: EncoderConfig, architecture: str) -> dict[str, Any]:
    side, stack = config.encoder, config.encoder.stack
    written = {
        "model_type": "bert",
        "vocab_size": side.words.vocabulary,
        "hidden_size": stack.width,
        "num_hidden_layers": stack.layers,
        "num_attention_heads": stack.attention.heads,
        "intermediate_size": stack.inner.width,
        "hidden_act": name_of(stack.inner.activation),
        "hidden_dropout_prob": stack.dropout,
        "attention_probs_dropout_prob": stack.attention.dropout,
        "max_position_embeddings": side.position.settings["length"],
        "type_vocab_size": side.words.segments,
        "layer_norm_eps": stack.norm.epsilon,
        "tie_word_embeddings": config.output.tied if config.output else True,
    }
    return written | ({"num_labels": config.classify.labels} if config.classify else {})


def names(config: EncoderConfig, architecture: str) -> Names:
    root = "" if architecture == "BertModel" else "bert."
    rows = [*words(root), *stack(config.encoder.stack, "encoder", f"{root}encoder.layer")]
    copies: dict[str, str] = {}
    echoes: dict[str, str] = {}
    if config.pooler:
        rows += both("pooler.linear", f"{root}pooler.dense")
    if config.output:
        rows += both("output.transform.dense", "cls.predictions.transform.dense")
        rows += both("output.transform.norm", "cls.predictions.transform.LayerNorm")
        if config.output.tied:
            rows += [row("output.bias", "cls.predictions.bias")]
            copies["cls.predictions.decoder.bias"] = "cls.predictions.bias"
            copies["cls.predictions.decoder.weight"] = f"{root}embeddings.word_embeddings.weight"
        else:
            rows += both("output", "cls.predictions.decoder")
            echoes["cls.predictions.bias"] = "cls.predictions.decoder.bias"
    if config.follows:
        rows += both("follows", "cls.seq_relationship")
    if config.classify:
        rows += both("classify.labels", "classifier")
    return Names.of(rows, copies, spare=[f"{root}embeddings.position_ids"], echoes=echoes)


def words(root: str) -> list[Row]:
    """The embeddings of BERT and those who kept its names."""
    there = f"{root}embeddings"
    return [
        row("encoder.words.table.weight", f"{there}.word_embeddings.weight"),
        row("encoder.position.table.weight", f"{there}.position_embeddings.weight"),
        row("encoder.words.segments.weight", f"{there}.token_type_embeddings.weight"),
        *both("encoder.words.norm", f"{there}.LayerNorm"),
    ]


def stack(config: StackConfig, ours: str, theirs: str) -> list[Row]:
    """The layers of BERT and those who kept its names."""
    rows: list[Row] = []
    for layer in range(config.layers):
        here, there = f"{ours}.stack.blocks.{layer}", f"{theirs}.{layer}"
        look = f"{there}.attention.self"
        rows += both(f"{here}.self.project", f"{look}.query", f"{look}.key", f"{look}.value")
        rows += both(f"{here}.self.output", f"{there}.attention.output.dense")
        rows += both(f"{here}.self_norm", f"{there}.attention.output.LayerNorm")
        rows += both(f"{here}.inner.widen", f"{there}.intermediate.dense")
        rows += both(f"{here}.inner.narrow", f"{there}.output.dense")
        rows += both(f"{here}.inner_norm", f"{there}.output.LayerNorm")
    return rows


FAMILY = Family(("bert",), ARCHITECTURES, read, write, names)

"""DistilBERT: Sanh et al. 2019."""

from regard.config import (
    ClassificationHeadConfig,
    EmbeddedStackConfig,
    EncoderConfig,
    OutputConfig,
    StackConfig,
)
from regard.config.ranges import FEED_FORWARD_WIDTH, HEADS, LAYERS, POSITIONS, SHARE, VOCABULARY, WIDTH
from regard.families import bert
from regard.families.family import EncoderHeads, ExampleModel, Family
from regard.families.options import Options, name_of
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorName, TensorNames, tensor_name, weight_and_bias

ARCHITECTURES = (
    "DistilBertModel", "DistilBertForMaskedLM", "DistilBertForSequenceClassification",
    "DistilBertForTokenClassification",
)  # fmt: skip


def read(options: Options, architecture: str) -> EncoderConfig:
    options.only("sinusoidal_pos_embds", False)
    options.only("tie_weights_", True)
    return EncoderConfig(side(options), **heads_config(options, architecture.removeprefix("DistilBert")))


def side(options: Options) -> EmbeddedStackConfig:
    """BERT's without segments."""
    dropout = options.number("dropout", 0.1, SHARE)
    sizes = Sizes(
        vocabulary=options.integer("vocab_size", 30522, VOCABULARY),
        layers=options.integer("n_layers", 6, LAYERS),
        width=options.integer("dim", 768, WIDTH),
        heads=options.integer("n_heads", 12, HEADS),
        feed_forward_width=options.integer("hidden_dim", 3072, FEED_FORWARD_WIDTH),
        activation=options.activation("activation", "gelu"),
        max_positions=options.integer("max_position_embeddings", 512, POSITIONS),
        dropout=dropout,
        attention_dropout=options.number("attention_dropout", 0.1, SHARE),
        embedding_dropout=dropout,
    )
    return bert.side(sizes, segments=0)


def heads_config(options: Options, kind: str) -> EncoderHeads:
    """The heads of an architecture."""
    tied, labels = options.flag("tie_word_embeddings", True), bert.count_labels(options)
    options.ignore("qa_dropout")
    dropout, last = options.number("dropout", 0.1, SHARE), options.number("seq_classif_dropout", 0.2, SHARE)
    output = OutputConfig(tied, bias=True, transform=options.activation("activation", "gelu"))
    heads: dict[str, EncoderHeads] = {
        "Model": {},
        "ForMaskedLM": {"output": output},
        "ForSequenceClassification": {"classify": ClassificationHeadConfig(labels, "first", "relu", dropout=last)},
        "ForTokenClassification": {"classify": ClassificationHeadConfig(labels, None, dropout=dropout)},
    }
    return heads[kind]


def write(config: EncoderConfig, architecture: str) -> dict[str, object]:
    side, stack = config.encoder, config.encoder.stack
    entries: dict[str, object] = {
        "model_type": "distilbert",
        "vocab_size": side.embedding.vocabulary,
        "dim": stack.width,
        "n_layers": stack.layers,
        "n_heads": stack.attention.heads,
        "hidden_dim": stack.feed_forward.width,
        "activation": name_of(stack.feed_forward.activation),
        "dropout": stack.dropout,
        "attention_dropout": stack.attention.dropout,
        "max_position_embeddings": side.position.settings["length"],
    }
    entries |= {"tie_word_embeddings": config.output.tied} if config.output else {}
    return entries | ({"num_labels": config.classify.labels} if config.classify else {})


def names(config: EncoderConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "DistilBertModel" else "distilbert."
    rows = [*bert.words(root, segments=False), *stack(config.encoder.stack, f"{root}transformer.layer")]
    copies: dict[str, str] = {}
    if config.output:
        rows += weight_and_bias("output.transform.dense", "vocab_transform")
        rows += weight_and_bias("output.transform.norm", "vocab_layer_norm")
        rows += [tensor_name("output.bias", "vocab_projector.bias")]
        if config.output.tied:
            copies["vocab_projector.weight"] = f"{root}embeddings.word_embeddings.weight"
        else:
            rows += [tensor_name("output.weight", "vocab_projector.weight")]
    if config.classify:
        rows += weight_and_bias("classify.dense.linear", "pre_classifier") if config.classify.activation else []
        rows += weight_and_bias("classify.labels", "classifier")
    return TensorNames.of(rows, copies, spare=[f"{root}embeddings.position_ids"], old_endings=bert.OLDER)


def stack(config: StackConfig, prefix: str) -> list[TensorName]:
    rows: list[TensorName] = []
    for layer in range(config.layers):
        here, there = f"encoder.stack.blocks.{layer}", f"{prefix}.{layer}"
        attention = f"{there}.attention"
        rows += weight_and_bias(f"{here}.self.qkv", f"{attention}.q_lin", f"{attention}.k_lin", f"{attention}.v_lin")
        rows += weight_and_bias(f"{here}.self.output", f"{attention}.out_lin")
        rows += weight_and_bias(f"{here}.self_norm", f"{there}.sa_layer_norm")
        rows += weight_and_bias(f"{here}.feed_forward.widen", f"{there}.ffn.lin1")
        rows += weight_and_bias(f"{here}.feed_forward.narrow", f"{there}.ffn.lin2")
        rows += weight_and_bias(f"{here}.feed_forward_norm", f"{there}.output_layer_norm")
    return rows


def example() -> ExampleModel:
    body = bert.side(example_sizes("gelu"), segments=0)
    config = EncoderConfig(body, OutputConfig(tied=True, bias=True, transform="gelu"))
    return ExampleModel(config, "DistilBertForMaskedLM", {"model_type": "distilbert"})


FAMILY = Family("distilbert", ARCHITECTURES, read, write, names, example)

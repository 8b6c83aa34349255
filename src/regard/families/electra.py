"""ELECTRA: Clark et al. 2020. BERT's, with embeddings that may be narrower; a small model makes mistakes, a large one
finds them."""

from dataclasses import replace

from regard.config import ClassificationHeadConfig, EmbeddedStackConfig, EncoderConfig, OutputConfig
from regard.config.ranges import SEGMENTS_OF_BERT, WIDTH
from regard.families import bert
from regard.families.family import EncoderHeads, ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import example_sizes
from regard.families.tensor_names import TensorNames, weight_and_bias

ARCHITECTURES = (
    "ElectraModel", "ElectraForMaskedLM", "ElectraForPreTraining", "ElectraForSequenceClassification",
    "ElectraForTokenClassification",
)  # fmt: skip
DEFAULTS: dict[str, object] = {"hidden_size": 256, "num_attention_heads": 4, "intermediate_size": 1024}
SUMMARY = ("type", "use_proj", "activation", "last_dropout")  # of a head that is not read here


def read(options: Options, architecture: str) -> EncoderConfig:
    bert.require_bidirectional(options)
    options.presume(DEFAULTS)
    options.ignore(*(f"summary_{what}" for what in SUMMARY))
    body = bert.read_side(options, segments=options.integer("type_vocab_size", 2, SEGMENTS_OF_BERT))
    body = narrowed(body, options.integer("embedding_size", 128, WIDTH))
    return EncoderConfig(body, **heads_config(options, architecture.removeprefix("Electra")))


def narrowed(body: EmbeddedStackConfig, width: int) -> EmbeddedStackConfig:
    """A stack of BERT's with embeddings of this width."""
    if width == body.stack.width:
        return body
    position = replace(body.position, settings={**body.position.settings, "width": width})
    return replace(body, embedding=replace(body.embedding, embedding_width=width), position=position)


def heads_config(options: Options, kind: str) -> EncoderHeads:
    """The heads of an architecture. What finds mistakes scores each token: above 0, it was replaced."""
    tied, labels, dropout = (
        options.flag("tie_word_embeddings", True),
        bert.count_labels(options),
        bert.last_dropout(options),
    )
    found = options.activation("hidden_act", "gelu")
    heads: dict[str, EncoderHeads] = {
        "Model": {},
        "ForMaskedLM": {"output": OutputConfig(tied, bias=True, transform="gelu")},
        "ForPreTraining": {"classify": ClassificationHeadConfig(1, None, found)},
        "ForSequenceClassification": {"classify": ClassificationHeadConfig(labels, "first", "gelu", dropout=dropout)},
        "ForTokenClassification": {"classify": ClassificationHeadConfig(labels, None, dropout=dropout)},
    }
    return heads[kind]


def example() -> ExampleModel:
    body = narrowed(bert.side(example_sizes("gelu")), 8)
    config = EncoderConfig(body, OutputConfig(tied=True, bias=True, transform="gelu"))
    return ExampleModel(config, "ElectraForMaskedLM", {"model_type": "electra"})


def write(config: EncoderConfig, architecture: str) -> dict[str, object]:
    words = config.encoder.embedding
    entries = bert.config_entries(config)
    if architecture == "ElectraForPreTraining":
        del entries["num_labels"]
    return {
        "model_type": "electra",
        "type_vocab_size": words.segments,
        "embedding_size": words.embedding_width or config.encoder.stack.width,
        **entries,
    }


def names(config: EncoderConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "ElectraModel" else "electra."
    table = bert.body(config, root)
    if config.encoder.embedding.embedding_width is not None:
        table += TensorNames.of(weight_and_bias("encoder.embedding.widen", f"{root}embeddings_project"))
    if config.output:
        head = weight_and_bias("output.transform.dense", "generator_predictions.dense")
        head += weight_and_bias("output.transform.norm", "generator_predictions.LayerNorm")
        head += weight_and_bias("output", "generator_lm_head")[config.output.tied :]
        words = f"{root}embeddings.word_embeddings.weight"
        table += TensorNames.of(head, {"generator_lm_head.weight": words} if config.output.tied else {})
    if config.classify:
        dense, labels = {
            "ElectraForPreTraining": ("discriminator_predictions.dense", "discriminator_predictions.dense_prediction"),
            "ElectraForSequenceClassification": ("classifier.dense", "classifier.out_proj"),
        }.get(architecture, ("", "classifier"))
        head = weight_and_bias("classify.dense.linear", dense) if dense else []
        table += TensorNames.of([*head, *weight_and_bias("classify.labels", labels)])
    return table


FAMILY = Family("electra", ARCHITECTURES, read, write, names, example)

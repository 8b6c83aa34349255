"""RoBERTa: Liu et al. 2019; and XLM-RoBERTa and CamemBERT, which are RoBERTa in other languages."""

from functools import partial

from regard.config import ClassificationHeadConfig, EncoderConfig, OutputConfig
from regard.config.ranges import POSITIONS, SEGMENTS_OF_BERT
from regard.families import bert
from regard.families.family import EncoderHeads, ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import example_sizes
from regard.families.tensor_names import TensorNames, weight_and_bias
from regard.settings import NO_TOKEN, Range

PADDING = Range(NO_TOKEN, POSITIONS.most)
"""The number of the padding token, after which positions are numbered."""
KINDS = ("Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification")


def read(options: Options, architecture: str, *, prefix: str) -> EncoderConfig:
    bert.require_bidirectional(options)
    segments = options.integer("type_vocab_size", 2, SEGMENTS_OF_BERT)
    padding = options.integer("pad_token_id", 1, PADDING)
    side = bert.read_side(options, segments=segments, offset=padding + 1)
    return EncoderConfig(side, **heads_config(options, architecture.removeprefix(prefix)))


def heads_config(options: Options, kind: str) -> EncoderHeads:
    """The heads of an architecture."""
    labels, dropout = bert.count_labels(options), bert.last_dropout(options)
    output = OutputConfig(options.flag("tie_word_embeddings", True), bias=True, transform="gelu")
    heads: dict[str, EncoderHeads] = {
        "Model": {"pooler": "tanh"},
        "ForMaskedLM": {"output": output},
        "ForSequenceClassification": {"classify": ClassificationHeadConfig(labels, "first", "tanh", dropout=dropout)},
        "ForTokenClassification": {"classify": ClassificationHeadConfig(labels, None, dropout=dropout)},
    }
    return heads[kind]


def write(config: EncoderConfig, architecture: str, *, model_type: str) -> dict[str, object]:
    side = config.encoder
    own = {"type_vocab_size": side.embedding.segments, "pad_token_id": side.position.settings.get("offset", 0) - 1}
    return {"model_type": model_type, **own, **bert.config_entries(config)}


def names(config: EncoderConfig, architecture: str) -> TensorNames:
    root = "" if architecture.endswith("Model") else "roberta."
    words = f"{root}embeddings.word_embeddings.weight"
    scores = bert.scores(config.output, "lm_head", words) if config.output else TensorNames.of([])
    return bert.body(config, root) + heads(config, root) + scores


def heads(config: EncoderConfig, root: str) -> TensorNames:
    """What stands on top of the layers, but for the scores of words."""
    table = TensorNames.of(weight_and_bias("pooler.linear", f"{root}pooler.dense") if config.pooler else [])
    if config.output:
        head = weight_and_bias("output.transform.dense", "lm_head.dense") + weight_and_bias(
            "output.transform.norm", "lm_head.layer_norm"
        )
        table += TensorNames.of(head)
    if config.classify and config.classify.activation:
        table += TensorNames.of(weight_and_bias("classify.dense.linear", "classifier.dense"))
        table += TensorNames.of(weight_and_bias("classify.labels", "classifier.out_proj"))
    elif config.classify:
        table += TensorNames.of(weight_and_bias("classify.labels", "classifier"))
    return table


def family(model_type: str, prefix: str) -> Family:
    architectures = tuple(f"{prefix}{kind}" for kind in KINDS)
    return Family(
        model_type,
        architectures,
        partial(read, prefix=prefix),
        partial(write, model_type=model_type),
        names,
        partial(example, model_type, f"{prefix}ForMaskedLM"),
    )


def example(model_type: str, architecture: str) -> ExampleModel:
    side = bert.side(example_sizes("gelu"), segments=1, offset=2)
    config = EncoderConfig(side, OutputConfig(tied=True, bias=True, transform="gelu"))
    return ExampleModel(config, architecture, {"model_type": model_type})


FAMILIES = (family("roberta", "Roberta"), family("xlm-roberta", "XLMRoberta"), family("camembert", "Camembert"))

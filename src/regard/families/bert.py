"""BERT: Devlin et al. 2019."""

from functools import partial

from regard.config import (
    AttentionConfig,
    ClassificationHeadConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    EncoderConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
)
from regard.config.ranges import (
    EPSILON,
    FEED_FORWARD_WIDTH,
    HEADS,
    LABELS,
    LAYERS,
    POSITIONS,
    SEGMENTS_OF_BERT,
    SHARE,
    VOCABULARY,
    WIDTH,
)
from regard.families.family import EncoderHeads, ExampleModel, Family
from regard.families.options import Options, name_of
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorName, TensorNames, tensor_name, weight_and_bias

ARCHITECTURES = (
    "BertModel", "BertForMaskedLM", "BertForPreTraining", "BertForSequenceClassification", "BertForTokenClassification",
)  # fmt: skip
USUAL_EPSILON = 1e-12
OLDER = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
"""What the first checkpoints called the two tensors of a norm; bert-base-uncased still does."""


def read(options: Options, architecture: str) -> EncoderConfig:
    require_bidirectional(options)
    segments = options.integer("type_vocab_size", 2, SEGMENTS_OF_BERT)
    return EncoderConfig(
        read_side(options, segments=segments), **heads_config(options, architecture.removeprefix("Bert"))
    )


def require_bidirectional(options: Options) -> None:
    """Refuse what a BERT-like config may ask for and an encoder here does not do."""
    options.only("position_embedding_type", "absolute")
    options.only("is_decoder", False)
    options.only("add_cross_attention", False)


def sizes_of(options: Options) -> Sizes:
    """The sizes that a BERT-like config tells."""
    dropout = options.number("hidden_dropout_prob", 0.1, SHARE)
    return Sizes(
        vocabulary=options.integer("vocab_size", 30522, VOCABULARY),
        layers=options.integer("num_hidden_layers", 12, LAYERS),
        width=options.integer("hidden_size", 768, WIDTH),
        heads=options.integer("num_attention_heads", 12, HEADS),
        feed_forward_width=options.integer("intermediate_size", 3072, FEED_FORWARD_WIDTH),
        activation=options.activation("hidden_act", "gelu"),
        max_positions=options.integer("max_position_embeddings", 512, POSITIONS),
        dropout=dropout,
        attention_dropout=options.number("attention_probs_dropout_prob", 0.1, SHARE),
        embedding_dropout=dropout,
    )


def read_side(options: Options, *, segments: int, offset: int = 0) -> EmbeddedStackConfig:
    sizes = sizes_of(options)
    if sizes.max_positions <= offset:
        options.refuse("max_position_embeddings", f"more than the {offset} that are for padding")
    return side(sizes, options.number("layer_norm_eps", USUAL_EPSILON, EPSILON), segments=segments, offset=offset)


def side(sizes: Sizes, epsilon: float = USUAL_EPSILON, *, segments: int = 2, offset: int = 0) -> EmbeddedStackConfig:
    """Norms after each part, learned positions, segments. The first token takes row `offset` of the positions."""
    stack = StackConfig(
        layers=sizes.layers,
        width=sizes.width,
        attention=AttentionConfig(sizes.heads, dropout=sizes.attention_dropout),
        feed_forward=FeedForwardConfig(sizes.feed_forward_width, sizes.activation, dropout=sizes.feed_forward_dropout),
        norm=NormConfig("layer", epsilon),
        pre_norm=False,
        final_norm=False,
        dropout=sizes.dropout,
    )
    words = EmbeddingConfig(sizes.vocabulary, segments=segments, norm=True, dropout=sizes.embedding_dropout)
    settings = {"length": sizes.max_positions - offset, "width": sizes.width} | ({"offset": offset} if offset else {})
    return EmbeddedStackConfig(words, stack, PositionConfig("learned", settings))


def preset(layers: int, width: int, heads: int, vocabulary: int = 30522) -> EncoderConfig:
    """Devlin et al. 2019, 3 and A.2, with both heads of the pretraining."""
    body = side(Sizes(vocabulary, layers, width, heads, 4 * width, "gelu"))
    return EncoderConfig(body, OutputConfig(tied=True, bias=True, transform="gelu"), pooler="tanh", follows=True)


def plan(model: ModelRecipe, data: DataSizes) -> ModelPlan:
    body, entries = side(Sizes.of_recipe(model, data.vocabulary, "gelu")), {"model_type": "bert"}
    if data.labels_tokens:
        classify = ClassificationHeadConfig(data.labels, None, dropout=model.dropout)
        return ModelPlan(EncoderConfig(body, None, classify), "BertForTokenClassification", entries)
    if data.labels:
        classify = ClassificationHeadConfig(data.labels, model.pool, dropout=model.dropout)
        return ModelPlan(EncoderConfig(body, None, classify, "tanh"), "BertForSequenceClassification", entries)
    output = OutputConfig(model.tied_embedding, bias=True, transform=body.stack.feed_forward.activation)
    if data.next_sentence:
        return ModelPlan(EncoderConfig(body, output, pooler="tanh", follows=True), "BertForPreTraining", entries)
    return ModelPlan(EncoderConfig(body, output), "BertForMaskedLM", entries)


def example() -> ExampleModel:
    output = OutputConfig(tied=True, bias=True, transform="gelu")
    return ExampleModel(EncoderConfig(side(example_sizes("gelu")), output), "BertForMaskedLM", {"model_type": "bert"})


def heads_config(options: Options, kind: str) -> EncoderHeads:
    """The heads of an architecture."""
    tied, labels, dropout = options.flag("tie_word_embeddings", True), count_labels(options), last_dropout(options)
    output = OutputConfig(tied, bias=True, transform=options.activation("hidden_act", "gelu"))
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


def last_dropout(options: Options) -> float:
    """The dropout before labels."""
    own, usual = options.number_or_none("classifier_dropout", SHARE), options.number("hidden_dropout_prob", 0.1, SHARE)
    return usual if own is None else own


def count_labels(options: Options) -> int:
    """How many labels there are: as many as are named, two where nothing is said."""
    return options.integer("num_labels", len(options.object("id2label")) or 2, LABELS)


def write(config: EncoderConfig, architecture: str) -> dict[str, object]:
    return {"model_type": "bert", "type_vocab_size": config.encoder.embedding.segments, **config_entries(config)}


def config_entries(config: EncoderConfig) -> dict[str, object]:
    """What all BERT-like configs tell."""
    entries = stack_entries(config.encoder)
    entries |= {"tie_word_embeddings": config.output.tied} if config.output else {}
    return entries | ({"num_labels": config.classify.labels} if config.classify else {})


def stack_entries(side: EmbeddedStackConfig) -> dict[str, object]:
    stack, position = side.stack, side.position.settings
    return {
        "vocab_size": side.embedding.vocabulary,
        "hidden_size": stack.width,
        "num_hidden_layers": stack.layers,
        "num_attention_heads": stack.attention.heads,
        "intermediate_size": stack.feed_forward.width,
        "hidden_act": name_of(stack.feed_forward.activation),
        "hidden_dropout_prob": stack.dropout,
        "attention_probs_dropout_prob": stack.attention.dropout,
        "max_position_embeddings": position["length"] + position.get("offset", 0),
        "layer_norm_eps": stack.norm.epsilon,
    }


def names(config: EncoderConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "BertModel" else "bert."
    table = body(config, root)
    if config.pooler:
        table += TensorNames.of(weight_and_bias("pooler.linear", f"{root}pooler.dense"))
    if config.output:
        head = weight_and_bias("output.transform.dense", "cls.predictions.transform.dense")
        head += weight_and_bias("output.transform.norm", "cls.predictions.transform.LayerNorm")
        table += TensorNames.of(head) + scores(
            config.output, "cls.predictions", f"{root}embeddings.word_embeddings.weight"
        )
    if config.follows:
        table += TensorNames.of(weight_and_bias("follows", "cls.seq_relationship"))
    if config.classify:
        table += TensorNames.of(weight_and_bias("classify.labels", "classifier"))
    return table


def body(config: EncoderConfig, root: str) -> TensorNames:
    """Words and layers. Many checkpoints still have the heads that their model was pretrained with: known, not used."""
    rows = [*words(root), *stack(config.encoder.stack, "encoder", f"{root}encoder.layer")]
    spare = [f"{root}embeddings.position_ids"]
    spare += [] if config.pooler else pair(f"{root}pooler.dense")
    spare += pair("cls.seq_relationship") if config.output and not config.follows else []
    return TensorNames.of(rows, spare=spare, old_endings=OLDER)


def scores(config: OutputConfig, prefix: str, table: str) -> TensorNames:
    """The scores of words, as BERT and those who kept its names have them.

    Tied, they come from the table of words, and their bias has two names; untied, the outer bias is not used.
    """
    if config.tied:
        copies = {f"{prefix}.decoder.bias": f"{prefix}.bias", f"{prefix}.decoder.weight": table}
        return TensorNames.of([tensor_name("output.bias", f"{prefix}.bias")], copies)
    return TensorNames.of(
        weight_and_bias("output", f"{prefix}.decoder"), echoes={f"{prefix}.bias": f"{prefix}.decoder.bias"}
    )


def pair(prefix: str) -> list[str]:
    return [f"{prefix}.weight", f"{prefix}.bias"]


def words(root: str, stack_name: str = "encoder", *, segments: bool = True) -> list[TensorName]:
    """The embeddings of BERT and those who kept its names."""
    there = f"{root}embeddings"
    return [
        tensor_name(f"{stack_name}.embedding.table.weight", f"{there}.word_embeddings.weight"),
        tensor_name(f"{stack_name}.position.table.weight", f"{there}.position_embeddings.weight"),
        *[tensor_name(f"{stack_name}.embedding.segments.weight", f"{there}.token_type_embeddings.weight")] * segments,
        *weight_and_bias(f"{stack_name}.embedding.norm", f"{there}.LayerNorm"),
    ]


def stack(config: StackConfig, stack_name: str, prefix: str, *, cross: bool = False) -> list[TensorName]:
    """The layers of BERT and those who kept its names; with `cross`, those of a decoder that looks at a source."""
    rows: list[TensorName] = []
    for layer in range(config.layers):
        here, there = f"{stack_name}.stack.blocks.{layer}", f"{prefix}.{layer}"
        attention, across = f"{there}.attention.self", f"{there}.crossattention.self"
        rows += weight_and_bias(f"{here}.self.qkv", f"{attention}.query", f"{attention}.key", f"{attention}.value")
        rows += weight_and_bias(f"{here}.self.output", f"{there}.attention.output.dense")
        rows += weight_and_bias(f"{here}.self_norm", f"{there}.attention.output.LayerNorm")
        if cross:
            rows += weight_and_bias(f"{here}.cross.query", f"{across}.query")
            rows += weight_and_bias(f"{here}.cross.kv", f"{across}.key", f"{across}.value")
            rows += weight_and_bias(f"{here}.cross.output", f"{there}.crossattention.output.dense")
            rows += weight_and_bias(f"{here}.cross_norm", f"{there}.crossattention.output.LayerNorm")
        rows += weight_and_bias(f"{here}.feed_forward.widen", f"{there}.intermediate.dense")
        rows += weight_and_bias(f"{here}.feed_forward.narrow", f"{there}.output.dense")
        rows += weight_and_bias(f"{here}.feed_forward_norm", f"{there}.output.LayerNorm")
    return rows


FAMILY = Family(
    "bert",
    ARCHITECTURES,
    read,
    write,
    names,
    example,
    presets={"bert-base": partial(preset, 12, 768, 12), "bert-large": partial(preset, 24, 1024, 16)},
    kind="encoder",
    plan=plan,
    labelling="BertForSequenceClassification",
)

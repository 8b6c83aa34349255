"""ModernBERT: Warner et al. 2024. Norms before each part, a gate, rotary positions, layers that see near and far."""

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
from regard.config.ranges import EPSILON, FEED_FORWARD_WIDTH, HEADS, LAYERS, POSITIONS, SHARE, VOCABULARY, WIDTH
from regard.families import bert, gemma, qwen3
from regard.families.family import EncoderHeads, ExampleModel, Family
from regard.families.llama import rope
from regard.families.options import Options, name_of
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorName, TensorNames, tensor_name, weight_and_bias

ARCHITECTURES = (
    "ModernBertModel", "ModernBertForMaskedLM", "ModernBertForSequenceClassification",
    "ModernBertForTokenClassification",
)  # fmt: skip
UNUSED = (
    "initializer_cutoff_factor", "deterministic_flash_attn", "sparse_prediction", "sparse_pred_ignore_index",
    "reference_compile", "repad_logits_with_grad", "position_embedding_type", "layer_norm_eps",
    "max_position_embeddings",
)  # fmt: skip
BASES = {qwen3.GLOBAL: ("global_rope_theta", 160000.0), qwen3.LOCAL: ("local_rope_theta", 10000.0)}
POOLS = {"cls": "first", "mean": "mean"}


def read(options: Options, architecture: str) -> EncoderConfig:
    options.ignore(*UNUSED)
    options.only("rope_scaling", None)
    sizes = Sizes(
        vocabulary=options.integer("vocab_size", 50368, VOCABULARY),
        layers=options.integer("num_hidden_layers", 22, LAYERS),
        width=options.integer("hidden_size", 768, WIDTH),
        heads=options.integer("num_attention_heads", 12, HEADS),
        feed_forward_width=options.integer("intermediate_size", 1152, FEED_FORWARD_WIDTH),
        activation=options.activation("hidden_activation", "gelu"),
        dropout=0.0,
        attention_dropout=options.number("attention_dropout", 0.0, SHARE),
        feed_forward_dropout=options.number("mlp_dropout", 0.0, SHARE),
        embedding_dropout=options.number("embedding_dropout", 0.0, SHARE),
    )
    period = options.integer("global_attn_every_n_layers", 3, LAYERS)
    usual = [qwen3.LOCAL if layer % period else qwen3.GLOBAL for layer in range(sizes.layers)]
    position, local = gemma.near_and_far(options, sizes.width // sizes.heads, BASES)
    window, global_layers = qwen3.windows(options, usual, options.integer("local_attention", 128, POSITIONS) // 2 + 1)
    norm = NormConfig("layer" if options.flag("norm_bias", False) else "layer-unbiased", norm_epsilon(options))
    body = side(
        sizes,
        AttentionConfig(sizes.heads, bias=options.flag("attention_bias", False), dropout=sizes.attention_dropout),
        norm,
        (position, local),
        (window, global_layers),
        feed_forward_bias=options.flag("mlp_bias", False),
    )
    return EncoderConfig(body, **heads_config(options, architecture.removeprefix("ModernBert"), norm))


def norm_epsilon(options: Options) -> float:
    return options.number("norm_eps", 1e-5, EPSILON)


def side(
    sizes: Sizes,
    attention: AttentionConfig,
    norm: NormConfig,
    positions: tuple[PositionConfig, PositionConfig],
    windows: tuple[int | None, list[int]],
    *,
    feed_forward_bias: bool = False,
) -> EmbeddedStackConfig:
    """The embeddings are normalised, so that the first layer need not do it; `positions` and `windows` as Gemma's."""
    stack = StackConfig(
        layers=sizes.layers,
        width=sizes.width,
        attention=attention,
        feed_forward=FeedForwardConfig(
            sizes.feed_forward_width,
            sizes.activation,
            gated=True,
            bias=feed_forward_bias,
            dropout=sizes.feed_forward_dropout,
        ),
        norm=norm,
        first_norm=False,
        window=windows[0],
        global_layers=windows[1],
    )
    words = EmbeddingConfig(sizes.vocabulary, norm=True, dropout=sizes.embedding_dropout)
    return EmbeddedStackConfig(words, stack, positions[0], positions[1])


def heads_config(options: Options, kind: str, norm: NormConfig) -> EncoderHeads:
    """The heads of an architecture: each begins with a dense layer and a norm."""
    tied, labels = options.flag("tie_word_embeddings", True), bert.count_labels(options)
    dense_bias, bias = options.flag("classifier_bias", False), options.flag("decoder_bias", True)
    activation = options.activation("classifier_activation", "gelu")
    dropout = options.number("classifier_dropout", 0.0, SHARE)
    pool = POOLS[options.one_of("classifier_pooling", "cls", POOLS)]
    heads: dict[str, EncoderHeads] = {
        "Model": {},
        "ForMaskedLM": {"output": OutputConfig(tied, bias, transform=activation, transform_bias=dense_bias)},
        "ForSequenceClassification": {
            "classify": ClassificationHeadConfig(
                labels,
                "mean" if pool == "mean" else "first",
                activation,
                dropout=dropout,
                dense_bias=dense_bias,
                norm=norm,
            )
        },
        "ForTokenClassification": {
            "classify": ClassificationHeadConfig(
                labels, None, activation, dropout=dropout, dense_bias=dense_bias, norm=norm
            )
        },
    }
    return heads[kind]


def example() -> ExampleModel:
    sizes = example_sizes("gelu")
    position, local = (
        PositionConfig("rotary", {"head_width": 6, "base": base, "pairing": "halves"}) for _, base in BASES.values()
    )
    norm = NormConfig("layer-unbiased", 1e-5)
    body = side(sizes, AttentionConfig(4, bias=False), norm, (position, local), (3, [0]))
    output = OutputConfig(tied=True, bias=True, transform="gelu", transform_bias=False)
    return ExampleModel(EncoderConfig(body, output), "ModernBertForMaskedLM", {"model_type": "modernbert"})


def write(config: EncoderConfig, architecture: str) -> dict[str, object]:
    side, stack = config.encoder, config.encoder.stack
    entries: dict[str, object] = {
        "model_type": "modernbert",
        "vocab_size": side.embedding.vocabulary,
        "hidden_size": stack.width,
        "num_hidden_layers": stack.layers,
        "num_attention_heads": stack.attention.heads,
        "intermediate_size": stack.feed_forward.width,
        "hidden_activation": name_of(stack.feed_forward.activation),
        "attention_dropout": stack.attention.dropout,
        "mlp_dropout": stack.feed_forward.dropout,
        "embedding_dropout": side.embedding.dropout,
        "attention_bias": stack.attention.bias,
        "mlp_bias": stack.feed_forward.bias,
        "norm_bias": stack.norm.kind == "layer",
        "norm_eps": stack.norm.epsilon,
        "layer_types": qwen3.layer_types(stack),
    }
    if stack.window is not None:
        entries["local_attention"] = 2 * (stack.window - 1)
    if side.local_position is not None:
        both = {qwen3.GLOBAL: side.position, qwen3.LOCAL: side.local_position}
        entries["rope_parameters"] = {name: rope(position.settings) for name, position in both.items()}
    if config.output and config.output.transform is not None:
        entries |= {
            "tie_word_embeddings": config.output.tied,
            "decoder_bias": config.output.bias,
            "classifier_bias": config.output.transform_bias,
            "classifier_activation": name_of(config.output.transform),
        }
    if config.classify and config.classify.activation is not None:
        entries |= {
            "num_labels": config.classify.labels,
            "classifier_pooling": "mean" if config.classify.pool == "mean" else "cls",
            "classifier_bias": config.classify.dense_bias,
            "classifier_activation": name_of(config.classify.activation),
            "classifier_dropout": config.classify.dropout,
        }
    return entries


def names(config: EncoderConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "ModernBertModel" else "model."
    has_bias, words = config.encoder.stack.norm.kind == "layer", f"{root}embeddings.tok_embeddings.weight"
    rows = [
        tensor_name("encoder.embedding.table.weight", words),
        *weight_and_bias("encoder.embedding.norm", f"{root}embeddings.norm", bias=has_bias),
        *weight_and_bias("encoder.stack.norm", f"{root}final_norm", bias=has_bias),
        *blocks(config.encoder.stack, root, has_bias),
    ]
    copies: dict[str, str] = {}
    if config.output:
        rows += weight_and_bias("output.transform.dense", "head.dense", bias=config.output.transform_bias)
        rows += weight_and_bias("output.transform.norm", "head.norm", bias=has_bias)
        rows += [tensor_name("output.bias", "decoder.bias")] * config.output.bias
        rows += [] if config.output.tied else [tensor_name("output.weight", "decoder.weight")]
        copies = {"decoder.weight": words} if config.output.tied else {}
    if config.classify:
        rows += weight_and_bias("classify.dense.linear", "head.dense", bias=config.classify.dense_bias)
        rows += weight_and_bias("classify.norm", "head.norm", bias=has_bias)
        rows += weight_and_bias("classify.labels", "classifier")
    return TensorNames.of(rows, copies, root=root)


def blocks(config: StackConfig, root: str, has_bias: bool) -> list[TensorName]:
    rows: list[TensorName] = []
    for layer in range(config.layers):
        here, there = f"encoder.stack.blocks.{layer}", f"{root}layers.{layer}"
        rows += weight_and_bias(f"{here}.self.qkv", f"{there}.attn.Wqkv", bias=config.attention.bias)
        rows += weight_and_bias(f"{here}.self.output", f"{there}.attn.Wo", bias=config.attention.bias)
        if layer or config.first_norm:
            rows += weight_and_bias(f"{here}.self_norm", f"{there}.attn_norm", bias=has_bias)
        rows += weight_and_bias(f"{here}.feed_forward.widen", f"{there}.mlp.Wi", bias=config.feed_forward.bias)
        rows += weight_and_bias(f"{here}.feed_forward.narrow", f"{there}.mlp.Wo", bias=config.feed_forward.bias)
        rows += weight_and_bias(f"{here}.feed_forward_norm", f"{there}.mlp_norm", bias=has_bias)
    return rows


FAMILY = Family("modernbert", ARCHITECTURES, read, write, names, example)

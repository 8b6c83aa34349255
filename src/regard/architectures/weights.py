"""How many numbers a model learns, told from its config: nothing is built, and nothing here imports torch."""

from collections import Counter
from collections.abc import Callable

from regard.architectures.part_weights import (
    METHOD_WEIGHTS,
    POSITION_WEIGHTS,
    RELATIVE,
    SCORE_WEIGHTS,
    SHARING,
    part_weights,
)
from regard.config import (
    MULTIHEAD,
    AlignConfig,
    AlignerConfig,
    AttentionConfig,
    ClassificationHeadConfig,
    Config,
    DecoderConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    EncoderConfig,
    FeatureStackConfig,
    FeedForwardConfig,
    GlimpseConfig,
    MaskedAlignerConfig,
    MemoryNetworkConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    SpeechConfig,
    StackConfig,
    TransformerConfig,
    VisionConfig,
)

Weights = Counter[str]
"""How many numbers each kind of part learns."""


LOCAL_WEIGHTS: dict[str, Callable[[int], int]] = {
    "monotonic": lambda width: 0,
    "predictive": lambda width: width**2 + width,
}
CELL_GATES = {"gru": 3, "lstm": 4}
DEEP_INPUTS = {"maxout": 2, "tanh": 1}
NORM_VECTORS = {"layer": 2, "layer-unbiased": 1, "rms": 1, "rms-offset": 1, "none": 0}


def is_counted(config: Config) -> bool:
    """Whether every part of a model is known here, so that the numbers are all of its numbers."""
    for side in (getattr(config, name, None) for name in ("encoder", "decoder")):
        if not isinstance(side, EmbeddedStackConfig):
            continue
        attention = side.stack.attention
        known = [side.position.kind in POSITION_WEIGHTS, side.stack.norm.kind in NORM_VECTORS]
        known += [attention.score is None or attention.score.kind in SCORE_WEIGHTS]
        known += [attention.method is None or attention.method.kind in METHOD_WEIGHTS]
        if not all(known):
            return False
    return True


def linear(inputs: int, outputs: int, bias: bool = True) -> int:
    return inputs * outputs + (outputs if bias else 0)


def norm(config: NormConfig, width: int) -> int:
    return NORM_VECTORS.get(config.kind, 0) * width


def position(config: PositionConfig) -> int:
    return part_weights(POSITION_WEIGHTS, config.kind, config.settings)


def attention(
    config: AttentionConfig,
    width: int,
    pruned: tuple[int, ...] = (),
    source_width: int | None = None,
    norm_config: NormConfig = NormConfig(),
) -> int:
    """Queries, keys, values and their norms, the output, and what is learned in the score and the method."""
    split = config.split(width, pruned)
    heads, kv_heads = len(split.remaining_heads), len(split.remaining_kv_heads)
    crosses, source = source_width is not None, width if source_width is None else source_width
    method = None if crosses else config.method
    shares = method is not None and method.kind in SHARING
    keys = 0 if shares else linear(source, kv_heads * split.width, config.bias)
    values = linear(source, kv_heads * split.value_width, config.bias)
    output_bias = config.bias if config.output_bias is None else config.output_bias
    total = linear(width, heads * split.width, config.bias) + keys + values
    total += linear(heads * split.value_width, width, output_bias)
    total += query_key_norm(config, width, norm_config)
    if config.score is not None and not (crosses and config.score.kind in RELATIVE):
        sizes = {"heads": heads, "width": split.width}
        total += part_weights(SCORE_WEIGHTS, config.score.kind, sizes | config.score.settings)
    return total + (part_weights(METHOD_WEIGHTS, method.kind, method.settings) if method else 0)


def query_key_norm(config: AttentionConfig, width: int, norm_config: NormConfig) -> int:
    """The norms of queries and of keys, if there are any."""
    split = config.split(width)
    if config.qk_norm is None:
        return 0
    return norm(norm_config, split.width * (split.heads + split.kv_heads if config.qk_norm == "all" else 2))


def stack_attention(config: StackConfig, pruned: tuple[int, ...] = (), source_width: int | None = None) -> int:
    """An attention layer of a stack."""
    return attention(config.attention, config.width, pruned, source_width, config.norm)


def block_norm(config: StackConfig, kind: str, layer: int) -> int:
    """The norm or norms around a part of a block: `self`, `cross` or `feed_forward`."""
    count = 1 + (config.pre_norm and config.output_norm) - (kind == "self" and layer == 0 and not config.first_norm)
    return norm(config.norm, config.width) * count


def feed_forward(config: FeedForwardConfig, width: int) -> int:
    if not config.width:
        return 0
    wide = 2 * config.width if config.gated else config.width
    one = linear(width, wide, config.bias) + linear(config.width, width, config.bias)
    return config.experts * one + linear(width, config.experts, bias=False) if config.experts else one


def embedding(config: EmbeddingConfig, width: int) -> int:
    """Words, segments, and what widens them; the norm apart."""
    own = width if config.embedding_width is None else config.embedding_width
    widen = 0 if config.embedding_width is None else linear(own, width)
    return (config.vocabulary + config.segments) * own + widen


def stack_weights(config: StackConfig, source_width: int | None = None) -> Weights:
    """All blocks that have weights of their own, and the norm at the end."""
    counts: Weights = Counter()
    for layers in config.shared():
        kinds = ["self"] + ["cross"] * (source_width is not None) + ["feed_forward"] * (config.feed_forward.width > 0)
        counts["attention"] += stack_attention(config, config.pruned_heads(layers, "self"))
        if source_width is not None:
            counts["attention"] += stack_attention(config, config.pruned_heads(layers, "cross"), source_width)
        counts["feed_forward"] += feed_forward(config.feed_forward, config.width)
        counts["norm"] += sum(block_norm(config, kind, layers[0]) for kind in kinds)
    counts["norm"] += norm(config.norm, config.width) if config.final_norm else 0
    return counts


def side_weights(config: EmbeddedStackConfig, source_width: int | None = None) -> Weights:
    """One side: words, positions and the stack."""
    counts = stack_weights(config.stack, source_width)
    width = config.embedding.embedding_width or config.stack.width
    counts["embedding"] += embedding(config.embedding, config.stack.width)
    counts["norm"] += norm(config.stack.norm, width) if config.embedding.norm else 0
    counts["position"] += position(config.position)
    if config.distances is not None:
        counts["position"] += 2 * config.distances.buckets * config.stack.width
        counts["position"] += norm(config.stack.norm, config.stack.width) if config.distances.norm else 0
    return counts


def hearing_weights(config: FeatureStackConfig) -> Weights:
    """Convolutions over three frames, positions and the stack."""
    counts, width = stack_weights(config.stack), config.stack.width
    counts["embedding"] += linear(3 * config.features, width) + linear(3 * width, width)
    counts["position"] += config.max_positions * width
    return counts


def output(config: OutputConfig, side: EmbeddedStackConfig) -> int:
    """How words are scored, the table of words not counted again where it is used twice."""
    words, width = side.embedding, side.stack.width
    own = words.embedding_width or width
    inner = own if config.tied or config.transform else width
    total = 0 if config.tied else words.vocabulary * inner
    total += words.vocabulary if config.bias else 0
    return total + (
        0 if config.transform is None else linear(width, inner, config.transform_bias) + norm(side.stack.norm, inner)
    )


def classify(config: ClassificationHeadConfig, width: int) -> int:
    dense = 0 if config.activation is None else linear(width, width, config.dense_bias)
    return linear(width, config.labels, config.bias) + dense + (0 if config.norm is None else norm(config.norm, width))


def heads_weights(config: EncoderConfig | DecoderConfig, side: EmbeddedStackConfig) -> int:
    """Whatever is asked of a side."""
    width = side.stack.width
    total = output(config.output, side) if config.output else 0
    total += classify(config.classify, width) if config.classify else 0
    if isinstance(config, EncoderConfig):
        total += linear(width, width) if config.pooler else 0
        total += linear(width, 2) if config.follows else 0
    return total


def recurrent(cell: str, inputs: int, width: int, layers: int = 1, ways: int = 1) -> int:
    """A matrix for what comes in and one for what is remembered, and a bias of each, for every gate."""
    total = 0
    for layer in range(layers):
        comes_in = inputs if layer == 0 else ways * width
        total += ways * CELL_GATES.get(cell, 0) * (width * (comes_in + width) + 2 * width)
    return total


def alignment(config: AlignConfig, width: int, source_width: int) -> int:
    """How a state looks at a source."""
    if config.score == MULTIHEAD:
        return attention(AttentionConfig(config.heads), width, tuple(config.pruned), source_width)
    sizes: dict[str, int | None] = {"heads": 1, "width": width}
    if config.score in ("additive", "bilinear"):
        sizes["key_width"] = source_width
    if config.score == "additive":
        sizes["score_width"] = config.score_width
    local = LOCAL_WEIGHTS[config.local](width) if config.local in LOCAL_WEIGHTS else 0
    return part_weights(SCORE_WEIGHTS, config.score, sizes) + local


def aligner_weights(config: AlignerConfig) -> Weights:
    reads, writes, look = config.reads, config.writes, config.align
    source = config.narrow or 2 * reads.width
    gathered = look.output_width(writes.width, source) if look else 0
    vector = writes.embedding_width if config.deep else writes.width
    when = look.look if look else None
    inputs = writes.embedding_width + (gathered if when == "before" else 0) + (vector if config.feeding else 0)
    deep = writes.width + gathered + (writes.embedding_width if config.skips else 0)
    states = (2 if config.cell == "lstm" else 1) * writes.layers
    return Counter(
        embedding=reads.vocabulary * reads.embedding_width
        + (0 if config.shared else writes.vocabulary * writes.embedding_width),
        reader=recurrent(config.cell, reads.embedding_width, reads.width, reads.layers, ways=2)
        + (linear(2 * reads.width, config.narrow) if config.narrow else 0),
        attention=alignment(look, writes.width, source) if look else 0,
        writer=recurrent(config.cell, inputs, writes.width, writes.layers)
        + (recurrent(config.cell, writes.width + gathered, writes.width) if when == "between" else 0)
        + (linear(2 * reads.width, states * writes.width) if config.begins else 0),
        output=(linear(deep, DEEP_INPUTS.get(config.deep, 0) * vector) if config.deep else 0)
        + (0 if config.output.tied else writes.vocabulary * vector)
        + (writes.vocabulary if config.output.bias else 0),
    )


def masked_aligner_weights(config: MaskedAlignerConfig) -> Weights:
    """Two directions, which share a table of words or have one each."""
    stack, tables = config.reader.stack, 1 if config.shared else 2
    look = attention(stack.attention, stack.width, (), stack.width)
    one = stack_weights(stack)
    one["attention"] += (config.layers + 1) * look + stack.width
    one["feed_forward"] += config.layers * feed_forward(stack.feed_forward, stack.width)
    one["norm"] += (2 * config.layers + 1) * norm(stack.norm, stack.width)
    counts: Weights = Counter({kind: 2 * number for kind, number in one.items()})
    counts["embedding"] += tables * embedding(config.reader.embedding, stack.width)
    counts["output"] += tables * output(config.output, config.reader)
    return counts


def memory_tables(config: MemoryNetworkConfig) -> tuple[int, int]:
    """How many tables of words there are, and how many of them stories are remembered by."""
    return (config.hops + 1, config.hops + 1) if config.tying == "adjacent" else (4, 2)


def memory_weights(config: MemoryNetworkConfig) -> Weights:
    tables, remembering = memory_tables(config)
    each = config.copies * config.width
    return Counter(
        embedding=config.vocabulary * tables * each,
        position=config.memories * remembering * each,
        attention=config.width * each if config.projects else 0,
    )


def vision_weights(config: VisionConfig) -> Weights:
    counts = stack_weights(config.stack)
    has_token = config.pool == "first"
    counts["embedding"] += linear(config.channels * config.patch**2, config.width) + (config.width if has_token else 0)
    counts["position"] += (config.pieces + has_token) * config.width if config.has_positions else 0
    counts["output"] += linear(config.width, config.labels)
    return counts


def glimpse_weights(config: GlimpseConfig) -> Weights:
    width, looks = config.width, config.looks
    return Counter(
        attention=linear(width, width) + looks * width,
        embedding=linear(config.channels * config.patch**2, width),
        position=looks * width,
        cell=recurrent("gru", width, width) + width,
        output=linear(width, 1) + linear(width, config.labels),
    )


def count_weights(config: Config) -> Weights:
    """How many numbers a model learns, by the kind of part that has them; what is shared is counted once."""
    if isinstance(config, TransformerConfig):
        width, source = config.decoder.stack.width, config.encoder.stack.width
        counts = side_weights(config.encoder) + side_weights(config.decoder, width if config.bridge else source)
        if config.shared:
            counts["embedding"] -= config.decoder.embedding.vocabulary * (
                config.decoder.embedding.embedding_width or width
            )
        counts["attention"] += linear(source, width) if config.bridge else 0
        counts["output"] += output(config.output, config.decoder) if config.output else 0
    elif isinstance(config, SpeechConfig):
        counts = hearing_weights(config.encoder) + side_weights(config.decoder, config.encoder.stack.width)
        counts["output"] += output(config.output, config.decoder) if config.output else 0
    elif isinstance(config, EncoderConfig | DecoderConfig):
        side = config.encoder if isinstance(config, EncoderConfig) else config.decoder
        counts = side_weights(side)
        counts["output"] += heads_weights(config, side)
    elif isinstance(config, AlignerConfig):
        counts = aligner_weights(config)
    elif isinstance(config, MaskedAlignerConfig):
        counts = masked_aligner_weights(config)
    elif isinstance(config, MemoryNetworkConfig):
        counts = memory_weights(config)
    elif isinstance(config, VisionConfig):
        counts = vision_weights(config)
    else:
        counts = glimpse_weights(config)
    return Counter({kind: number for kind, number in counts.items() if number})

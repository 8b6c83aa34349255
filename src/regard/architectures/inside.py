"""One block of a stack, large: every matrix, and what is done between them."""

from regard.architectures import spelling, weights
from regard.architectures.blocks import BLOCKS, FEED_FORWARD, MULTIHEAD, NORMS, sublayers
from regard.architectures.part_weights import SHARING
from regard.config import (
    Config,
    DecoderConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    EncoderConfig,
    SpeechConfig,
    StackConfig,
    TransformerConfig,
    VisionConfig,
)
from regard.errors import RegardError
from regard.pictures.diagrams import BoxColumn, BoxFrame, BoxRow, Diagram, DiagramBox, DiagramPart, DiagramWire
from regard.pictures.diagrams.diagram import Joins
from regard.pictures.diagrams.numbers import short_count

QUERY_KEY_NORM, EXPERTS = "src/regard/layers/query_key_norm.py", "src/regard/layers/experts.py"
SCORE = "src/regard/attention/scores/__init__.py"
MASKS, SOFTMAX = "src/regard/attention/masks/__init__.py", "src/regard/attention/normalisers.py"


def block_diagram(config: Config, block: str, title: str = "") -> Diagram:
    """Block `block` of a model, as in "3", or "encoder.3" where it has two stacks; a number alone is the decoder's."""
    name, layer = find_block(config, block)
    side = stack_of(config, name)
    stack = side.stack
    source = source_width(config) if name == "decoder" else None
    layers = next(layers for layers in stack.shared() if layer in layers)
    parts: list[DiagramPart] = [DiagramBox("in", f"{stack.width:,} numbers for each position", form="text")]
    wires: list[DiagramWire] = []
    columns: list[list[DiagramPart]] = []
    parameters = 0
    for kind in sublayers(stack, crosses=source is not None):
        if kind == "feed_forward":
            frame, learned = feed_forward_frame(stack)
            inner: list[DiagramWire] = []
        else:
            pruned = stack.pruned_heads(layers, kind)
            frame, learned = attention_frame(side, kind, pruned, name == "decoder", source)
            inner = [DiagramWire(f"{kind}.value", f"{kind}.gather", "cross", "rise", note="what is gathered")]
        parameters += learned + weights.block_norm(stack, kind, layer)
        sublayer, wire = residual(stack, kind, frame, has_norm=kind != "self" or layer > 0 or stack.first_norm)
        columns.append(sublayer)
        wires += [*inner, *([wire] if stack.residual and not stack.parallel else [])]
    if stack.parallel:
        row, wire = side_by_side(columns)
        parts, wires = [*parts, *row], [*wires, wire]
    else:
        parts += [part for sublayer in columns for part in sublayer]
    parts.append(
        DiagramBox("out", f"block {layer + 1}" if layer + 1 < stack.layers else "the end of the stack", form="text")
    )
    subtitle = (
        f"{spelling.norm_place(stack).capitalize()} · {short_count(parameters)} parameters · width {stack.width:,}"
    )
    facts = spelling.stack_facts(stack) + spelling.dropout_facts(stack, 0.0)
    return Diagram(
        f"{title or type(config).__name__}, {name} block {layer}",
        subtitle,
        BoxColumn(tuple(parts)),
        tuple(wires),
        facts=tuple(facts),
        parameters=parameters,
    )


def find_block(config: Config, block: str) -> tuple[str, int]:
    """The stack and the number that are meant."""
    names = [name for name in ("encoder", "decoder") if stack_or_none(config, name) is not None]
    if not names:
        raise RegardError(f"--block {block}: a {type(config).__name__.removesuffix('Config')} has no blocks")
    name, _, number = block.rpartition(".")
    name = name or names[-1]
    most = stack_of(config, name).stack.layers if name in names else 0
    if not number.isdecimal() or int(number) >= most:
        known = " or ".join(f"{one}.0 to {one}.{stack_of(config, one).stack.layers - 1}" for one in names)
        raise RegardError(f"--block {block}: {known} expected")
    return name, int(number)


def stack_or_none(config: Config, name: str) -> EmbeddedStackConfig | None:
    if isinstance(config, VisionConfig) and name == "encoder":
        return EmbeddedStackConfig(EmbeddingConfig(1), config.stack)
    if isinstance(config, SpeechConfig) and name == "encoder":
        return EmbeddedStackConfig(EmbeddingConfig(1), config.encoder.stack)
    if isinstance(config, EncoderConfig | DecoderConfig | TransformerConfig | SpeechConfig):
        return getattr(config, name, None)
    return None


def stack_of(config: Config, name: str) -> EmbeddedStackConfig:
    side = stack_or_none(config, name)
    assert side is not None
    return side


def source_width(config: Config) -> int | None:
    """How wide the vectors are that a decoder looks at, if it looks at any."""
    if isinstance(config, SpeechConfig):
        return config.encoder.stack.width
    if not isinstance(config, TransformerConfig):
        return None
    return config.decoder.stack.width if config.bridge else config.encoder.stack.width


def side_by_side(columns: list[list[DiagramPart]]) -> tuple[list[DiagramPart], DiagramWire]:
    """Parts that read the same stream, and one sum of all; `columns` are those of residual()."""
    fork, add = columns[0][0], columns[0][-1]
    assert isinstance(fork, DiagramBox)
    assert isinstance(add, DiagramBox)
    row = BoxRow(tuple(BoxColumn(tuple(column[1:-1])) for column in columns), name="parts")
    return [fork, row, add], DiagramWire(fork.name, add.name, side="left", outside="parts", note="residual connection")


def residual(
    stack: StackConfig, kind: str, frame: BoxFrame, *, has_norm: bool = True
) -> tuple[list[DiagramPart], DiagramWire]:
    """A part, what is dropped of it, the sum, and the norm before or behind."""
    norm = norm_box(stack, kind)
    before = [norm] if has_norm else []
    fork = DiagramBox(f"{kind}.fork", "", form="point")
    add = DiagramBox(f"{kind}.add", "+", form="sum", note="what came in, and what came out of the part", source=BLOCKS)
    dropped = []
    if stack.dropout:
        dropped.append(DiagramBox(f"{kind}.dropout", f"Dropout {stack.dropout:g}", (), "plain", "slim", source=BLOCKS))
    wire = DiagramWire(fork.name, add.name, side="left", outside=frame.name, note="residual connection")
    if stack.output_norm:
        behind = norm_box(stack, kind, "output_norm") if stack.pre_norm else norm
        added = [add] if stack.residual else []
        return [fork, *(before if stack.pre_norm else []), frame, behind, *dropped, *added], wire
    if not stack.residual:
        return [*before, frame, *dropped] if stack.pre_norm else [frame, *dropped, norm], wire
    if stack.pre_norm:
        return [fork, *before, frame, *dropped, add], wire
    return [fork, frame, *dropped, add, norm], wire


def norm_box(stack: StackConfig, kind: str, name: str = "norm") -> DiagramBox:
    learned, epsilon = weights.norm(stack.norm, stack.width), spelling.power(stack.norm.epsilon)
    lines = {
        "layer": ("(x − mean) ÷ √(variance + ε)", f"gain and bias · {learned:,} · ε {epsilon}"),
        "layer-unbiased": ("(x − mean) ÷ √(variance + ε)", f"gain · {learned:,} · ε {epsilon}"),
        "rms": ("x ÷ √(mean of x² + ε)", f"gain · {learned:,} · ε {epsilon}"),
        "rms-offset": ("x ÷ √(mean of x² + ε)", f"gain − 1 · {learned:,} · ε {epsilon}"),
    }.get(stack.norm.kind, ())
    lines = tuple(line.partition(" · ε")[0] for line in lines[1:]) if stack.parallel else lines  # side by side
    return DiagramBox(
        f"{kind}.{name}",
        spelling.norm_name(stack.norm),
        lines,
        "norm",
        parameters=learned,
        source=NORMS,
        note="over the numbers of one position",
    )


def attention_frame(
    side: EmbeddedStackConfig, kind: str, pruned: tuple[int, ...], is_causal: bool, source: int | None
) -> tuple[BoxFrame, int]:
    """Three projections, the comparison step by step, and the projection of what was gathered."""
    stack, attention, crosses = side.stack, side.stack.attention, kind == "cross"
    split = attention.split(stack.width, pruned)
    heads, groups = len(split.remaining_heads), len(split.remaining_kv_heads)
    learned = weights.stack_attention(stack, pruned, source if crosses else None)
    comes_from = source if crosses and source is not None else stack.width
    where: Joins = "out" if crosses else "both"
    ends: Joins = "none" if crosses else "in"
    shares_keys = not crosses and attention.method is not None and attention.method.kind in SHARING
    row = [
        projection(f"{kind}.query", "Queries", stack.width, heads, split.width, attention.bias, "both"),
        projection(f"{kind}.key", "Keys", comes_from, groups, split.width, attention.bias, where, crosses),
        projection(f"{kind}.value", "Values", comes_from, groups, split.value_width, attention.bias, ends, crosses),
    ]
    if shares_keys:
        row[1] = DiagramBox(f"{kind}.key", "Keys", ("are the queries",), "attention", source=MULTIHEAD)
    parts: list[DiagramPart] = [BoxRow(tuple(row), wide=True)]
    parts += compare_boxes(side, kind, split.width, is_causal)
    joined, each = heads * split.value_width, split.value_width
    has_bias = attention.bias if attention.output_bias is None else attention.output_bias
    out = weights.linear(joined, stack.width, has_bias)
    parts += [
        step(f"{kind}.gather", "Gather: weights × V", MULTIHEAD, "attention"),
        step(f"{kind}.join", f"Join {spelling.plural(heads, 'head')}: {heads} × {each} = {joined:,}", MULTIHEAD),
        DiagramBox(
            f"{kind}.output",
            "Output",
            (f"{joined:,} → {stack.width:,} · {short_count(out)}",),
            "attention",
            parameters=out,
            source=MULTIHEAD,
        ),
    ]
    label = "Cross-attention" if crosses else "Self-attention"
    count = f"{heads} heads" + (f" of {split.heads}" if heads < split.heads else "")
    return BoxFrame(f"{kind}.frame", label, BoxColumn(tuple(parts)), count, source=MULTIHEAD), learned


def projection(
    name: str, title: str, inputs: int, heads: int, width: int, bias: bool, joins: Joins, of_source: bool = False
) -> DiagramBox:
    learned = weights.linear(inputs, heads * width, bias)
    lines = (f"{inputs:,} → {heads} × {width}", short_count(learned) + (" · of source" if of_source else ""))
    return DiagramBox(name, title, lines, "attention", joins=joins, parameters=learned, source=MULTIHEAD)


def compare_boxes(side: EmbeddedStackConfig, kind: str, width: int, is_causal: bool) -> list[DiagramPart]:
    """From queries and keys to weights."""
    attention, crosses = side.stack.attention, kind == "cross"
    score = attention.score.kind if attention.score else "dot"
    parts: list[DiagramPart] = []
    if attention.qk_norm is not None:
        learned = weights.query_key_norm(attention, side.stack.width, side.stack.norm)
        title = f"{spelling.norm_name(side.stack.norm)} of Q and K" + (", each head" * (attention.qk_norm == "head"))
        name = f"{kind}.query_key_norm"
        parts.append(DiagramBox(name, title, (), "norm", "slim", parameters=learned, source=QUERY_KEY_NORM))
    if side.position.kind == "rotary" and not crosses:
        parts.append(step(f"{kind}.rotate", "Turn Q and K by position", "src/regard/positions/rotary.py", "position"))
    if score == "dot":
        parts.append(step(f"{kind}.match", "Compare: Q Kᵀ", SCORE, "attention"))
        if attention.scale is None:
            parts.append(step(f"{kind}.scale", f"Scale: ÷ √{width}", SCORE))
        elif attention.scale != 1:
            parts.append(step(f"{kind}.scale", f"Scale: × {attention.scale:g}", SCORE))
    else:
        parts.append(step(f"{kind}.match", f"Compare: {score} score", SCORE, "attention"))
    bias = spelling.position_line(side.position) if side.position.kind in ("alibi", "buckets") else None
    if bias and not crosses:
        parts.append(step(f"{kind}.bias", f"Add {bias}", f"src/regard/positions/{side.position.kind}.py", "position"))
    masks = [*(["what is ahead"] if is_causal and not crosses else []), "padding"]
    if side.stack.window is not None and not crosses and not side.stack.global_layers:
        masks.insert(0, f"beyond {side.stack.window:,} positions")
    parts.append(step(f"{kind}.mask", f"Mask: {', '.join(masks)}", MASKS))
    parts.append(step(f"{kind}.softmax", "Softmax", SOFTMAX))
    if attention.dropout:
        parts.append(step(f"{kind}.drop_weights", f"Dropout {attention.dropout:g}", MULTIHEAD))
    return parts


def step(name: str, title: str, source: str, kind: str = "plain") -> DiagramBox:
    return DiagramBox(name, title, (), kind, "slim", source=source)


def feed_forward_frame(stack: StackConfig) -> tuple[BoxFrame, int]:
    """Widen, bend, narrow; with a gate, one half bent and times the other."""
    config, width, name = stack.feed_forward, stack.width, "feed_forward"
    activation = spelling.activation_name(config.activation)
    copies = config.experts or 1
    wide = copies * weights.linear(width, config.width, config.bias)
    narrow = copies * weights.linear(config.width, width, config.bias)
    line = (f"{width:,} → {config.width:,}", short_count(wide))
    parts: list[DiagramPart]
    if config.gated:
        gate, straight = (
            DiagramBox(f"{name}.{part}", part.capitalize(), line, "feed_forward", parameters=wide, source=FEED_FORWARD)
            for part in ("gate", "widen")
        )
        parts = [
            BoxRow((gate, straight), wide=True),
            step(f"{name}.bend", f"{activation}(gate) × widened", FEED_FORWARD),
        ]
    else:
        parts = [
            DiagramBox(
                f"{name}.widen",
                "Widen",
                (" · ".join(line),),
                "feed_forward",
                parameters=wide,
                source=FEED_FORWARD,
            ),
            step(f"{name}.bend", activation, FEED_FORWARD),
        ]
    if config.dropout:
        parts.append(step(f"{name}.drop_inner", f"Dropout {config.dropout:g}", FEED_FORWARD))
    line = (f"{config.width:,} → {width:,} · {short_count(narrow)}",)
    parts.append(DiagramBox(f"{name}.narrow", "Narrow", line, "feed_forward", parameters=narrow, source=FEED_FORWARD))
    count = ""
    if config.experts:
        learned = weights.linear(width, config.experts, bias=False)
        line = (f"{width:,} → {config.experts:,} · {short_count(learned)}",)
        parts.insert(
            0, DiagramBox(f"{name}.router", "Router", line, "feed_forward", parameters=learned, source=EXPERTS)
        )
        count = f"{config.experts_per_token} of {config.experts} experts"
    frame = BoxFrame(f"{name}.frame", "Feed-forward", BoxColumn(tuple(parts)), count, source=FEED_FORWARD)
    return frame, weights.feed_forward(config, width)

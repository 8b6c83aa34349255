"""The block of a stack as a diagram: what is read off its config is drawn, and nothing else."""

from dataclasses import dataclass

from regard.architectures import spelling, weights
from regard.config import EmbeddedStackConfig, StackConfig
from regard.errors import RegardError
from regard.pictures.diagrams import BoxColumn, BoxFrame, BoxRow, DiagramBox, DiagramPart, DiagramWire
from regard.pictures.diagrams.diagram import Side
from regard.pictures.diagrams.numbers import short_count

MULTIHEAD, FEED_FORWARD = "src/regard/layers/multihead.py", "src/regard/layers/feedforward.py"
NORMS, BLOCKS = "src/regard/layers/norms.py", "src/regard/layers/blocks.py"
XL = "src/regard/models/xl.py"


@dataclass(frozen=True)
class StackDrawing:
    """What is drawn of a stack: its part, and the arrows in it."""

    part: DiagramPart
    wires: tuple[DiagramWire, ...]


@dataclass(frozen=True)
class BlockStyle:
    """What a block is in its model: `name` is encoder or decoder, `memory` are positions that it remembers."""

    name: str
    is_causal: bool
    source_width: int | None = None
    side: Side = "left"
    memory: int = 0


def draw_stack(config: EmbeddedStackConfig, style: BlockStyle) -> StackDrawing:
    """One block in a frame, with the number of blocks there are."""
    stack, name = config.stack, style.name
    parts: list[DiagramPart] = []
    wires: list[DiagramWire] = []
    if not stack.layers:
        raise RegardError("a model without layers: there is nothing between its words and its output to draw")
    kinds = sublayers(stack, crosses=style.source_width is not None)
    boxes = {
        kind: feed_forward_box(stack, name) if kind == "feed_forward" else attention_box(config, style, kind)
        for kind in kinds
    }
    if stack.parallel:
        parts, wires = side_by_side(stack, name, boxes, style)
    for kind in [] if stack.parallel else kinds:
        sublayer, wire = residual(stack, name, kind, boxes[kind], style)
        parts += sublayer
        wires += [wire] if stack.residual else []
    if style.memory:
        wires += memory_wires(stack, name)
    frame = BoxFrame(
        f"{name}.block",
        block_label(stack, style),
        BoxColumn(tuple(parts)),
        count=f"× {stack.layers:,}",
        note=f"{spelling.plural(stack.layers, 'block')} on top of each other",
        source=BLOCKS,
    )
    return StackDrawing(frame, tuple(wires))


def sublayers(stack: StackConfig, *, crosses: bool) -> list[str]:
    """The parts of a block, from below."""
    return ["self", *(["cross"] if crosses else []), *(["feed_forward"] if stack.feed_forward.width else [])]


def block_label(stack: StackConfig, style: BlockStyle) -> str:
    distinct = len(stack.shared())
    if distinct == stack.layers:
        return style.name.capitalize()
    return "one block" if distinct == 1 else f"{distinct} blocks"


def residual(
    stack: StackConfig, name: str, kind: str, box: DiagramBox, style: BlockStyle
) -> tuple[list[DiagramPart], DiagramWire]:
    """A part and the arrow that goes past it, into a sum; the norm stands before the part or behind the sum."""
    norm = spelling.norm_name(stack.norm)
    learned = weights.norm(stack.norm, stack.width)
    middle: DiagramPart = box
    if kind == "self" and style.memory:
        middle = BoxRow((memory_box(style), box), stream=1)
    note_text = "what came in is added to what came out"
    if stack.pre_norm or stack.output_norm:
        add = DiagramBox(f"{name}.{kind}_add", "+", (), "plain", "sum", note=note_text, source=BLOCKS)
        before = norm_box(stack, f"{name}.{kind}_norm") if stack.pre_norm else None
        behind = norm_box(stack, f"{name}.{kind}{'_output' if stack.pre_norm else ''}_norm")
        sublayer = [*([before] if before else []), middle, *([behind] if stack.output_norm else [])]
        start = before or box
        wire = DiagramWire(start.name, add.name, side=style.side, is_fork=True, note="residual connection")
        return [*sublayer, *([add] if stack.residual else [])], wire
    after = DiagramBox(
        f"{name}.{kind}_norm",
        f"Add & {norm}" if stack.residual else norm,
        (),
        "norm",
        "slim",
        parameters=learned,
        note=f"{note_text}, then normalised" if stack.residual else "what came out is normalised",
        source=BLOCKS,
    )
    wire = DiagramWire(box.name, after.name, side=style.side, is_fork=True, note="residual connection")
    return [middle, after], wire


def norm_box(stack: StackConfig, name: str) -> DiagramBox:
    learned = weights.norm(stack.norm, stack.width)
    return DiagramBox(name, spelling.norm_name(stack.norm), (), "norm", "slim", parameters=learned, source=NORMS)


def side_by_side(
    stack: StackConfig, name: str, boxes: dict[str, DiagramBox], style: BlockStyle
) -> tuple[list[DiagramPart], list[DiagramWire]]:
    """Parts that read the same stream, a norm before each, and one sum of all."""
    fork = DiagramBox(f"{name}.fork", "", form="point")
    columns = [BoxColumn((norm_box(stack, f"{name}.{kind}_norm"), box)) for kind, box in boxes.items()]
    told = "what came in is added to what came out of both"
    add = DiagramBox(f"{name}.feed_forward_add", "+", (), "plain", "sum", note=told, source=BLOCKS)
    wire = DiagramWire(fork.name, add.name, side=style.side, note="residual connection")
    return [fork, BoxRow(tuple(columns)), add], [wire]


def attention_box(config: EmbeddedStackConfig, style: BlockStyle, kind: str) -> DiagramBox:
    stack, crosses = config.stack, kind == "cross"
    source = style.source_width if crosses else None
    counts, heads = [], []
    for layers in stack.shared():
        pruned = stack.pruned_heads(layers, kind)
        counts.append(weights.stack_attention(stack, pruned, source))
        heads.append(stack.attention.heads - len(pruned))
    title = "Cross-attention" if crosses else "Masked self-attention" if style.is_causal else "Self-attention"
    lines = [spelling.heads_line(stack.attention, stack.width, tuple(heads))]
    lines += spelling.score_lines(stack.attention, stack.width, crosses=crosses)
    positions = None if crosses else spelling.position_line(config.position)
    lines += [positions] if positions else []
    lines.append(each(counts))
    note = "queries of this side, keys and values of the other" if crosses else "queries, keys and values of one text"
    note += ", each position seeing those before it" if style.is_causal and not crosses else ""
    return DiagramBox(
        f"{style.name}.{kind}", title, packed(lines), "attention", parameters=counts[0], note=note, source=MULTIHEAD
    )


def feed_forward_box(stack: StackConfig, name: str) -> DiagramBox:
    learned = weights.feed_forward(stack.feed_forward, stack.width)
    activation = spelling.activation_name(stack.feed_forward.activation)
    activation += " gate" if stack.feed_forward.gated else ""
    lines = (spelling.feed_forward_line(stack.feed_forward, stack.width), f"{activation} · {short_count(learned)}")
    return DiagramBox(
        f"{name}.feed_forward",
        "Feed-forward",
        lines,
        "feed_forward",
        parameters=learned,
        note="the same for every position, each alone",
        source=FEED_FORWARD,
    )


def memory_box(style: BlockStyle) -> DiagramBox:
    return DiagramBox(
        f"{style.name}.memory",
        "Memory",
        (f"last {style.memory:,} positions", "no gradient"),
        "memory",
        joins="none",
        note="what went into this block in the segments before, kept as it was",
        source=XL,
    )


def memory_wires(stack: StackConfig, name: str) -> list[DiagramWire]:
    """What is remembered goes into keys and values; what comes in is remembered for the segment after."""
    first = f"{name}.self_norm" if stack.pre_norm else f"{name}.self"
    return [
        DiagramWire(
            f"{name}.memory", f"{name}.self", "memory", "across", note="keys and values of what was read before"
        ),
        DiagramWire(first, f"{name}.memory", "memory", "under", is_fork=True, note="kept for the next segment"),
    ]


def each(counts: list[int]) -> str:
    """How many numbers a part learns, or the parts of all layers where they differ."""
    return short_count(counts[0]) if len(set(counts)) == 1 else f"{short_count(sum(counts))} in all"


def packed(lines: list[str], widest: int = 25) -> tuple[str, ...]:
    """Short lines put together, as far as there is room."""
    rows: list[str] = []
    for line in lines:
        if rows and len(rows[-1]) + len(line) + 3 <= widest:
            rows[-1] += f" · {line}"
        else:
            rows.append(line)
    return tuple(rows)

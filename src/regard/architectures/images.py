"""Models that look at pictures, as diagrams."""

from itertools import pairwise

from regard.architectures import spelling, weights
from regard.architectures.blocks import NORMS, BlockStyle, draw_stack
from regard.architectures.shares import shares_of
from regard.config import EmbeddedStackConfig, EmbeddingConfig, GlimpseConfig, VisionConfig
from regard.pictures.diagrams import BoxColumn, BoxFrame, BoxRow, Diagram, DiagramBox, DiagramPart, DiagramWire
from regard.pictures.diagrams.numbers import short_count

VISION, HEAD = "src/regard/models/vision.py", "src/regard/layers/classification_head.py"
GLIMPSES = ("1", "2", "…", "n")


def vision_diagram(config: VisionConfig, title: str) -> Diagram:
    found = weights.count_weights(config)
    stack = config.stack
    drawn = draw_stack(EmbeddedStackConfig(EmbeddingConfig(1), stack), BlockStyle("encoder", is_causal=False))
    width, pieces = config.width, config.pieces
    numbers = config.channels * config.patch**2
    learned = weights.linear(numbers, width)
    lines = (
        f"{pieces:,} of {config.patch} × {config.patch}",
        f"{numbers} → {width:,} · {short_count(learned)}",
    )
    added = [
        DiagramBox(
            "pieces",
            "Patches",
            lines,
            "embedding",
            parameters=learned,
            note="each square of the picture, as one vector",
            source=VISION,
        )
    ]
    if config.pool == "first":
        added.insert(
            0,
            DiagramBox(
                "token",
                "Class token",
                (f"1 × {width:,}", short_count(width)),
                "embedding",
                joins="out",
                parameters=width,
                note="stands in front of the patches",
                source=VISION,
            ),
        )
    if config.has_positions:
        count = found["position"]
        added.append(
            DiagramBox(
                "positions",
                "Positions",
                (f"{count // width:,} learned", short_count(count)),
                "position",
                joins="out",
                parameters=count,
                source=VISION,
            )
        )
    embedded: list[DiagramPart] = [added[0]]
    if len(added) > 1:
        embedded = [
            BoxRow(tuple(added), "sum", wide=True),
            DiagramBox("embed_add", "+", form="sum", note="the class token in front, positions added", source=VISION),
        ]
    norm = DiagramBox(
        "norm",
        spelling.norm_name(stack.norm),
        (),
        "norm",
        "slim",
        source=NORMS,
        parameters=weights.norm(stack.norm, width),
    )
    answer = weights.linear(width, config.labels)
    pool = "of the class token" if config.pool == "first" else "of the mean"
    labels = DiagramBox(
        "labels",
        "Labels",
        (f"{width:,} → {config.labels:,} · {short_count(answer)}", pool),
        "output",
        parameters=answer,
        source=HEAD,
    )
    picture = DiagramBox("picture", f"picture of {config.size} × {config.size}", form="text")
    part = BoxColumn((picture, *embedded, drawn.part, *([norm] if stack.final_norm else []), labels), "encoder")
    facts = [*spelling.stack_facts(stack), *spelling.dropout_facts(stack, 0.0)]
    facts += [] if config.has_positions else ["no positions: a set of patches"]
    total = found.total()
    subtitle = f"Vision Transformer · {short_count(total)} parameters · width {width:,}"
    return Diagram(title, subtitle, part, drawn.wires, shares_of(found, "patches"), tuple(facts), parameters=total)


def glimpse_diagram(config: GlimpseConfig, title: str) -> Diagram:
    """Unrolled: a state decides where to look, sees a small square there, and becomes the next state."""
    found = weights.count_weights(config)
    columns: list[DiagramPart] = []
    wires: list[DiagramWire] = []
    for index in GLIMPSES:
        if index == "…":
            blanks = (DiagramBox(f"{part}.…", "…", form="blank") for part in ("where", "glimpse", "state"))
            columns.append(BoxColumn(tuple(blanks), joined=False))
            continue
        parts = (
            DiagramBox(
                f"where.{index}",
                "Where?",
                (),
                "attention",
                "slim",
                source=VISION,
                note="the state asks, every place answers; one is drawn by its chance",
            ),
            DiagramBox(
                f"glimpse.{index}",
                "Glimpse",
                (),
                "embedding",
                "slim",
                source=VISION,
                note="a small square of the picture, and where it is",
            ),
            DiagramBox(f"state.{index}", "GRU", (), "cell", "slim", source=VISION),
        )
        columns.append(BoxColumn(parts))
    for first, second in pairwise(GLIMPSES):
        wires.append(DiagramWire(f"state.{first}", f"state.{second}", "stream", "across"))
        wires.append(DiagramWire(f"state.{first}", f"where.{second}", "cross", "across", note="decides where to look"))
    frame = BoxFrame("glimpses", "Glimpses", BoxRow(tuple(columns)), f"× {config.glimpses}", source=VISION)
    labels = DiagramBox("labels", "Labels", (f"{config.width:,} → {config.labels:,}",), "output", source=VISION)
    wires.append(DiagramWire(f"state.{GLIMPSES[-1]}", "labels", "stream", "up"))
    total = found.total()
    return Diagram(
        title,
        f"Hard attention · {short_count(total)} parameters",
        BoxColumn((frame, labels), joined=False),
        tuple(wires),
        shares_of(found, "patches"),
        glimpse_facts(config),
        parameters=total,
    )


def glimpse_facts(config: GlimpseConfig) -> tuple[str, ...]:
    picture = f"picture of {config.size} × {config.size}: {config.size**2:,} places"
    return (picture, f"glimpses of {config.patch} × {config.patch}", f"state of {config.width:,}")

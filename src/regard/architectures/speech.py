"""A model that hears and writes, as a diagram."""

from regard.architectures import spelling, weights
from regard.architectures.blocks import NORMS, BlockStyle, draw_stack
from regard.architectures.shares import shares_of
from regard.architectures.stacks import answer, cross_wire, draw_side, side_column, side_facts, sum_box, tied
from regard.config import EmbeddedStackConfig, EmbeddingConfig, FeatureStackConfig, SpeechConfig
from regard.pictures.diagrams import BoxColumn, BoxRow, Diagram, DiagramBox, DiagramPart, DiagramWire
from regard.pictures.diagrams.numbers import short_count

SPEECH, FRAMES = "src/regard/models/speech.py", "src/regard/layers/frame_embedding.py"


def speech_diagram(config: SpeechConfig, title: str) -> Diagram:
    counts = weights.count_weights(config)
    hearer, hearer_wires = hearing_column(config.encoder)
    style = BlockStyle("decoder", is_causal=True, source_width=config.encoder.stack.width, side="right")
    writer = draw_side(config.decoder, style, "text so far", mirrored=True)
    right = side_column(writer, answer(config.output, None, config.decoder, "decoder"), "decoder")
    last = "encoder.norm" if config.encoder.stack.final_norm else "encoder.feed_forward_add"
    wires = (*hearer_wires, *writer.wires, cross_wire(last), *tied(config, "decoder", "right"))
    facts = tuple(dict.fromkeys([*spelling.stack_facts(config.encoder.stack), *side_facts(config.decoder)]))
    total = counts.total()
    subtitle = f"Hears and writes · {short_count(total)} parameters · width {config.decoder.stack.width:,}"
    part = BoxRow((hearer, right), "sides")
    return Diagram(title, subtitle, part, wires, shares_of(counts, "words and sound"), facts, parameters=total)


def hearing_column(side: FeatureStackConfig) -> tuple[BoxColumn, tuple[DiagramWire, ...]]:
    """Frames, convolutions, positions and blocks, from the bottom up."""
    stack, width = side.stack, side.stack.width
    drawn = draw_stack(EmbeddedStackConfig(EmbeddingConfig(1), stack), BlockStyle("encoder", is_causal=False))
    learned = weights.linear(3 * side.features, width) + weights.linear(3 * width, width)
    frames = DiagramBox(
        "encoder.words",
        "Convolutions",
        (f"3 × {side.features:,} → {width:,}", f"stride 2 · {short_count(learned)}"),
        "embedding",
        parameters=learned,
        note="three frames become a vector, and two vectors one",
        source=FRAMES,
    )
    fixed = side.max_positions * width
    positions = DiagramBox(
        "encoder.positions",
        "Positions",
        (f"{side.max_positions:,} sinusoids", short_count(fixed)),
        "position",
        joins="out",
        parameters=fixed,
        note="a vector for every position",
        source=SPEECH,
    )
    parts: list[DiagramPart] = [
        DiagramBox("encoder.input", f"sound, {side.features} numbers a frame", form="text"),
        BoxRow((frames, positions), "encoder.sum", wide=True),
        sum_box("encoder.embed_add"),
        drawn.part,
    ]
    if stack.final_norm:
        norm, name = weights.norm(stack.norm, width), spelling.norm_name(stack.norm)
        parts.append(DiagramBox("encoder.norm", name, (), "norm", "slim", parameters=norm, source=NORMS))
    return BoxColumn(tuple(parts), "encoder"), drawn.wires

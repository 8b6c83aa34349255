"""A masked aligner as a diagram: one of its two directions, which are alike."""

from regard.architectures import weights
from regard.architectures.shares import shares_of
from regard.architectures.spelling import plural
from regard.config import MaskedAlignerConfig
from regard.pictures.diagrams import BoxColumn, BoxFrame, BoxRow, Diagram, DiagramBox, DiagramPart, DiagramWire
from regard.pictures.diagrams.numbers import short_count

MODEL, HEADS = "src/regard/models/masked_aligner.py", "src/regard/layers/multihead.py"


def masked_aligner_diagram(config: MaskedAlignerConfig, title: str) -> Diagram:
    counts = weights.count_weights(config)
    stack, words = config.reader.stack, config.reader.embedding
    total = counts.total()
    table = f"{words.vocabulary:,} × {stack.width:,}"
    reader = BoxColumn(
        (
            DiagramBox("source", "other text", form="text"),
            DiagramBox("read", "Words and positions", (table,), "embedding", source=MODEL),
            DiagramBox(
                "encoder",
                "Encoder",
                (plural(stack.layers, "block"), f"{plural(stack.attention.heads, 'head')} each"),
                "attention",
                source="src/regard/models/embedded_stack.py",
            ),
            DiagramBox("nothing", "and nothing", ("one learned vector",), "position", source=MODEL),
        ),
        "reader",
    )
    parts: list[DiagramPart] = [DiagramBox("positions", "positions", form="text")]
    for layer in range(config.layers):
        is_last = layer == config.layers - 1
        parts.append(
            DiagramBox(
                f"words.{layer}",
                "Ask the other words",
                ("keys and values: the words themselves",),
                "attention",
                note="attention to every word of the text but the one that is guessed",
                source=HEADS,
            )
        )
        if is_last:
            note = "the only look at the other text: its weights are the alignment"
            parts.append(
                DiagramBox("cross", "Ask the other text", ("or nothing",), "attention", note=note, source=HEADS)
            )
        parts.append(
            DiagramBox(f"feed_forward.{layer}", "Feed forward", (f"{stack.feed_forward.width:,} wide",), "feed_forward")
        )
    parts += [
        DiagramBox("output", "Word scores", (f"the table of words · {table}",), "output", source=MODEL),
        DiagramBox("guess", "the word at each position", form="text"),
    ]
    frame = BoxFrame("side", "guesses", BoxColumn(tuple(parts), "guesser"), source=MODEL)
    subtitle = f"Masked aligner · two directions · {short_count(total)} parameters · width {stack.width:,}"
    return Diagram(
        title,
        subtitle,
        BoxRow((reader, frame), "whole"),
        (DiagramWire("nothing", "cross", side="left", kind="cross", note="keys and values"),),
        shares_of(counts),
        ("two such directions, one table of words", "words belong together where both look at each other"),
        parameters=total,
    )

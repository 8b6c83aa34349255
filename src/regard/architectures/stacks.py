"""Encoders, decoders and whole Transformers as diagrams."""

from regard.architectures import spelling, weights
from regard.architectures.blocks import NORMS, BlockStyle, StackDrawing, draw_stack, sublayers
from regard.architectures.shares import shares_of
from regard.config import (
    ClassificationHeadConfig,
    DecoderConfig,
    EmbeddedStackConfig,
    EncoderConfig,
    OutputConfig,
    SpeechConfig,
    TransformerConfig,
    XLConfig,
)
from regard.pictures.diagrams import BoxColumn, BoxRow, Diagram, DiagramBox, DiagramPart, DiagramWire
from regard.pictures.diagrams.diagram import Side
from regard.pictures.diagrams.numbers import short_count

EMBEDDING, OUTPUT = "src/regard/layers/embedding.py", "src/regard/layers/output.py"
HEAD, POSITIONS = "src/regard/layers/classification_head.py", "src/regard/positions"
POSITION_FILES = {"sinusoidal": "sinusoidal.py", "learned": "learned.py", "buckets": "buckets.py"}


def encoder_diagram(config: EncoderConfig, title: str) -> Diagram:
    side = config.encoder
    drawn = draw_side(side, BlockStyle("encoder", is_causal=False, side="right"), "text")
    heads = encoder_heads(config)
    return whole(
        config, title, "Encoder", [side], side_column(drawn, heads), [*drawn.wires, *tied(config, "encoder", "left")]
    )


def decoder_diagram(config: DecoderConfig, title: str) -> Diagram:
    side = config.decoder
    memory = config.memory if isinstance(config, XLConfig) else 0
    style = BlockStyle("decoder", is_causal=True, side="right", memory=memory)
    drawn = draw_side(side, style, "text so far")
    heads = answer(config.output, config.classify, side, "decoder")
    kind = "Decoder with a memory" if memory else "Decoder"
    wires = [*drawn.wires, *tied(config, "decoder", "left")]
    return whole(config, title, kind, [side], side_column(drawn, heads), wires)


def transformer_diagram(config: TransformerConfig, title: str) -> Diagram:
    width, source = config.decoder.stack.width, config.encoder.stack.width
    reader = draw_side(config.encoder, BlockStyle("encoder", is_causal=False), "source")
    style = BlockStyle("decoder", is_causal=True, source_width=width if config.bridge else source, side="right")
    writer = draw_side(config.decoder, style, "target so far", has_own_words=not config.shared, mirrored=True)
    above: list[DiagramPart] = [bridge_box(source, width)] if config.bridge else []
    left = side_column(reader, above, "encoder")
    right = side_column(writer, answer(config.output, None, config.decoder, "decoder"), "decoder")
    last = top_box(config.encoder, config.bridge)
    wires = [*reader.wires, *writer.wires, cross_wire(last), *tied(config, "decoder", "right")]
    return whole(config, title, "Transformer", [config.encoder, config.decoder], BoxRow((left, right), "sides"), wires)


def whole(
    config: EncoderConfig | DecoderConfig | TransformerConfig,
    title: str,
    kind: str,
    sides: list[EmbeddedStackConfig],
    part: DiagramPart,
    wires: list[DiagramWire],
) -> Diagram:
    """The diagram, with what is said above and below it."""
    counts = weights.count_weights(config)
    total = counts.total()
    widths = " and ".join(dict.fromkeys(f"{side.stack.width:,}" for side in sides))
    more = "" if weights.is_counted(config) else " and more"
    facts = list(dict.fromkeys(fact for side in sides for fact in side_facts(side)))
    tied_to = output_of(config)
    if tied_to is not None and tied_to.tied:
        facts.append("output tied to the words")
    subtitle = f"{kind} · {short_count(total)} parameters{more} · width {widths}"
    return Diagram(title, subtitle, part, tuple(wires), shares_of(counts), tuple(facts), parameters=total)


def side_facts(side: EmbeddedStackConfig) -> list[str]:
    facts = spelling.stack_facts(side.stack) + spelling.dropout_facts(side.stack, side.embedding.dropout)
    facts += spelling.bucket_facts(side.position)
    score, words = side.stack.attention.score, side.embedding
    own = words.embedding_width or side.stack.width
    if words.scale != 1:
        facts.append(f"words × {f'√{own}' if abs(words.scale - own**0.5) < 1e-6 else f'{words.scale:g}'}")
    if side.distances is not None:
        facts.append(f"{2 * side.distances.buckets} vectors of distances, compared with content in all layers")
    elif side.position.kind == "none" and (score is None or score.kind not in ("xl", "shaw", "location")):
        facts.append("no positions: a set")
    return facts


def draw_side(
    side: EmbeddedStackConfig, style: BlockStyle, source: str, *, has_own_words: bool = True, mirrored: bool = False
) -> StackDrawing:
    """Words, positions and blocks, from the bottom up, without what is asked of them."""
    stack, name = side.stack, style.name
    drawn = draw_stack(side, style)
    embedded = embedding_parts(side, name, has_own_words=has_own_words, mirrored=mirrored)
    parts: list[DiagramPart] = [DiagramBox(f"{name}.input", source, form="text"), *embedded, drawn.part]
    if stack.final_norm:
        learned = weights.norm(stack.norm, stack.width)
        parts.append(
            DiagramBox(
                f"{name}.norm", spelling.norm_name(stack.norm), (), "norm", "slim", parameters=learned, source=NORMS
            )
        )
    return StackDrawing(BoxColumn(tuple(parts), name), drawn.wires)


def side_column(drawn: StackDrawing, above: list[DiagramPart], name: str = "") -> BoxColumn:
    assert isinstance(drawn.part, BoxColumn)
    return BoxColumn((*drawn.part.parts, *above), name or drawn.part.name)


def embedding_parts(side: EmbeddedStackConfig, name: str, *, has_own_words: bool, mirrored: bool) -> list[DiagramPart]:
    """The table of words, what is added to it, and what is done to the sum; `mirrored`: words on the right."""
    words, width = side.embedding, side.stack.width
    own = words.embedding_width or width
    table = words.vocabulary * own if has_own_words else 0
    lines = [f"{words.vocabulary:,} × {own:,}", short_count(table) if has_own_words else "encoder's table"]
    added: list[DiagramPart] = [
        DiagramBox(
            f"{name}.words",
            "Words",
            tuple(lines),
            "embedding",
            parameters=table,
            note="a vector for every word",
            source=EMBEDDING,
        )
    ]
    if box := position_box(side, name):
        added.append(box)
    if words.segments:
        count = words.segments * own
        added.append(
            DiagramBox(
                f"{name}.segments",
                "Segments",
                (f"{words.segments} × {own:,}", short_count(count)),
                "embedding",
                joins="out",
                parameters=count,
                note="which of the sentences a word is in",
                source=EMBEDDING,
            )
        )
    added = added[::-1] if mirrored else added
    parts = added if len(added) == 1 else [BoxRow(tuple(added), f"{name}.sum", wide=True), sum_box(f"{name}.embed_add")]
    if words.norm:
        learned = weights.norm(side.stack.norm, own)
        title = spelling.norm_name(side.stack.norm)
        parts.append(DiagramBox(f"{name}.embed_norm", title, (), "norm", "slim", parameters=learned, source=NORMS))
    if words.embedding_width is not None:
        learned = weights.linear(own, width)
        parts.append(
            DiagramBox(
                f"{name}.widen",
                "Widen",
                (f"{own:,} → {width:,} · {short_count(learned)}",),
                "embedding",
                parameters=learned,
                source=EMBEDDING,
            )
        )
    return parts


def sum_box(name: str) -> DiagramBox:
    return DiagramBox(name, "+", form="sum", note="added number by number", source=EMBEDDING)


def position_box(side: EmbeddedStackConfig, name: str) -> DiagramBox | None:
    """Positions that are added to the words. Others enter in attention, and its box says so."""
    kind, settings = side.position.kind, side.position.settings
    if kind not in ("sinusoidal", "learned"):
        return None
    learned = weights.position(side.position)
    lines = (
        (f"{settings['length']:,} learned", short_count(learned))
        if kind == "learned"
        else ("sinusoidal", "not learned")
    )
    return DiagramBox(
        f"{name}.positions",
        "Positions",
        lines,
        "position",
        joins="out",
        parameters=learned,
        note="a vector for every position",
        source=f"{POSITIONS}/{POSITION_FILES[kind]}",
    )


def encoder_heads(config: EncoderConfig) -> list[DiagramPart]:
    """What is asked of an encoder: words, labels, whether sentences follow each other."""
    width = config.encoder.stack.width
    words = answer(config.output, None, config.encoder, "encoder")
    pooled: list[DiagramPart] = []
    uses_pooler = config.pooler is not None and (config.classify is None or config.classify.pool == "first")
    if uses_pooler:
        activation = spelling.activation_name(str(config.pooler))
        learned = weights.linear(width, width)
        lines = (f"first token · {activation}", short_count(learned))
        pooled.append(DiagramBox("pooler", "Pooler", lines, "output", parameters=learned, source=HEAD))
    pooled += label_boxes(config.classify, width)
    if config.follows:
        learned = weights.linear(width, 2)
        pooled.append(
            DiagramBox(
                "follows",
                "Follows?",
                (f"{width:,} → 2 · {short_count(learned)}",),
                "output",
                parameters=learned,
                note="whether one sentence follows the other",
                source=HEAD,
            )
        )
    if words and pooled:
        return [BoxRow((BoxColumn(tuple(words)), BoxColumn(tuple(pooled))), "heads")]
    return [*words, *pooled]


def answer(
    output: OutputConfig | None, classify: ClassificationHeadConfig | None, side: EmbeddedStackConfig, name: str
) -> list[DiagramPart]:
    """Scores of words, or of labels."""
    width, words = side.stack.width, side.embedding
    parts: list[DiagramPart] = []
    if output is not None:
        own = words.embedding_width or width
        inner = own if output.tied or output.transform else width
        if output.transform is not None:
            learned = weights.linear(width, inner, output.transform_bias) + weights.norm(side.stack.norm, inner)
            lines = (
                f"{spelling.activation_name(output.transform)}, {spelling.norm_name(side.stack.norm)}",
                f"{width:,} → {inner:,} · {short_count(learned)}",
            )
            parts.append(DiagramBox(f"{name}.transform", "Dense", lines, "output", parameters=learned, source=OUTPUT))
        dense = weights.linear(width, inner, output.transform_bias) + weights.norm(side.stack.norm, inner)
        learned = weights.output(output, side) - (dense if output.transform is not None else 0)
        more = [short_count(learned)] if learned else []
        more += ["table of words" if output.tied else "own table"]
        lines = (f"{inner:,} → {words.vocabulary:,}", " · ".join(more))
        parts.append(
            DiagramBox(
                f"{name}.output",
                "Word scores",
                lines,
                "output",
                parameters=learned,
                note="a score for every word; softmax makes chances of them",
                source=OUTPUT,
            )
        )
        parts.append(DiagramBox(f"{name}.softmax", "Softmax", (), "plain", "slim", note="scores become chances"))
        parts.append(DiagramBox(f"{name}.answer", "hidden words" if name == "encoder" else "next word", form="text"))
    return parts + label_boxes(classify, width)


def label_boxes(classify: ClassificationHeadConfig | None, width: int) -> list[DiagramPart]:
    if classify is None:
        return []
    learned = weights.classify(classify, width)
    pool = "each token" if classify.pool is None else f"{classify.pool} token" if classify.pool != "mean" else "mean"
    lines = (f"{width:,} → {classify.labels:,} · {short_count(learned)}", f"of the {pool}" if classify.pool else pool)
    return [DiagramBox("labels", "Labels", lines, "output", parameters=learned, source=HEAD)]


def output_of(config: EncoderConfig | DecoderConfig | TransformerConfig) -> OutputConfig | None:
    return config.output


def tied(
    config: EncoderConfig | DecoderConfig | TransformerConfig | SpeechConfig, name: str, side: Side = "right"
) -> list[DiagramWire]:
    """The dashed line from the words to the scores of words, where one table serves both."""
    if config.output is None or not config.output.tied:
        return []
    return [
        DiagramWire(
            f"{name}.words",
            f"{name}.output",
            "tied",
            "around",
            side,
            outside=name,
            has_head=False,
            note="the table of words scores words, too",
        )
    ]


def bridge_box(source: int, width: int) -> DiagramBox:
    learned = weights.linear(source, width)
    return DiagramBox(
        "bridge",
        "Bridge",
        (f"{source:,} → {width:,} · {short_count(learned)}",),
        "attention",
        parameters=learned,
        source="src/regard/models/transformer.py",
    )


def top_box(side: EmbeddedStackConfig, bridge: bool) -> str:
    """The last box of an encoder."""
    if bridge:
        return "bridge"
    if side.stack.final_norm:
        return "encoder.norm"
    last = sublayers(side.stack, crosses=False)[-1]
    if not side.stack.pre_norm and not side.stack.output_norm:
        return f"encoder.{last}_norm"
    return f"encoder.{last}_add" if side.stack.residual else f"encoder.{last}"


def cross_wire(last: str) -> DiagramWire:
    return DiagramWire(
        last, "decoder.cross", "cross", "over", outside="encoder", note="keys and values for every block of the decoder"
    )

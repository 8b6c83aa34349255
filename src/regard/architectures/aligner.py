"""A recurrent translator as a diagram, unrolled: what happens at one word stands beside what happens at the next."""

from itertools import pairwise

from regard.architectures import weights
from regard.architectures.shares import shares_of
from regard.architectures.spelling import CELL_NAMES, plural
from regard.config import MULTIHEAD, AlignerConfig
from regard.pictures.diagrams import BoxColumn, BoxFrame, BoxRow, Diagram, DiagramBox, DiagramPart, DiagramWire
from regard.pictures.diagrams.numbers import short_count

ALIGNER, RECURRENT = "src/regard/models/alignment.py", "src/regard/layers/recurrent.py"
LOOK, DEEP, OUTPUT = (
    "src/regard/layers/alignment_attention.py",
    "src/regard/layers/deep_output.py",
    "src/regard/layers/output.py",
)
READ, WRITTEN = ("1", "2", "…", "n"), ("t−1", "t", "t+1")
SUBSCRIPTS = str.maketrans("0123456789n−+t", "₀₁₂₃₄₅₆₇₈₉ₙ₋₊ₜ")
SCORES = {
    "additive": "additive",
    "bilinear": "general",
    "dot": "dot product",
    "cosine": "cosine",
    MULTIHEAD: "multi-head",
}


def aligner_diagram(config: AlignerConfig, title: str) -> Diagram:
    counts = weights.count_weights(config)
    reader, reader_wires = draw_reader(config, counts["reader"])
    writer, writer_wires = draw_writer(config, counts["writer"])
    wires = [*reader_wires, *writer_wires, *look_wires(config)]
    part = BoxColumn((reader, annotations_box(config, counts["attention"]), writer), "whole", joined=False)
    subtitle = f"Recurrent translator · {short_count(counts.total())} parameters · width {config.writes.width:,}"
    facts = tuple(aligner_facts(config))
    return Diagram(title, subtitle, part, tuple(wires), shares_of(counts), facts, parameters=counts.total())


def aligner_facts(config: AlignerConfig) -> list[str]:
    facts = ["one table of words for both sides"] if config.shared else []
    facts += ["the writer begins with what the reader remembers"] if config.begins else []
    facts += ["the last vector is read with the next word"] if config.feeding else []
    facts += ["output tied to the words"] if config.output.tied else []
    facts.append("each state reads the word written before it")
    return facts + ([f"dropout {config.dropout:g}"] if config.dropout else [])


def subscript(name: str, index: str) -> str:
    return name if index == "…" else f"{name}{index.translate(SUBSCRIPTS)}"


def cell(name: str, title: str, kind: str = "cell", note: str = "", source: str = RECURRENT) -> DiagramBox:
    form = "blank" if title == "…" else "slim"
    return DiagramBox(name, title, (), kind, form, note=note, source="" if title == "…" else source)


def draw_reader(config: AlignerConfig, learned: int) -> tuple[DiagramPart, list[DiagramWire]]:
    """Words, a row of cells each way, and an annotation for every word."""
    reads = config.reads
    columns, wires = [], []
    for index in READ:
        is_gap = index == "…"
        parts = [
            DiagramBox(f"x.{index}", subscript("x", index) if not is_gap else "…", form="text"),
            cell(
                f"read.{index}", "…" if is_gap else "→ ←", note="two cells, one that reads on and one that reads back"
            ),
        ]
        columns.append(BoxColumn(tuple(parts), joined=not is_gap))
    for first, second in pairwise(READ):
        wires.append(DiagramWire(f"read.{first}", f"read.{second}", "stream", "across", lift=-0.2))
        wires.append(DiagramWire(f"read.{second}", f"read.{first}", "stream", "across", lift=0.2))
    wires += [
        DiagramWire(f"read.{index}", "annotations", "stream", "up", note="both ways together")
        for index in READ
        if index != "…"
    ]
    name = CELL_NAMES.get(config.cell, config.cell)
    layers = f", {plural(reads.layers, 'layer')}" if reads.layers > 1 else ""
    frame = BoxFrame(
        "reader",
        f"Reader: {name} both ways, 2 × {reads.width:,}{layers}",
        BoxRow(tuple(columns)),
        count=short_count(learned),
        is_label_below=True,
        source=RECURRENT,
        note=f"{reads.vocabulary:,} words of {reads.embedding_width:,} numbers",
    )
    return frame, wires


def annotations_box(config: AlignerConfig, learned: int) -> DiagramBox:
    """What is looked at, and by which score."""
    align, width = config.align, config.narrow or 2 * config.reads.width
    lines = [f"{width:,} numbers for every source word"]
    if align is not None:
        heads = f"{plural(align.heads, 'head')} · " if align.heads > 1 else ""
        lines.append(f"{SCORES.get(align.score, align.score)} score · {heads}{short_count(learned)}")
        if align.local:
            lines.append(f"local: {align.local}, {align.reach} on each side")
    return DiagramBox(
        "annotations",
        "Annotations",
        tuple(lines),
        "attention",
        parameters=learned,
        stretched=True,
        source=LOOK,
        note="keys and values: the state asks, all annotations answer, and their weighted mean is read",
    )


def look_wires(config: AlignerConfig) -> list[DiagramWire]:
    """Who asks, and who reads what was found."""
    align = config.align
    if align is None:
        return [DiagramWire("annotations", f"write.{WRITTEN[0]}", "cross", "up", note="where the writer begins")]
    route = "up" if align.look == "before" else "beside"
    wires = [DiagramWire("annotations", f"look.{index}", "cross", route, note="keys and values") for index in WRITTEN]
    if align.look == "before":
        wires += [
            DiagramWire(f"write.{first}", f"look.{second}", "cross", "across", note="the state before asks")
            for first, second in pairwise(WRITTEN)
        ]
    return wires


def draw_writer(config: AlignerConfig, learned: int) -> tuple[DiagramPart, list[DiagramWire]]:
    """A state for every word that is written, and what is made of it."""
    writes, look = config.writes, config.align.look if config.align else None
    columns, wires = [], []
    for index in WRITTEN:
        asks = [cell(f"look.{index}", "look", "attention", "weights of all annotations, and their mean", LOOK)]
        parts = [*(asks if look == "before" else [])]
        parts.append(cell(f"write.{index}", subscript("s", index), "memory", "the writer's state"))
        parts += asks if look in ("after", "between") else []
        if look == "between":
            parts.append(cell(f"above.{index}", subscript("s′", index), "memory", "the second writer's state"))
        if config.deep:
            parts.append(cell(f"out.{index}", config.deep, "output", "state, word and what was found, bent", DEEP))
        parts.append(cell(f"scores.{index}", "scores", "output", "a score for every word", OUTPUT))
        parts.append(DiagramBox(f"y.{index}", subscript("y", index), form="text"))
        columns.append(BoxColumn(tuple(parts)))
    for first, second in pairwise(WRITTEN):
        wires.append(DiagramWire(f"write.{first}", f"write.{second}", "stream", "across"))
        if look == "between":
            wires.append(DiagramWire(f"above.{first}", f"above.{second}", "stream", "across"))
    if look == "after":
        wires += [
            DiagramWire(
                f"look.{index}",
                f"out.{index}" if config.deep else f"scores.{index}",
                side="right",
                is_fork=True,
                note="the state itself",
            )
            for index in WRITTEN
        ]
    name = CELL_NAMES.get(config.cell, config.cell)
    layers = f", {plural(writes.layers, 'layer')}" if writes.layers > 1 else ""
    frame = BoxFrame(
        "writer",
        f"Writer: {name}, {writes.width:,}{layers}",
        BoxRow(tuple(columns)),
        count=short_count(learned),
        note=f"{writes.vocabulary:,} words of {writes.embedding_width:,} numbers",
        source=RECURRENT,
    )
    return frame, wires

"""A memory network as a diagram: hops on top of each other, and the tables that stories are remembered by."""

from regard.architectures import weights
from regard.architectures.shares import shares_of
from regard.architectures.spelling import plural
from regard.config import MemoryNetworkConfig
from regard.pictures.diagrams import BoxColumn, BoxFrame, BoxRow, Diagram, DiagramBox, DiagramPart, DiagramWire
from regard.pictures.diagrams.numbers import short_count

MEMORY, HOP = "src/regard/models/memory.py", "src/regard/layers/memory_hop.py"
MOST = 4  # hops that are drawn one by one


def memory_diagram(config: MemoryNetworkConfig, title: str) -> Diagram:
    counts = weights.count_weights(config)
    hops = min(config.hops, MOST)
    hidden = config.hops - hops
    stream = hop_column(config, hops, hidden)
    tables, wires = table_column(config, hops)
    for hop in range(hops):
        past = "the state so far" + (", through a matrix" if config.projects else "")
        wires.append(DiagramWire(f"hop.{hop}", f"add.{hop}", side="right", is_fork=True, note=past))
    facts = [f"{plural(config.memories, 'sentence')} whose time is known" if config.memories else "knows no time"]
    facts.append("words in order" if config.max_words else "words in no order")
    facts += ["an empty memory beside the story"] if config.empty else []
    facts += [f"a matrix on the way past every hop: {short_count(counts['attention'])}"] if config.projects else []
    facts += [f"{config.copies} copies side by side"] if config.copies > 1 else []
    total = counts.total()
    subtitle = (
        f"Memory network · {plural(config.hops, 'hop')} · {short_count(total)} parameters · width {config.width:,}"
    )
    return Diagram(
        title,
        subtitle,
        BoxRow((tables, stream), "whole"),
        tuple(wires),
        shares_of(counts),
        tuple(facts),
        parameters=total,
    )


def hop_column(config: MemoryNetworkConfig, hops: int, hidden: int) -> BoxColumn:
    """The question goes up, and takes up what each hop found."""
    question = "Table 1" if config.tying == "adjacent" else "Table 3"
    answer = f"Table {config.hops + 1}" if config.tying == "adjacent" else "Table 4"
    size = f"{config.vocabulary:,} × {config.width:,}"
    parts: list[DiagramPart] = [
        DiagramBox("question", "question", form="text"),
        DiagramBox("embed", "Question vector", (f"sum of words · {question}",), "embedding", source=HOP),
    ]
    for hop in range(hops):
        if hidden and hop == hops - 1:
            parts.append(DiagramBox("more", f"{plural(hidden, 'more hop')}", form="text"))
        number = config.hops if hidden and hop == hops - 1 else hop + 1
        lines = ("match keys, read values",)
        parts.append(
            DiagramBox(
                f"hop.{hop}",
                f"Hop {number}",
                lines,
                "attention",
                source=HOP,
                note="attention with one query: the state so far; what it finds is added to it",
            )
        )
        parts.append(DiagramBox(f"add.{hop}", "+", form="sum", note="the state and what was found", source=MEMORY))
    parts.append(DiagramBox("output", "Word scores", (f"{answer} · {size}",), "output", source=MEMORY))
    parts.append(DiagramBox("answer", "answer", form="text"))
    return BoxColumn(tuple(parts), "hops")


def table_column(config: MemoryNetworkConfig, hops: int) -> tuple[BoxFrame, list[DiagramWire]]:
    """The tables by which the sentences of a story become keys and values, and which hop each serves."""
    each = config.copies * config.width
    learned = (config.vocabulary + config.memories) * each
    boxes: list[DiagramPart] = []
    wires: list[DiagramWire] = []
    shown = [*range(1, hops), config.hops]  # the numbers of the hops that are drawn
    if config.tying == "adjacent":
        for number in sorted({*shown, *(hop + 1 for hop in shown)}):
            uses = [f"values {number - 1}"] * (number - 1 in shown) + [f"keys {number}"] * (number in shown)
            boxes.append(table_box(f"table.{number}", number, ", ".join(uses), learned))
        for place, hop in enumerate(shown):
            wires += memory_wires(f"table.{hop}", f"table.{hop + 1}", f"hop.{place}")
    else:
        boxes += [
            table_box(f"table.{number}", number, f"{use} of every hop", learned)
            for number, use in ((1, "keys"), (2, "values"))
        ]
        for place in range(hops):
            wires += memory_wires("table.1", "table.2", f"hop.{place}")
    frame = BoxFrame(
        "tables",
        "story",
        BoxColumn(tuple(boxes), joined=False),
        is_label_below=True,
        source=MEMORY,
        note="every sentence of the story, as each of the tables has it",
    )
    return frame, wires


def table_box(name: str, number: int, uses: str, learned: int) -> DiagramBox:
    return DiagramBox(
        name,
        f"Table {number}",
        (uses, short_count(learned)),
        "memory",
        parameters=learned,
        note="a vector for every word, and for every time; a sentence is the sum of its words",
        source=MEMORY,
    )


def memory_wires(keys: str, values: str, hop: str) -> list[DiagramWire]:
    """Keys come in below, values above."""
    return [
        DiagramWire(keys, hop, "memory", "across", bend=0.5, lift=-0.2, note="keys"),
        DiagramWire(values, hop, "memory", "across", bend=0.75, lift=0.2, note="values"),
    ]

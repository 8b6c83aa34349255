"""Evaluating a text with a memory, against sliding a window over it: python bench/xl.py --help.

Both have the same weights, and every token sees as many tokens before it. With a memory the text is read once, in
segments; without one, every token is the last of a window of its own that is read from the beginning (Dai et al. 2019,
4.5), many windows at a time. They take turns in one run; how is told in measure.py. Nothing fails when a goal is
missed: a clock is no test.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

VOCABULARY = 65
LAYERS, WIDTH, HEADS = 4, 128, 4
SEGMENT = 64
GOAL = 20  # times faster
BUSY = 0.5  # processes that want a core before this one starts


def decoder(memory: int) -> Any:
    """A model of the size of recipes/shakespeare-xl.toml."""
    import torch

    from regard.models import (
        AttentionConfig,
        EmbeddedStackConfig,
        EmbeddingConfig,
        FeedForwardConfig,
        OutputConfig,
        ScoreConfig,
        StackConfig,
        TransformerXL,
        XLConfig,
    )

    torch.manual_seed(0)
    attention, inner = AttentionConfig(HEADS, score=ScoreConfig("xl")), FeedForwardConfig(4 * WIDTH, "gelu-tanh")
    stack = StackConfig(LAYERS, WIDTH, attention, inner, window=memory + 1 if memory else None)
    return TransformerXL(XLConfig(EmbeddedStackConfig(EmbeddingConfig(VOCABULARY), stack), OutputConfig())).eval()


def remembering(tokens: Any, memory: int) -> Callable[[], Any]:
    """The scores after every token, segment by segment."""
    import torch

    model = decoder(memory)

    @torch.no_grad()
    def run() -> Any:
        known, found = None, []
        for segment in tokens.split(SEGMENT, 1):
            x, known = model.read(segment, known)
            found.append(model.output(x))
        return torch.cat(found, 1)

    return run


def sliding(tokens: Any, memory: int, together: int) -> Callable[[], Any]:
    """The scores after every token that has as many before it, each from a window of its own."""
    import torch

    model = decoder(0)
    windows = tokens[0].unfold(0, memory + 1, 1)

    @torch.no_grad()
    def run() -> Any:
        return torch.cat([model.output(model.hidden(some)[:, -1]) for some in windows.split(together)])

    return run


@click.command()
@click.option("--memory", default=128, show_default=True, help="Tokens before its own that a token sees.")
@click.option("--tokens", default=2048, show_default=True, help="Tokens that are read with a memory.")
@click.option("--windows", default=256, show_default=True, help="Tokens that are read with a sliding window.")
@click.option("--together", default=32, show_default=True, help="Windows that are read at a time.")
@click.option("--repeat", default=7, show_default=True, help="Rounds.")
@click.option("--quick", is_flag=True, help="A short text, to try the program: the goal does not apply.")
@click.option("--json", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the rows here, too.")
def main(memory: int, tokens: int, windows: int, together: int, repeat: int, quick: bool, file: Path | None) -> None:
    """Measure what a memory saves on this machine."""
    import torch
    from measure import Spread, interleaved
    from report import Row, Table, load, machine, plain, show
    from rich.console import Console

    console = Console()
    if not console.is_terminal:  # a file can be as wide as the table
        console = Console(width=160)
    began, started_on = time.perf_counter(), machine()
    console.print(started_on, highlight=False)
    if load() > BUSY:
        console.print("[yellow]Others are at work on this machine: times below mean little.[/]")
    if quick:
        memory, tokens, windows, repeat = 32, 256, 32, 1
    text = torch.randint(0, VOCABULARY, (1, tokens), generator=torch.Generator().manual_seed(0))
    both = {
        "with a memory": remembering(text, memory),
        "sliding window": sliding(text[:, : windows + memory], memory, together),
    }
    times = interleaved(both, repeat)
    each = {"with a memory": tokens, "sliding window": windows}
    rows = [Row(name, Spread.of([1e6 * second / each[name] for second in times[name]]), "µs a token") for name in both]
    ratios = [
        (slow / windows) / (fast / tokens)
        for fast, slow in zip(times["with a memory"], times["sliding window"], strict=True)
    ]
    times_faster = Spread.of(ratios)
    rows.append(Row("share of the sliding window's time", Spread.of([1 / one for one in ratios]), "", 1 / GOAL))
    table = Table(f"a text read so that every token sees {memory} before it, segments of {SEGMENT}", rows)
    show(table, console)
    low, high = times_faster.low, times_faster.high
    console.print(f"{times_faster.median:.1f} times faster ({low:.1f} – {high:.1f}); at least {GOAL} wanted")
    console.print(f"{time.perf_counter() - began:.0f} s in all")
    if file:
        told = {"machine": started_on, "quick": quick, "faster": times_faster._asdict(), "table": plain(table)}
        file.write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()

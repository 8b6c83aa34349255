"""What attention costs with somebody looking, and without: python bench/attention.py --help.

Every promise about speed and memory is a row here, beside its goal, and beside a peer in the same run. Nothing
fails when a goal is missed: a clock is no test. How things are measured is told in measure.py.
"""

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click


@dataclass(frozen=True)
class Sizes:
    """How long the sequences are, and how many cells an overview has."""

    short: int = 16
    kernel: int = 1024
    watched: int = 4096
    long: int = 16384
    cells: int = 512
    textbook: int = 256
    training: int = 2048


os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler announces itself otherwise; read when torch is loaded

QUICK = Sizes(kernel=256, watched=512, long=1024, cells=128, textbook=128, training=512)
BUSY = 0.5  # processes that want a core before this one starts
SECONDS = 35  # for the looks at one mask, beside one round for memory


def parts(sizes: Sizes, repeat: int) -> dict[str, Callable]:
    """The parts by letter, each ready to run."""
    from parts import looks, memory, overhead, textbook, watching

    return {
        "a": lambda: overhead.table(sizes.short, sizes.kernel, repeat),
        "b": lambda: watching.table(sizes.watched, repeat),
        "c": lambda: memory.table(sizes.long),
        "d": lambda: looks.table(sizes.long, sizes.cells, repeat, SECONDS),
        "e": lambda: textbook.table(sizes.textbook, sizes.training, repeat),
    }


@click.command()
@click.option("--only", default="a,b,c,d,e", show_default=True, help="Parts to run.")
@click.option("--repeat", default=7, show_default=True, help="Rounds of every comparison; long ones stop early.")
@click.option("--quick", is_flag=True, help="Small sizes, to try the program: the goals do not apply.")
@click.option("--json", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the rows here, too.")
def main(only: str, repeat: int, quick: bool, file: Path | None) -> None:
    """Measure attention on this machine."""
    from report import load, machine, plain, show
    from rich.console import Console

    console = Console()
    if not console.is_terminal:  # a file can be as wide as the table
        console = Console(width=160)
    known = parts(QUICK if quick else Sizes(), repeat)
    chosen = [letter.strip() for letter in only.split(",")]
    if unknown := [letter for letter in chosen if letter not in known]:
        raise click.BadParameter(f"{unknown[0]!r}: parts are {', '.join(known)}", param_hint="--only")
    started_on = machine()
    console.print(started_on, highlight=False)
    if load() > BUSY:
        console.print("[yellow]Others are at work on this machine: times below mean little, memory is exact.[/]")
    found, began = {}, time.perf_counter()
    for letter in chosen:
        start = time.perf_counter()
        found[letter] = known[letter]()
        show(found[letter], console)
        console.print(f"[dim]{time.perf_counter() - start:.0f} s[/]\n")
    console.print(f"{time.perf_counter() - began:.0f} s in all")
    if file:
        rows = {letter: plain(table) for letter, table in found.items()}
        file.write_text(
            json.dumps({"machine": started_on, "quick": quick, "parts": rows}, indent=1, ensure_ascii=False)
        )


if __name__ == "__main__":
    main()

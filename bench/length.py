"""What attention costs by the length of the text, in full and in the ways that compare fewer pairs: --help.

Time and peak memory of one layer's attention, forward and with backward, from N = 1k to 64k: a table, four charts on
logarithmic axes, and the exponents, fitted over the upper half of the lengths. How things are measured is told in
measure.py. Nothing fails when a goal is missed: a clock is no test.
"""

import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler announces itself otherwise; read when torch is loaded

LENGTHS = tuple(1024 << power for power in range(7))
QUICK = tuple(256 << power for power in range(4))
HEADS, WIDTH = 2, 64
WINDOW, SLOTS = 256, 256
GOAL = 1.15  # the exponent of what is called linear
HELD_TO_IT = ("window", "linear")
BUSY = 0.5  # processes that want a core before this one starts
PASSES = ("forward", "with backward")

Curve = list[tuple[int, float]]


@dataclass(frozen=True)
class Contender:
    """A way for a length (None: full attention), and whether it only looks back, as all do that can."""

    way: Callable[[int], Any]
    is_causal: bool = True

    def call(self, length: int, backward: bool) -> Callable[[], Any]:
        import torch

        from regard.attention import Causal, attend

        torch.manual_seed(0)
        way = self.way(length)
        query, key, value = (torch.randn(1, HEADS, length, WIDTH, requires_grad=backward) for _ in range(3))
        key = query if way is not None and way.shares else key
        leaves = [query, value] if key is query else [query, key, value]
        mask = Causal() if self.is_causal else None

        def run() -> Any:
            with torch.set_grad_enabled(backward):
                found = attend(query, key, value, mask=mask, method=way)
                return torch.autograd.grad(found.sum(), leaves) if backward else found

        return run


def contenders() -> dict[str, Contender]:
    from regard.attention.efficient import LinearAttention, LowRankAttention, LSHAttention, WindowAttention

    return {
        "full": Contender(lambda length: None),
        "window": Contender(lambda length: WindowAttention(WINDOW)),
        "lsh": Contender(lambda length: LSHAttention(rounds=4, chunk=64)),
        "linear": Contender(lambda length: LinearAttention()),
        "low-rank": Contender(lambda length: LowRankAttention(length, min(SLOTS, length)), is_causal=False),
    }


def measured(
    lengths: Sequence[int], repeat: int, seconds: float, say: Callable[[str], None]
) -> tuple[dict[tuple[str, str, str], Curve], dict[tuple[str, str, str, int], Any]]:
    """For each contender, pass and measure ("time", "memory") its curve; and the spread of every time."""
    from measure import held, interleaved, scaled

    curves: dict[tuple[str, str, str], Curve] = {}
    spreads: dict[tuple[str, str, str, int], Any] = {}
    for length in lengths:
        for which in PASSES:
            calls = {name: each.call(length, which != "forward") for name, each in contenders().items()}
            times = interleaved(calls, repeat, seconds=seconds)
            for name, call in calls.items():
                spread = scaled(times, name, 1e3)
                spreads[name, which, "time", length] = spread
                curves.setdefault((name, which, "time"), []).append((length, spread.median))
                curves.setdefault((name, which, "memory"), []).append((length, held(call).peak))
            say(f"N = {length}, {which}: " + ", ".join(f"{name} {spreads[name, which, 'time', length].median:.0f} ms"
                                                       for name in calls))  # fmt: skip
    return curves, spreads


def exponent(curve: Curve) -> float:
    """The slope of the upper half of a curve on logarithmic axes, by least squares."""
    points = [(math.log(length), math.log(value)) for length, value in curve[len(curve) // 2 :]]
    across, up = (sum(each) / len(points) for each in zip(*points, strict=True))
    return sum((x - across) * (y - up) for x, y in points) / sum((x - across) ** 2 for x, _ in points)


def tables(curves: Mapping[tuple[str, str, str], Curve]) -> list[Any]:
    """The exponents beside their goals, and the numbers of the longest text."""
    from measure import Spread
    from report import Row, Table

    slopes, ends = [], []
    for (name, which, what), curve in curves.items():
        goal = GOAL if name in HELD_TO_IT else None
        unit = "ms" if what == "time" else "MiB"
        slopes.append(Row(f"{what}, {which}, {name}", Spread.of([exponent(curve)]), "", goal))
        ends.append(Row(f"{what}, {which}, {name}", Spread.of([curve[-1][1]]), unit))
    fitted = [length for length, _ in next(iter(curves.values()))]
    upper = fitted[len(fitted) // 2 :]
    return [
        Table(f"exponents, fitted from N = {upper[0]} to {upper[-1]}", slopes),
        Table(f"at N = {fitted[-1]}", ends),
    ]


def charts(curves: Mapping[tuple[str, str, str], Curve], folder: Path) -> list[Path]:
    """One picture for each measure and pass, each line named with its exponent."""
    from regard.pictures.chart import lines

    written = []
    for what, unit in (("time", "ms"), ("memory", "MiB")):
        for which in PASSES:
            series = {
                f"{name}: N^{exponent(curve):.2f}": curve
                for (name, passed, measure), curve in curves.items()
                if (passed, measure) == (which, what)
            }
            title = f"{what} of attention by length, {which}"
            path = folder / f"length-{what}-{which.split()[-1]}.svg"
            path.write_text(lines(series, log_x=True, log_y=True, title=title, x="length N", y=unit), encoding="utf-8")
            written.append(path)
    return written


@click.command()
@click.option("--repeat", default=5, show_default=True, help="Rounds of every length; long ones stop early.")
@click.option("--seconds", default=120.0, show_default=True, help="For the rounds of one length and pass.")
@click.option("--longest", default=LENGTHS[-1], show_default=True, help="The longest text.")
@click.option("--quick", is_flag=True, help="Short texts, to try the program: the goals do not apply.")
@click.option("--charts", "folder", type=click.Path(path_type=Path, file_okay=False), help="Write the SVG charts here.")
@click.option("--json", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the numbers here, too.")
def main(repeat: int, seconds: float, longest: int, quick: bool, folder: Path | None, file: Path | None) -> None:
    """Measure what length costs on this machine."""
    from report import load, machine, plain, show
    from rich.console import Console

    console = Console()
    if not console.is_terminal:  # a file can be as wide as the table
        console = Console(width=160)
    began, started_on = time.perf_counter(), machine()
    console.print(started_on, highlight=False)
    if load() > BUSY:
        console.print("[yellow]Others are at work on this machine: times below mean little, memory is exact.[/]")
    lengths = QUICK if quick else [length for length in LENGTHS if length <= longest]
    curves, spreads = measured(lengths, 1 if quick else repeat, seconds, lambda line: console.print(line, style="dim"))
    found = tables(curves)
    for table in found:
        show(table, console)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        for path in charts(curves, folder):
            console.print(str(path))
    if file:
        named = [dict(zip(("way", "pass", "measure"), key, strict=True)) | {"curve": curve}
                 for key, curve in curves.items()]  # fmt: skip
        times = [dict(zip(("way", "pass", "measure", "length"), key, strict=True)) | spread._asdict()
                 for key, spread in spreads.items()]  # fmt: skip
        told = {"machine": started_on, "quick": quick, "tables": [plain(table) for table in found]}
        file.write_text(json.dumps(told | {"curves": named, "times": times}, indent=1), encoding="utf-8")
    console.print(f"{time.perf_counter() - began:.0f} s in all")


if __name__ == "__main__":
    main()

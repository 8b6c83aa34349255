"""Decoding, ours against CTranslate2 and transformers: python bench/decoding.py --help.

One model of random weights for all, all with as many threads, taking turns in one run; how is told in
regard.tasks.benchmark. S has width 256 and 3 + 3 layers, B 512 and 6 + 6, both 16000 words; they read 20 tokens and
write exactly 32. gpt2 has the size of GPT-2-small and writes 128 tokens after 128. Nothing fails when a goal is
missed: a clock is no test.
"""

import json
import tempfile
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

MOST = 45  # seconds for the rounds of one case, after which the round that was begun is the last


def numbers(ctx: click.Context, param: click.Parameter, value: str) -> list[int]:
    """Numbers between commas."""
    try:
        found = [int(part) for part in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r}: numbers between commas expected, as in 1,64") from None
    if min(found) < 1:
        raise click.BadParameter(f"{value!r}: numbers from 1 on expected")
    return found


def cases(shape: str, batches: list[int], beams: list[int], quick: bool) -> list[Any]:
    """What is run with one model. A GPT-2 continues one prompt, greedily."""
    from regard.tasks.benchmark import Workload

    if shape == "gpt2":
        return [Workload(read=128, write=8 if quick else 128)]
    every = [Workload(batch, beam) for batch in batches for beam in beams]
    return [replace(case, batch=min(case.batch, 8), write=8) for case in every] if quick else every


def show(console: Any, shape: str, race: Any, wanted: list[Any], model: Any, bandwidth: Any) -> None:
    """One case as a table: speeds, goals, who wrote the same, and what memory allows."""
    from parts.bandwidth import read
    from parts.goals import FLOAT32, SHARE
    from report import number
    from rich.table import Table

    case = race.workload
    title = f"{shape}, {case.name}: {case.read} tokens read, {case.write} written"
    grid = Table(title=title, title_justify="left", title_style="bold")
    grid.add_column("")
    for column in ("tokens/s", "range", f"x {race.peer}", "range", "goals", "equal texts"):
        grid.add_column(column, justify="right", no_wrap=True)
    for name in race.seconds:
        rate, ratio = race.rate(name), race.ratio(name, race.peer)
        said = []
        for goal in (goal for goal in wanted if goal.name == name):
            speed = goal.speed(race)
            peer = goal.peers[0] if len(goal.peers) == 1 else "the faster peer"
            whom = "" if peer == race.peer else f" {peer}"
            met = "[dim]not run[/]" if speed is None else f"{speed.median:.2f} " + _met(speed.median >= goal.least)
            said.append(f"≥ {goal.least:g}{whom}: {met}")
        grid.add_row(
            name,
            number(rate.median),
            f"{number(rate.low)} – {number(rate.high)}",
            f"{ratio.median:.2f}",
            f"{ratio.low:.2f} – {ratio.high:.2f}",
            "\n".join(said),
            f"{race.agreement(name, race.peer):.0%}",
        )
    console.print(grid)
    for name, reason in race.failed.items():
        console.print(f"{name}: {reason}", highlight=False)
    if case.batch == case.beam == 1 and FLOAT32 in race.seconds:
        reached = read(model, case) * race.rate(FLOAT32).median / race.tokens
        share = reached / bandwidth.median
        said = f"{FLOAT32} reads {reached / 1e9:.1f} GB of weights a second, {share:.0%} of what memory gives"
        said += ": some stay in the cache" if share > 1 else ""
        said += f" (≥ {SHARE:.0%} would do, too: {_met(share >= SHARE)})" if wanted and shape != "gpt2" else ""
        console.print(said + "\n", highlight=False)


def _met(is_met: bool) -> str:
    return "[green]met[/]" if is_met else "[red]missed[/]"


def plain(shape: str, race: Any, wanted: list[Any]) -> dict[str, Any]:
    """One case as plain data."""
    reached = [(goal, goal.speed(race)) for goal in wanted]
    rows = [
        asdict(goal) | {"reached": speed and speed._asdict(), "met": speed and speed.median >= goal.least}
        for goal, speed in reached
    ]
    return {"shape": shape, **race.plain(), "goals": rows}


def drawing(found: list[tuple[str, Any, list[Any]]]) -> str:
    """The ratios of all cases as bars."""
    from parts.goals import PEER

    from regard.pictures import bars

    groups = {
        f"{shape}, {race.workload.name}": {name: race.ratio(name, PEER).median for name in race.seconds}
        for shape, race, _ in found
        if PEER in race.seconds
    }
    return bars.svg(groups, title=f"Tokens a second, {PEER} = 1", unit="x", mark=1.0)


@click.command()
@click.option("--case", "names", default="S,B,gpt2", show_default=True, help="Models to run.")
@click.option("--batch", "batches", default="1,64", show_default=True, callback=numbers, help="Texts at once.")
@click.option("--beam", "beams", default="1,4", show_default=True, callback=numbers, help="Beams; 1 is greedy.")
@click.option("--rounds", default=7, show_default=True, help=f"Rounds of a case; it ends early after {MOST} s.")
@click.option("--threads", default=2, show_default=True, help="Threads of everybody.")
@click.option("--json", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the numbers here, too.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw the ratios: an .svg file.")
@click.option("--quick", is_flag=True, help="Few tokens and two rounds, to try the program: no goal applies.")
def main(
    names: str,
    batches: list[int],
    beams: list[int],
    rounds: int,
    threads: int,
    file: Path | None,
    chart: Path | None,
    quick: bool,
) -> None:
    """Measure decoding on this machine, beside its peers."""
    import torch
    from parts.bandwidth import streaming
    from parts.goals import goals
    from report import load, machine
    from rich.console import Console

    from regard.errors import lookup
    from regard.tasks.benchmark import SHAPES, find_contenders, random_folder, run_benchmark

    console = Console()
    if not console.is_terminal:  # a file can be as wide as the table
        console = Console(width=160)
    shapes = {name: lookup(SHAPES, name, "case") for name in (part.strip() for part in names.split(","))}
    torch.set_num_threads(threads)
    began, told = time.perf_counter(), machine()
    console.print(told, highlight=False)
    if load() > 0.5:
        console.print("[yellow]Others are at work on this machine: times below mean little.[/]")
    bandwidth = streaming(64 if quick else 512)
    console.print(f"memory is read at {bandwidth.median / 1e9:.1f} GB/s with {threads} threads\n", highlight=False)
    found: list[tuple[str, Any, list[Any]]] = []
    missing: dict[str, str] = {}
    for name, shape in shapes.items():
        with tempfile.TemporaryDirectory(prefix="regard-bench-") as scratch:
            field = find_contenders(random_folder(shape, Path(scratch) / name), Path(scratch), threads)
        missing |= field.missing
        for case in cases(name, batches, beams, quick):
            ran = run_benchmark(field, case, rounds=2 if quick else rounds, seconds=MOST)
            found.append((name, ran, [] if quick else goals(name, case)))
            show(console, *found[-1], field.checkpoint.model, bandwidth)
    for name, reason in missing.items():
        console.print(f"{name} did not take part: {reason}", highlight=False)
    console.print(f"{time.perf_counter() - began:.0f} s in all", highlight=False)
    if file:
        parts = [plain(*ran) for ran in found]
        answer = {"machine": told, "quick": quick, "bandwidth": bandwidth._asdict(), "missing": missing}
        file.write_text(json.dumps(answer | {"parts": parts}, indent=1, ensure_ascii=False) + "\n")
    if chart:
        chart.write_text(drawing(found), encoding="utf-8")


if __name__ == "__main__":
    main()

"""`regard bench`: this machine against the peers that are installed."""

import json
from typing import TYPE_CHECKING

import click

from regard.cli.values import BEAMS, count

if TYPE_CHECKING:
    from regard.tasks.benchmark import BenchmarkResult


@click.command(context_settings={"show_default": True})
@click.option("--model", "-m", metavar="NAME", help="A folder, a built-in name or a Hugging Face id that writes.")
@click.option("--batch", type=count(4096), default=16, help="Texts at once, beside one alone.")
@click.option("--beam", type=BEAMS, default=4, help="Beams, beside greedy.")
@click.option("--threads", type=count(1024), help="Threads of everybody; as many as torch likes unless given.")
@click.option("--quick", is_flag=True, help="A tiny model and few tokens: seconds, to try it.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def bench(model: str | None, batch: int, beam: int, threads: int | None, quick: bool, as_json: bool) -> None:
    """Measure how fast this machine writes, beside transformers and CTranslate2 where they are installed.

    Everybody has the same weights, reads the same random tokens and writes equally many; they take turns, and
    medians are compared. Without --model a translator of random weights is made: width 256, 3 + 3 layers.

    \b
    regard bench
    regard bench --model my-folder --batch 64 --json
    """
    import tempfile
    from pathlib import Path
    from shutil import get_terminal_size

    import torch

    from regard.pictures import bars
    from regard.tasks.benchmark import SHAPES, Workload, find_contenders, random_folder, run_benchmark
    from regard.tasks.find import find

    shape = "tiny" if quick else "S"
    write, rounds = (8, 2) if quick else (32, 5)
    with tempfile.TemporaryDirectory(prefix="regard-bench-") as scratch:
        folder = find(model) if model else random_folder(SHAPES[shape], Path(scratch) / shape)
        field = find_contenders(folder, Path(scratch), threads or torch.get_num_threads())
    cases = dict.fromkeys(Workload(texts, beams, write=write) for texts in (1, batch) for beams in (1, beam))
    races = []
    for case in cases:
        races.append(run_benchmark(field, case, rounds=rounds, seconds=30))
        if not as_json:
            width = min(100, get_terminal_size().columns)
            rates = {name: races[-1].rate(name).median for name in races[-1].seconds}
            click.echo(f"{model or f'{shape}, random weights'}, {case.name}: {case.read} tokens in, {case.write} out")
            click.echo("\n".join(table(races[-1])))
            click.echo("\n" + bars.text({"": rates}, width=width, unit="tokens/s") + "\n")
    if as_json:
        setting = {"model": model, "shape": None if model else shape, "threads": torch.get_num_threads()}
        answer = setting | {"missing": field.missing, "races": [race.plain() for race in races]}
        click.echo(json.dumps(answer, ensure_ascii=False))
        return
    for name, reason in (field.missing | races[0].failed).items():
        click.echo(f"{name} did not take part: {reason}")


def table(race: "BenchmarkResult") -> list[str]:
    """The lines of one case."""
    rows = [["", "tokens/s", "range", f"x {race.peer}", "range", "same texts"]]
    for name in race.seconds:
        rate, ratio = race.rate(name), race.ratio(name, race.peer)
        speeds = [f"{rate.median:,.0f}", f"{rate.low:,.0f} – {rate.high:,.0f}"]
        ratios = [f"{ratio.median:.2f}", f"{ratio.low:.2f} – {ratio.high:.2f}"]
        rows.append([name, *speeds, *ratios, f"{race.agreement(name, race.peer):.0%}"])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]

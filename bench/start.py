"""How long a command takes from nothing to its answer, beside a bare `import numpy`: python bench/start.py.

All take turns, so that a machine that slows down slows all of them. Printed are the medians of the clock and of the
processor's time, that time over numpy's, and the largest resident set. This program itself loads nothing large: what a
child is counted with begins at what its parent had.
"""

import os
import statistics
import sys
import time
from typing import NamedTuple

import click

CONTENDERS = {
    'python -c "import numpy"': ["-c", "import numpy"],
    "regard --version": ["-m", "regard", "--version"],
    'regard translate "Where is the station?"': ["-m", "regard", "translate", "Where is the station?"],
    "regard translate --precision int8": ["-m", "regard", "translate", "--precision", "int8", "Where is the station?"],
    'regard generate -m shakespeare "My lord"': ["-m", "regard", "generate", "-m", "shakespeare", "My lord"],
    "the same translation, with torch": [
        "-c",
        "import regard; task = regard.load('en-de'); task.model; print(task('Where is the station?').text)",
    ],
}


class Run(NamedTuple):
    """Seconds on the clock and of the processor, and MB."""

    clock: float
    processor: float
    resident: float


def run(arguments: list[str]) -> Run:
    """One process, from nothing to its end."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    since = time.perf_counter()
    command = [sys.executable, *arguments]
    child = os.posix_spawn(sys.executable, command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, nothing, 1)])
    _, status, usage = os.wait4(child, 0)
    clock = time.perf_counter() - since
    os.close(nothing)
    if status:
        raise click.ClickException(f"{' '.join(arguments)} failed")
    return Run(clock, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


@click.command(context_settings={"show_default": True})
@click.option("--repeat", type=click.IntRange(1), default=15, help="Rounds.")
def main(repeat: int) -> None:
    """Print a table."""
    for arguments in CONTENDERS.values():
        run(arguments)  # what is compiled and cached is there
    runs: dict[str, list[Run]] = {name: [] for name in CONTENDERS}
    for _ in range(repeat):
        for name, arguments in CONTENDERS.items():
            runs[name].append(run(arguments))
    first = statistics.median(one.clock for one in next(iter(runs.values())))
    print("| | seconds | of the processor | times numpy's | MB resident |\n|---|---:|---:|---:|---:|")
    for name, own in runs.items():
        clock, processor = (statistics.median(getattr(one, field) for one in own) for field in ("clock", "processor"))
        resident = max(one.resident for one in own)
        print(f"| `{name}` | {clock:.2f} | {processor:.2f} | {clock / first:.1f} | {resident:.0f} |")


if __name__ == "__main__":
    main()

"""How long a command takes from nothing to its answer, beside a bare `import numpy`: python bench/start.py.

All take turns, so that a machine that slows down slows all of them. Printed are the medians of the clock and of the
processor's time, that time over numpy's, and the largest resident set. This program itself loads nothing large: what a
child is counted with begins at what its parent had. Then a server with both translators, once it has answered in both
directions: its resident set, and whether torch is in it. That is told from what the system says of it: on Linux.
"""

import json
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
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

SERVER = ["-m", "regard", "serve", "--json", "-m", "en-de", "-m", "de-en", "--port", "5007"]
TEXTS = {"Where is the station?": ("en", "de"), "Wo ist der Bahnhof?": ("de", "en")}


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


def serve() -> str:
    """What a server with both translators takes, as a row of the table."""
    since = time.perf_counter()
    with subprocess.Popen([sys.executable, *SERVER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout is not None
            base = json.loads(process.stdout.readline())["url"]
            for text, (source, target) in TEXTS.items():
                fields = {"q": text, "source": source, "target": target, "attention": {"alignment": True}}
                kind = {"content-type": "application/json"}
                with urllib.request.urlopen(
                    urllib.request.Request(f"{base}translate", json.dumps(fields).encode(), kind)
                ) as answer:
                    json.load(answer)
            clock, state = time.perf_counter() - since, Path(f"/proc/{process.pid}")
            most = next(line for line in (state / "status").read_text().splitlines() if line.startswith("VmHWM"))
            torch = "torch is loaded" if "/libtorch" in (state / "maps").read_text() else "no torch"
        finally:
            process.terminate()
    resident = int(most.split()[1]) / 1024
    return f"| `regard serve -m en-de -m de-en`, both asked: {torch} | {clock:.2f} | | | {resident:.0f} |"


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
    if sys.platform == "linux":
        serve()  # what it packs is there
        print(serve())


if __name__ == "__main__":
    main()

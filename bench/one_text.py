"""One text alone, this tree against another: python bench/one_text.py OTHER/src.

For a change that is paid for by every text, as looking whether weights have changed is. Two processes have loaded the
same model, each with its own regard; they take turns, text by text, and one waits while the other writes. Printed is
this tree's time over the other's: of the medians of all texts, of the medians of each race, and of the sums, which hold
what happens once a second.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import click

HERE = Path(__file__).resolve()
BATCH = 2  # texts between two turns


class Contender:
    """A process that writes when it is told to."""

    def __init__(self, source: Path, settings: list[str]) -> None:
        environment = {**os.environ, "PYTHONPATH": str(source.resolve())}
        command = [sys.executable, str(HERE), "--writes", *settings]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.where = self.told()

    def told(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise click.ClickException("a contender has ended early")
        return line.strip()

    def turn(self) -> list[list[float]]:
        """Seconds on the clock and of the processor, of each text."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.told())

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def write(name: str, tokens: int, beam: int, threads: int) -> None:
    """What a contender does: a few texts for every line that it reads."""
    import torch

    import regard
    from regard.decoding import decode
    from regard.engine import serve
    from regard.engine.steps import Engine

    torch.set_num_threads(threads)
    model = regard.load(name).model
    if not isinstance(serve(model, wait=True), Engine):
        raise click.ClickException("the engine does not serve")
    torch.manual_seed(0)
    source = torch.randint(10, 1000, (1, tokens)) if hasattr(model, "encoder") else None
    prefix = torch.ones(1, 1, dtype=torch.long)

    def one() -> list[float]:
        began, used = time.perf_counter(), time.process_time()
        decode(model, source, prefix=prefix, beam=beam, min_new_tokens=tokens, max_new_tokens=tokens)
        return [time.perf_counter() - began, time.process_time() - used]

    for _ in range(3 * BATCH):
        one()
    print(Path(regard.__file__).parent, flush=True)
    for _ in sys.stdin:
        one()  # caches are the other's until now
        print(json.dumps([one() for _ in range(BATCH)]), flush=True)


def race(this: Path, other: Path, settings: list[str], seconds: float) -> list[list[list[float]]]:
    """Times of both, in processes that are new: where one lies in memory makes it faster or slower by some percent."""
    both = [Contender(this, settings), Contender(other, settings)]
    times: list[list[list[float]]] = [[], []]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for which in (0, 1) if len(times[0]) // BATCH % 2 else (1, 0):
            times[which] += both[which].turn()
    for contender in both:
        contender.end()
    return times


@click.command()
@click.argument("other", type=click.Path(exists=True, path_type=Path), required=False)
@click.option("--this", type=click.Path(exists=True, path_type=Path), default=HERE.parents[1] / "src")
@click.option("--model", default="en-de", show_default=True)
@click.option("--tokens", default=12, show_default=True, help="Tokens that are read, and as many are written.")
@click.option("--beam", default=1, show_default=True)
@click.option("--threads", default=1, show_default=True)
@click.option("--races", default=8, show_default=True, help="Each with new processes.")
@click.option("--seconds", default=4.0, show_default=True, help="Of one race.")
@click.option("--writes", is_flag=True, hidden=True)
def main(
    other: Path | None,
    this: Path,
    model: str,
    tokens: int,
    beam: int,
    threads: int,
    races: int,
    seconds: float,
    writes: bool,
) -> None:
    """Time one text alone with this tree's regard, and with that of the folder OTHER."""
    if writes:
        return write(model, tokens, beam, threads)
    if other is None:
        raise click.UsageError("the src folder of another tree expected")
    numbers = {"model": model, "tokens": tokens, "beam": beam, "threads": threads}
    settings = [part for name, value in numbers.items() for part in (f"--{name}", str(value))]
    all_times = [race(this, other, settings, seconds) for _ in range(races)]
    texts = sum(len(mine) for mine, _ in all_times)
    click.echo(f"{model}, {tokens} tokens, beam {beam}, {threads} threads: {texts} texts each in {races} races")
    for number, what in enumerate(("clock", "processor")):
        seen = [[[text[number] for text in some] for some in times] for times in all_times]
        medians = sorted(statistics.median(mine) / statistics.median(theirs) for mine, theirs in seen)
        pooled = [statistics.median(time for times in seen for time in times[which]) for which in (0, 1)]
        sums = [sum(sum(times[which]) for times in seen) for which in (0, 1)]
        click.echo(
            f"{what:>9}: {pooled[0] / pooled[1]:.4f} of medians ({pooled[0] * 1e3:.2f} and {pooled[1] * 1e3:.2f} ms), "
            f"in the races {' '.join(f'{ratio:.3f}' for ratio in medians)}, {sums[0] / sums[1]:.4f} of sums"
        )


if __name__ == "__main__":
    main()

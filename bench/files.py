"""A big file through `regard translate`, against the engine alone: how much of its speed is left.

    python bench/files.py en-de --lines 4000
    taskset -c 0 python bench/files.py en-de --lines 100000 --beam 1

The engine alone gets all sentences as tokens, sorted by length, and gives tokens; the command reads lines, splits and
tokenises them, keeps what is protected, writes text. Both are timed in one process, in turns; what it takes to load the
model is taken off. "in processor time" is the same ratio where others use the machine, too. Lines per processor second
are what docs/serving.md reckons with: `--precision int8` or a beam of 1 make other figures of it.
"""

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).parents[1]


class Timer:
    """Seconds by the clock and of the processor."""

    def __enter__(self) -> "Timer":
        self.begins = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.clock, self.processor = time.perf_counter() - self.begins[0], time.process_time() - self.begins[1]


def engine_alone(task: Any, texts: list[str], beam: int, precision: str) -> Timer:
    """All sentences through the search, as tokens."""
    from regard.text.padding import batches

    config = task.generation_config(beam=beam, precision=precision)
    sentences = [part for text in texts for part in task.read(text).sentences if part.encoded]
    with Timer() as timer:
        for batch in batches([sentence.tokens for sentence in sentences]):
            task.decode_batch(batch, config, False, None, [()] * len(batch.rows))
    return timer


def command(model: str, texts: list[str], beam: int, options: tuple[str, ...]) -> Timer:
    """The same lines from one file to another."""
    from regard.cli.main import regard as command_line

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "source.txt", Path(folder) / "target.txt"
        source.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        arguments = ["-m", model, "--beam", str(beam), "--input", str(source), "--output", str(target), *options]
        with Timer() as timer:
            command_line(["translate", *arguments], standalone_mode=False)
        assert target.read_text(encoding="utf-8").count("\n") == len(texts)
    return timer


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("model", default="en-de")
@click.option("--data", type=click.Path(exists=True, path_type=Path), default=None, help="Lines to translate.")
@click.option("--lines", default=4000, show_default=True)
@click.option("--beam", default=4, show_default=True)
@click.option("--rounds", default=2, show_default=True)
@click.option("--no-protect", is_flag=True)
@click.option("--precision", default="float32", show_default=True)
def main(model: str, data: Path | None, lines: int, beam: int, rounds: int, no_protect: bool, precision: str) -> None:
    """Print the speed of MODEL on a file, and that of its engine alone."""
    import regard
    from regard.engine import serve
    from regard.text.lines import read_lines

    path = data or ROOT.parent / "shared/data/tatoeba-en-de/train.tsv.xz"
    column = 1 if model.startswith("de-") and path.name.endswith(".tsv.xz") else 0
    texts = [line.split("\t")[column] for line, _ in zip(read_lines(path), range(lines), strict=False)]
    task = regard.load(model, task="translate")
    serve(task.model, wait=True)
    options = ("--precision", precision, *(("--no-protect",) if no_protect else ()))
    nothing = command(model, texts[:1], beam, options)
    figures = []
    for _ in range(rounds):
        alone, whole = engine_alone(task, texts, beam, precision), command(model, texts, beam, options)
        figures.append(
            {
                "lines": len(texts),
                "engine alone, lines/s": round(len(texts) / alone.clock, 1),
                "command, lines/s": round(len(texts) / (whole.clock - nothing.clock), 1),
                "ratio": round(alone.clock / (whole.clock - nothing.clock), 3),
                "command, lines per processor second": round(len(texts) / (whole.processor - nothing.processor), 1),
                "ratio in processor time": round(alone.processor / (whole.processor - nothing.processor), 3),
            }
        )
        click.echo(json.dumps(figures[-1]))


if __name__ == "__main__":
    main()

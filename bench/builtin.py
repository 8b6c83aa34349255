"""The built-in translators beside CTranslate2 with the same weights: python bench/builtin.py --help.

Text in, text out, tokenisers included; all with as many threads, taking turns in one run. BLEU is sacreBLEU's with its
defaults, of the whole test set; speeds are of its first sentences, one at a time or many at once.
"""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

PRECISIONS = ("float32", "float16", "int8")
THEIRS = ("float32", "int8")
ROWS = 64
DATA = Path(__file__).parents[2] / "shared" / "data" / "tatoeba-en-de" / "test.tsv.xz"

Write = Callable[[list[str]], list[str]]


def ours(task: Any, precision: str, beam: int) -> Write:
    return lambda texts: [one.text for one in task(texts, beam=beam, precision=precision, split=False, protect=False)]


def theirs(folder: Path, precision: str, beam: int, threads: int) -> Write:
    import ctranslate2
    from tokenizers import Tokenizer

    program = ctranslate2.Translator(str(folder), compute_type=precision, inter_threads=1, intra_threads=threads)
    coder = Tokenizer.from_file(str(folder / "tokenizer.json"))
    penalty = json.loads((folder / "generation_config.json").read_text(encoding="utf-8"))["length_penalty"]

    def write(texts: list[str]) -> list[str]:
        read = [coder.encode(text).tokens for text in texts]
        found = program.translate_batch(
            read, beam_size=beam, length_penalty=penalty, max_decoding_length=127, max_batch_size=ROWS
        )
        return [coder.decode([coder.token_to_id(token) for token in one.hypotheses[0]]) for one in found]

    return write


@click.command()
@click.argument("model", default="en-de")
@click.option("--data", type=click.Path(exists=True, path_type=Path), default=DATA, help="Pairs to translate.")
@click.option("--swap", is_flag=True, help="From the second column to the first.")
@click.option("--beam", default=4, show_default=True)
@click.option("--threads", default=os.cpu_count(), show_default=True)
@click.option("--lines", default=256, show_default=True, help="Sentences that are timed, many at once.")
@click.option("--alone", default=32, show_default=True, help="Sentences that are timed one at a time.")
@click.option("--repeat", default=5, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(
    model: str, data: Path, swap: bool, beam: int, threads: int, lines: int, alone: int, repeat: int, as_json: bool
) -> None:
    """Speed and BLEU of MODEL in every precision."""
    import sacrebleu
    import torch
    from measure import Spread, interleaved
    from rich.console import Console
    from rich.table import Table

    import regard
    from regard.checkpoints.export import export
    from regard.engine import serve
    from regard.tasks.find import find
    from regard.text import pairs

    torch.set_num_threads(threads)
    read = list(pairs([data]))
    sources, references = ([pair[side] for pair in read] for side in ((1, 0) if swap else (0, 1)))
    task = regard.load(model)
    serve(task.model, wait=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = export(find(model), Path(scratch) / "model", "ctranslate2")
        writers = {f"regard {one}": ours(task, one, beam) for one in PRECISIONS}
        writers |= {f"CTranslate2 {one}": theirs(folder, one, beam, threads) for one in THEIRS}
        scores = {name: sacrebleu.corpus_bleu(write(sources), [references]).score for name, write in writers.items()}
        many = interleaved({name: lambda w=w: w(sources[:lines]) for name, w in writers.items()}, repeat)
        single = interleaved(
            {name: lambda w=w: [w([text]) for text in sources[:alone]] for name, w in writers.items()}, repeat
        )
    found = {
        name: {
            "bleu": scores[name],
            "many": Spread.of([min(lines, len(sources)) / seconds for seconds in many[name]]),
            "alone": Spread.of([min(alone, len(sources)) / seconds for seconds in single[name]]),
        }
        for name in writers
    }
    if as_json:
        plain = {name: row | {key: row[key]._asdict() for key in ("many", "alone")} for name, row in found.items()}
        click.echo(json.dumps({"model": model, "beam": beam, "threads": threads, "rows": plain}))
        return
    grid = Table(title=f"{model}, beam {beam}, {threads} threads, sentences a second", title_justify="left")
    for column in ("", "BLEU", f"{lines} at once", "one at a time"):
        grid.add_column(column, justify="right" if column else "left", no_wrap=True)
    for name, row in found.items():
        grid.add_row(name, f"{row['bleu']:.2f}", told(row["many"]), told(row["alone"]))
    Console().print(grid)


def told(spread: Any) -> str:
    return f"{spread.median:.1f} ({spread.low:.1f} – {spread.high:.1f})"


if __name__ == "__main__":
    main()

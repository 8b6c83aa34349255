"""A model without half of its heads, against the whole one: python bench/prune.py --help.

Heads are really cut out, so that the file is smaller and the model faster. Both have the same weights where they have
any in common. They take turns in one run: reading a batch, writing with the engine, and writing with PyTorch's own
step; how a time is taken is told in measure.py. Nothing fails when a goal is missed: a clock is no test.
"""

import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

BUSY = 0.5  # processes that want a core before this one starts
LAYERS, WIDTH, INNER, HEADS, VOCABULARY = 6, 512, 2048, 8, 8000


def translator() -> Any:
    """A translator of the size of Vaswani et al.'s base model, with fewer words."""
    import torch

    from regard.models import (
        AttentionConfig,
        EmbeddedStackConfig,
        EmbeddingConfig,
        FeedForwardConfig,
        OutputConfig,
        PositionConfig,
        StackConfig,
        Transformer,
        TransformerConfig,
    )

    torch.manual_seed(0)
    stack = StackConfig(
        LAYERS, WIDTH, AttentionConfig(HEADS), FeedForwardConfig(INNER), pre_norm=False, final_norm=False
    )
    position = PositionConfig("sinusoidal", {"width": WIDTH, "layout": "halves"})
    side = EmbeddedStackConfig(EmbeddingConfig(VOCABULARY, scale=WIDTH**0.5), stack, position)
    return Transformer(TransformerConfig(side, side, OutputConfig())).eval()


def size_of(model: Any) -> int:
    """Bytes of the file."""
    from regard.checkpoints import save_model

    with TemporaryDirectory() as folder:
        told = {"model_type": "marian", "max_position_embeddings": 512}
        return (save_model(model, Path(folder) / "model", told, "MarianMTModel") / "model.safetensors").stat().st_size


@click.command()
@click.option(
    "--keep", type=click.FloatRange(0, 1, min_open=True), default=0.5, show_default=True, help="Share of heads."
)
@click.option("--rows", default=16, show_default=True, help="Texts in a batch.")
@click.option("--length", default=64, show_default=True, help="Tokens of a text.")
@click.option("--repeat", default=9, show_default=True, help="Rounds.")
@click.option("--threads", "count", default=1, show_default=True, help="Threads of torch.")
@click.option("--quick", is_flag=True, help="Short texts and one round, to try the program.")
@click.option("--json", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the rows here, too.")
def main(keep: float, rows: int, length: int, repeat: int, count: int, quick: bool, file: Path | None) -> None:
    """Measure what taking heads out saves on this machine."""
    import torch
    from measure import Spread, interleaved, ratio, scaled, threads
    from report import Row, Table, load, machine, plain, show
    from rich.console import Console

    import regard
    from regard.decoding import decode
    from regard.looking import weakest
    from regard.looking.layer_names import LayerNames

    console = Console()
    if not console.is_terminal:  # a file can be as wide as the table
        console = Console(width=160)
    began, started_on = time.perf_counter(), machine()
    console.print(started_on, highlight=False)
    if load() > BUSY:
        console.print("[yellow]Others are at work on this machine: times below mean little.[/]")
    if quick:
        rows, length, repeat = 2, 16, 1
    whole = translator()
    scores = {place: torch.rand(HEADS) for place in LayerNames(whole).layers}
    models = {"whole": whole, "pruned": regard.prune(whole, weakest(whole, scores, keep))}
    source = torch.randint(3, VOCABULARY, (rows, length))
    start = torch.zeros(rows, 1, dtype=torch.long)

    @torch.no_grad()
    def read(model: Any) -> Any:
        return model(source, source)

    @torch.no_grad()
    def write(model: Any) -> Any:
        return decode(model, source, prefix=start, max_new_tokens=length // 2, min_new_tokens=length // 2)

    @torch.no_grad()
    def step_by_step(model: Any) -> Any:
        state, tokens = model.start(source), start
        for _ in range(length // 2):
            scores, state = model.step(state, tokens)
            tokens = scores[:, -1].argmax(-1, keepdim=True)
        return tokens

    sizes = {name: size_of(model) for name, model in models.items()}
    found = [Row(f"file, {name}", Spread.of([size / 1e6]), "MB") for name, size in sizes.items()]
    found.append(Row("file, pruned / whole", Spread.of([sizes["pruned"] / sizes["whole"]]), "", 1.0))
    jobs = {"reads a batch": read, "writes, by decode()": write, "writes, PyTorch's step": step_by_step}
    with threads(count):
        for what, job in jobs.items():
            turns = {name: lambda job=job, model=model: job(model) for name, model in models.items()}
            times = interleaved(turns, repeat)
            found += [Row(f"{what}, {name}", scaled(times, name, 1e3), "ms") for name in models]
            found.append(Row(f"{what}, pruned / whole", ratio(times, "pruned", "whole"), "", 1.0))
    heads = [
        sum(len(layer.split.remaining_heads) for layer in LayerNames(model).layers.values())
        for model in models.values()
    ]  # type: ignore[union-attr]
    title = f"{heads[1]} of {heads[0]} heads kept; {rows} texts of {length} tokens, {count} threads"
    table = Table(title, found)
    show(table, console)
    console.print(f"{time.perf_counter() - began:.0f} s in all")
    if file:
        told = {"machine": started_on, "quick": quick, "table": plain(table)}
        file.write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()

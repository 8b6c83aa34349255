"""The viewer at a length where nobody keeps the weights, and what it sends beside BertViz: --help.

A decoder of GPT-2-small's width with random weights reads a long text in a server of its own process: how much memory
that takes beyond the model, how long the overview of all heads takes beside the attention of the forward pass, how
quickly tiles of every zoom level come, and how far they are from what Pattern says. Nothing fails when a goal is
missed: a clock is no test.
"""

import http.client
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import click

HEADS, WIDTH, LAYERS, WORDS = 12, 768, 4, 1000
SHORT = (64, 128, 256)
GOALS = {"memory": 1.3, "overview": 1.3, "tile": 30.0, "difference": 1e-6, "task": 50.0, "paint": 500.0}
LENGTHS = (7_847, 32_768, 131_072)
SIDE = 256


def folder_of(length: int, folder: Path) -> Path:
    """A model with random weights and a tokeniser of numbered words."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers

    from regard.checkpoints.files import CONFIG
    from regard.checkpoints.save import save_model
    from regard.families import family_of
    from regard.families.options import Options
    from regard.models import build

    architecture = "GPT2LMHeadModel"
    config = {"model_type": "gpt2", "architectures": [architecture], "n_embd": WIDTH, "n_layer": LAYERS}
    config |= {"n_head": HEADS, "n_positions": length, "vocab_size": WORDS, "activation_function": "gelu_new"}
    family = family_of(config, str(folder))
    torch.manual_seed(0)
    model = build(family.read(Options(config, str(folder)), architecture))
    with torch.no_grad():  # as Radford et al. 2019 begin
        for parameter in model.parameters():
            if parameter.dim() == 2:
                parameter.normal_(std=0.02)
    save_model(model, folder, config, architecture)
    words = Tokenizer(models.WordLevel({f"w{number}": number for number in range(WORDS)}, unk_token="w0"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.save(str(folder / "tokenizer.json"))
    assert (folder / CONFIG).is_file()
    return folder


def text_of(length: int) -> str:
    import random

    drawn = random.Random(0)
    return " ".join(f"w{drawn.randrange(WORDS)}" for _ in range(length))


class Server:
    """A viewer in a process of its own."""

    def __init__(self, netloc: str, process: subprocess.Popen) -> None:
        self.netloc, self.process = netloc, process

    def get(self, path: str) -> bytes:
        connection = http.client.HTTPConnection(self.netloc, timeout=3600)
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        assert answer.status == 200, body
        return body

    def run(self, model: str, text: str) -> tuple[str, list[tuple[float, dict[str, Any]]]]:
        """The name of a finished run, and every line that was told on the way, with its time."""
        connection = http.client.HTTPConnection(self.netloc, timeout=3600)
        body = json.dumps({"model": model, "text": text, "max_new_tokens": 0})
        connection.request("POST", "/api/runs", body, {"content-type": "application/json"})
        answer, told = connection.getresponse(), []
        for line in answer:
            told.append((time.perf_counter(), json.loads(line)))
        connection.close()
        assert told[-1][1]["state"] == "done", told[-1]
        return told[-1][1]["run"], told

    def memory(self, what: str = "VmRSS") -> int:
        """Bytes, as the system counts them."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{what}:\s+(\d+) kB", status)[1]) * 1024  # type: ignore[index]

    def forget_peak(self) -> None:
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")


@contextmanager
def serving(folder: Path, core: set[int] | None = None) -> Iterator[Server]:
    """A server of the model in a folder, on some of the cores alone where they are given."""
    command = [sys.executable, "-m", "regard", "see", "--no-browser", "--json", "--model", str(folder)]
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, core or before)  # a child begins where its parent is, with all its threads
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        os.sched_setaffinity(0, before)
        try:
            assert process.stdout is not None
            yield Server(urlsplit(json.loads(process.stdout.readline())["url"]).netloc, process)
        finally:
            process.send_signal(2)


class TimedTile(NamedTuple):
    """One tile: where, how long it took, and its numbers."""

    head: dict[str, Any]
    seconds: float
    numbers: Any


def timed_tiles(server: Server, run: str, layer: dict[str, Any], per_level: int) -> Iterator[TimedTile]:
    """Tiles of every zoom level, drawn at random from those that are not all zero."""
    import random

    import numpy as np

    drawn = random.Random(1)
    for level in range(layer["levels"]):
        tiles = -(-layer["queries"] // (SIDE << level))
        for turn in range(per_level):
            row = drawn.randrange(tiles)
            column, head = drawn.randrange(row + 1), drawn.randrange(layer["heads"])
            how = ("mean", "max")[turn % 2]
            query = f"head={head}&level={level}&row={row}&column={column}&how={how}"
            began = time.perf_counter()
            body = server.get(f"/api/runs/{run}/tile?layer={quote(layer['name'])}&{query}")
            seconds = time.perf_counter() - began
            (length,) = struct.unpack("<I", body[4:8])
            told = json.loads(body[8 : 8 + length])
            numbers = np.frombuffer(body[8 + length :], "<f4").reshape(told["rows"], told["columns"])
            yield TimedTile(told, seconds, numbers)


def difference(tile: TimedTile, pattern: Any) -> float:
    """How far a tile is from the same region of the pattern."""
    import torch

    size, (_, _, queries, keys) = tile.head["cell"], pattern.shape
    first = [SIDE * size * tile.head[side] for side in ("row", "column")]
    ends = min(first[0] + SIDE * size, queries), min(first[1] + SIDE * size, keys)
    largest = 0.0
    for row in range(first[0], ends[0], max(size, 256)):  # a strip of whole cells at a time
        rows = slice(row, min(row + max(size, 256), ends[0]))
        found = pattern[0, tile.head["head"], rows, first[1] : ends[1]]
        cells = [
            [cell.max() if tile.head["how"] == "max" else cell.mean() for cell in line.split(size, 1)]
            for line in found.split(size, 0)
        ]
        expected = torch.tensor(cells) if size > 1 else found
        at = (row - first[0]) // size
        told = torch.from_numpy(tile.numbers[at : at + len(expected)].copy())
        largest = max(largest, float((told - expected).abs().max()))
    return largest


def attention_seconds(length: int, repeat: int = 2, threads: int | None = None) -> float:
    """The attention of one layer of the forward pass, watched, as the server runs it."""
    import torch

    from regard.attention import Causal, Tap, attend

    class Look(Tap):
        def see(self, pattern: Any) -> None:
            pass

    before = torch.get_num_threads()
    torch.set_num_threads(threads or before)
    query, key, value = torch.randn(3, 1, HEADS, length, WIDTH // HEADS).unbind()
    times = []
    with torch.no_grad():
        for _ in range(repeat):
            began = time.perf_counter()
            attend(query, key, value, mask=Causal(), taps=(Look(),))
            times.append(time.perf_counter() - began)
    torch.set_num_threads(before)
    return min(times)


def long_text(length: int, per_level: int, say: Any) -> list[Any]:
    """The table of the long text."""
    import torch
    from measure import MIB, Spread
    from report import Row

    import regard

    kept = 2 * LAYERS * length * WIDTH * 4
    with tempfile.TemporaryDirectory(prefix="regard-viewer-") as scratch:
        folder = folder_of(length, Path(scratch) / "decoder")
        text = text_of(length)
        with serving(folder) as server:
            server.run("decoder", text_of(64))
            before = server.memory()
            server.forget_peak()
            run, told = server.run("decoder", text)
            beyond, peak = server.memory() - before, server.memory("VmHWM") - before
            states: dict[str, list[float]] = {}
            for at, line in told:
                states.setdefault(line["state"], []).append(at)
            pooling = states["done"][0] - states["pooling"][0]
            say(f"{len(told)} lines of progress, {told[-1][0] - told[0][0]:.0f} s in all")
            layers = json.loads(server.get(f"/api/runs/{run}"))["layers"]
            tiles = list(timed_tiles(server, run, layers[-1], per_level))
            after = server.memory() - before
        attention = LAYERS * attention_seconds(length)
        task = regard.load(folder)
        ids = torch.tensor([task.tokenizer.encode(text).ids])
        with torch.no_grad(), regard.watch(task.model, layers[-1]["name"]) as seen:
            task.model.hidden(ids)
        pattern = seen[layers[-1]["name"]]
        checked = {tile.head["level"]: tile for tile in tiles}.values()  # one of each level
        far = [difference(tile, pattern) for tile in [*checked, *tiles[:per_level]]]
    rows = [
        Row("progress, lines", Spread.of([len(told)]), ""),
        Row("queries and keys kept", Spread.of([kept / MIB]), "MiB"),
        Row("memory beyond the model, after the run", Spread.of([beyond / kept]), "x kept", GOALS["memory"]),
        Row("memory beyond the model, after the tiles", Spread.of([after / kept]), "x kept", GOALS["memory"]),
        Row("memory beyond the model, at its peak", Spread.of([peak / kept]), "x kept"),
        Row("forward pass and reading", Spread.of([states["pooling"][0] - states["reading"][0]]), "s"),
        Row("attention of the forward pass", Spread.of([attention]), "s"),
        Row("overview beside it", Spread.of([pooling / attention]), "x", GOALS["overview"]),
    ]
    for level in range(layers[-1]["levels"]):
        times = [1e3 * tile.seconds for tile in tiles if tile.head["level"] == level]
        rows.append(Row(f"tile of level {level}", Spread.of(times), "ms", GOALS["tile"]))
    rows.append(Row("tile of any level", Spread.of([1e3 * tile.seconds for tile in tiles]), "ms", GOALS["tile"]))
    worst = Spread.of(far)
    rows.append(Row("largest difference from Pattern", worst._replace(median=worst.high), "", GOALS["difference"]))
    return rows


def bertviz() -> Any:
    """BertViz's head view, or why there is none."""
    try:
        from bertviz import head_view

        return head_view
    except ImportError as problem:
        return str(problem)


def short_texts(say: Any) -> list[Any]:
    """The table of bytes."""
    import torch
    from measure import Spread
    from report import Row

    import regard

    peer, rows = bertviz(), []
    if isinstance(peer, str):
        say(f"BertViz did not take part: {peer}")
    with tempfile.TemporaryDirectory(prefix="regard-viewer-") as scratch:
        folder = folder_of(max(SHORT), Path(scratch) / "decoder")
        task = regard.load(folder)
        with serving(folder) as server:
            page = server.get("/")
            files = [name.decode() for name in re.findall(rb'(?:src|href)="([^"]+)"', page)]
            code = len(page) + sum(len(server.get("/" + name.removeprefix("./").removeprefix("/"))) for name in files)
            rows.append(Row("the page itself, once", Spread.of([code / 1e3]), "kB"))
            for length in SHORT:
                text = text_of(length)
                run, _ = server.run("decoder", text)
                tile = f"/api/runs/{run}/tile?layer=decoder.0.self&head=0&level=0&row=0&column=0"
                sent = sum(len(server.get(path)) for path in (f"/api/runs/{run}", f"/api/runs/{run}/overview", tile))
                rows.append(
                    Row(f"{length} tokens: run, all heads small, one head exact", Spread.of([sent / 1e3]), "kB")
                )
                if isinstance(peer, str):
                    continue
                tokens = task.tokenizer.encode(text)
                with torch.no_grad(), regard.watch(task.model) as seen:
                    task.model.hidden(torch.tensor([tokens.ids]))
                weights = [seen[f"decoder.{layer}.self"].weights() for layer in range(LAYERS)]
                html = peer(weights, list(tokens.tokens), html_action="return").data
                rows.append(Row(f"{length} tokens: BertViz's head view", Spread.of([len(html.encode()) / 1e3]), "kB"))
    return rows


@click.command()
@click.option("--length", type=int, help=f"Tokens of the long text.  [default: {LENGTHS[1]}; in a browser {LENGTHS}]")
@click.option("--tiles", default=20, show_default=True, help="Tiles of every zoom level.")
@click.option(
    "--browser", "seconds", type=float, help="Open the page in chromium instead, and move the map for so many seconds."
)
@click.option(
    "--pictures", type=click.Path(path_type=Path, file_okay=False, exists=True), help="Keep the map as a picture here."
)
@click.option(
    "--layers", default=LAYERS, show_default=True, help="Of the decoder; each takes minutes at 131,072 tokens."
)
@click.option("--heads", default=HEADS, show_default=True, help="Of every layer, each 64 numbers wide.")
@click.option("--quick", is_flag=True, help="A short text, to try the program: the goals do not apply.")
@click.option("--json", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the numbers here, too.")
def main(
    length: int | None,
    tiles: int,
    seconds: float | None,
    pictures: Path | None,
    layers: int,
    heads: int,
    quick: bool,
    file: Path | None,
) -> None:
    """Measure the viewer on this machine."""
    import viewer  # the tables read it there: this file runs under another name

    shape = {"LAYERS": layers, "HEADS": heads, "WIDTH": 64 * heads}
    for module in (globals(), vars(viewer)):
        module.update(shape)
    from report import Table, machine, plain, show
    from rich.console import Console
    from viewer_tables import arriving, browsed

    console = Console()
    if not console.is_terminal:  # a file can be as wide as the table
        console = Console(width=160)
    console.print(machine(), highlight=False)
    tiles = 4 if quick else tiles

    def say(line: str) -> None:
        console.print(line, style="dim")

    def tables() -> Iterator[Any]:
        shape = f"{LAYERS} layers of width {WIDTH}, {HEADS} heads"
        if seconds is not None:
            yield Table("arrival, en-de", arriving())
            for each in (1024,) if quick else (length,) if length else LENGTHS:
                yield Table(f"map of {each} tokens, {shape}", browsed(each, seconds, tiles, pictures, say))
            return
        each = 1024 if quick else length or LENGTHS[1]
        yield Table(f"{each} tokens, {shape}", long_text(each, tiles, say))
        yield Table("bytes sent", short_texts(say))

    finished = []
    for table in tables():  # each is shown and kept as soon as it is there: the next may take an hour
        show(table, console)
        finished.append(plain(table))
        if file:
            content = {"machine": machine(), "quick": quick, "tables": finished}
            file.write_text(json.dumps(content, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

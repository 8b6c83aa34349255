"""What layers cost: each formula beside what torch counted and what the clock said.

    python bench/costs.py                 all tables
    python bench/costs.py --width 128 --lengths 128,256,512,1024
    python bench/costs.py --json costs.json

Multiplications are counted by torch's own counter, those of attention on softmax(Q Kᵀ) V written out, because it does
not look into the fused kernel, nor into recurrent nets (marked *). Contenders take turns; times are medians on one
thread.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import torch
import torch.nn.functional as F
from measure import Spread, Times, interleaved, ratio, threads
from report import machine, number
from rich.console import Console
from rich.table import Table as Grid
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from regard.attention import Causal, attend
from regard.layers import MultiHead

KERNEL, HEADS = 3, 8
Layer = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Kind:
    """A kind of layer: its formula in words and in numbers, and how many steps of it must wait for one another."""

    name: str
    formula: str
    multiplications: Callable[[int, int], float]
    steps: str
    make: Callable[[int], Layer]
    is_counted: bool = True
    is_fused: bool = False


def attention_alone(width: int) -> Layer:
    return lambda x: attend(*(x.unflatten(-1, (HEADS, -1)).transpose(1, 2) for _ in range(3)))


def recurrent(width: int) -> Layer:
    net = nn.GRU(width, width, batch_first=True)
    return lambda x: net(x)[0]


def convolution(width: int) -> Layer:
    net = nn.Conv1d(width, width, KERNEL, padding=KERNEL // 2)
    return lambda x: net(x.mT)


def separable(width: int) -> Layer:
    net = nn.Sequential(nn.Conv1d(width, width, KERNEL, padding=KERNEL // 2, groups=width), nn.Conv1d(width, width, 1))
    return lambda x: net(x.mT)


def feed_forward(width: int) -> Layer:
    return nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width))


KINDS = [
    Kind("attention: scores and sums", "2 n² d", lambda n, d: 2 * n * n * d, "1", attention_alone,
         is_fused=True),
    Kind("attention, projections too", "2 n² d + 4 n d²", lambda n, d: 2 * n * n * d + 4 * n * d * d, "1",
         lambda width: MultiHead(width, HEADS), is_fused=True),
    Kind("feed-forward, 4 d wide", "8 n d²", lambda n, d: 8 * n * d * d, "1", feed_forward),
    Kind("recurrent (GRU)", "6 n d²", lambda n, d: 6 * n * d * d, "n", recurrent, is_counted=False),
    Kind("convolution, k = 3", "k n d²", lambda n, d: KERNEL * n * d * d, "1", convolution),
    Kind("separable convolution, k = 3", "k n d + n d²", lambda n, d: KERNEL * n * d + n * d * d, "1", separable),
]  # fmt: skip


def counted(kind: Kind, layer: Layer, x: Tensor) -> float | None:
    """Multiplications that torch's counter saw."""
    if not kind.is_counted:
        return None
    with FlopCounterMode(display=False) as counter:
        layer(x)
        if kind.is_fused:
            heads = x.unflatten(-1, (HEADS, -1)).transpose(1, 2)
            (heads @ heads.mT).softmax(-1) @ heads
    return counter.get_total_flops() / 2


def layers(width: int, length: int, seconds: float) -> list[dict[str, Any]]:
    x, made = torch.randn(1, length, width), [(kind, kind.make(width)) for kind in KINDS]
    times = interleaved({kind.name: partial(layer, x) for kind, layer in made}, 50, seconds=seconds)
    return [
        {
            "layer": kind.name,
            "formula": kind.formula,
            "steps": kind.steps,
            "n": length,
            "d": width,
            "by formula": kind.multiplications(length, width),
            "counted": counted(kind, layer, x),
            "ms": 1e3 * Spread.of(times[kind.name]).median,
        }
        for kind, layer in made
    ]


def crossing(rows: list[dict[str, Any]], name: str) -> float | None:
    """The length at which a layer begins to take longer than the feed-forward one, between the lengths measured."""
    by_name = {(row["layer"], row["n"]): row["ms"] for row in rows}
    lengths = sorted({row["n"] for row in rows})
    excess = [(n, math.log(by_name[name, n] / by_name["feed-forward, 4 d wide", n])) for n in lengths]
    for (n, low), (m, high) in pairwise(excess):
        if low < 0 <= high:
            return math.exp(math.log(n) + (math.log(m) - math.log(n)) * -low / (high - low))
    return None


def comparisons(width: int, seconds: float) -> list[dict[str, Any]]:
    """Pairs of which a paper or a note says that one is dearer."""
    n, head = 512, width // HEADS
    query, key, value = torch.randn(3, 1, HEADS, n, head).unbind()
    x = torch.randn(1, n, width)
    gru, one, many = nn.GRU(width, width, batch_first=True), MultiHead(width, 1), MultiHead(width, HEADS)
    causal, short = MultiHead(width, HEADS), torch.randn(1, 128, width)

    def added() -> Tensor:
        weights = torch.tanh(query[..., :, None, :] + key[..., None, :, :]).sum(-1)  # Bahdanau's score, v = 1
        return weights.softmax(-1) @ value

    def prefixes() -> None:
        for end in range(1, 129):
            causal(short[:, :end], mask=Causal())

    pairs: list[tuple[str, str, Callable[[], Any], Callable[[], Any], int]] = [
        ("additive scores, dot products", "n² d tanh", added, lambda: attend(query, key, value), 12),
        ("recurrent, attention", "n steps that wait", lambda: gru(x), lambda: many(x), 50),
        (f"{HEADS} heads, one head", "the same products", lambda: many(x), lambda: one(x), 50),
        ("128 prefixes one by one, all at once", "n passes", prefixes, lambda: causal(short, mask=Causal()), 12),
    ]
    rows = []
    for what, why, dear, cheap, repeat in pairs:
        times: Times = interleaved({"dear": dear, "cheap": cheap}, repeat, seconds=seconds)
        rows.append({"what": what, "why": why, **ratio(times, "dear", "cheap")._asdict()})
    return rows


def reach(distance: int) -> list[dict[str, Any]]:
    """How many layers, or steps, until a token feels another one so far away: counted, by the gradient."""

    def feels(make: Callable[[int], Layer], most: int) -> int:
        for layers_needed in range(1, most + 1):
            x = torch.randn(1, distance + 1, 4, requires_grad=True)
            y = x
            for depth in range(layers_needed):
                y = make(depth)(y)
            (gradient,) = torch.autograd.grad(y[0, -1].sum(), x)
            if gradient[0, 0].abs().sum() > 0:
                return layers_needed
        return most

    def plain(_: int) -> Layer:
        return lambda x: F.conv1d(F.pad(x.mT, (KERNEL - 1, 0)), torch.ones(4, 4, KERNEL) / 8).mT

    def dilated(depth: int) -> Layer:
        step = KERNEL**depth
        return lambda x: F.conv1d(F.pad(x.mT, ((KERNEL - 1) * step, 0)), torch.ones(4, 4, KERNEL) / 8, dilation=step).mT

    def looks(_: int) -> Layer:
        layer = MultiHead(4, 1)
        return lambda x: layer(x, mask=Causal())

    rows = [
        ("recurrent", "n steps of one layer", distance, distance),
        (f"convolution, k = {KERNEL}", "n / (k - 1)", math.ceil(distance / (KERNEL - 1)), feels(plain, distance)),
        ("the same, dilated", "log_k (n + 1)", math.ceil(math.log(distance + 1, KERNEL)), feels(dilated, distance)),
        ("attention", "1", 1, feels(looks, distance)),
    ]
    return [dict(zip(("layer", "formula", "by formula", "counted"), row, strict=True)) for row in rows]


def show(console: Console, title: str, rows: list[dict[str, Any]]) -> None:
    grid = Grid(title=title, title_justify="left", title_style="bold")
    for name in rows[0]:
        grid.add_column(name, justify="left" if isinstance(rows[0][name], str) else "right")
    for row in rows:
        grid.add_row(*(cell(value) for value in row.values()))
    console.print(grid)


def cell(value: object) -> str:
    if value is None:
        return "*"
    return value if isinstance(value, str) else number(float(value)) if isinstance(value, int | float) else str(value)


@click.command()
@click.option("--width", default=256, show_default=True)
@click.option("--lengths", default="64,128,256,512,1024,2048,4096", show_default=True)
@click.option("--seconds", default=6.0, show_default=True, help="At most, for each row of contenders.")
@click.option("--json", "path", type=click.Path(dir_okay=False, path_type=Path), help="Write the numbers here, too.")
@torch.inference_mode()
def main(width: int, lengths: str, seconds: float, path: Path | None) -> None:
    """What layers cost: formula, count and clock."""
    console = Console(width=160)
    torch.manual_seed(0)
    with threads(1):
        console.print(machine())
        rows = [row for length in lengths.split(",") for row in layers(width, int(length), seconds)]
        show(console, f"One layer, width {width}", rows)
        alone, whole = (crossing(rows, name) for name in ("attention: scores and sums", "attention, projections too"))
        console.print(
            f"attention overtakes the feed-forward layer: scores and sums at n = 4 d = {4 * width} by formula, "
            f"{cell(alone)} by the clock; with its projections at n = 2 d = {2 * width}, {cell(whole)} by the clock"
        )
        compared = comparisons(width, seconds)
        show(console, "How many times as long", compared)
        with torch.inference_mode(False), torch.enable_grad():
            reached = reach(243)
        show(console, "Layers until a token feels another 243 before it", reached)
    if path:
        content = {
            "machine": machine(),
            "layers": rows,
            "crossings": [alone, whole],
            "ratios": compared,
            "reach": reached,
        }
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

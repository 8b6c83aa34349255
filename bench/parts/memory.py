"""(c) What a watched layer holds beyond the queries and keys themselves.

Every case has a process of its own with one thread, as many at a time as there are cores: memory does not mind a
busy machine, and long calls are over sooner. `python -m parts.memory CASE LENGTH count` is such a process: it calls
the layer once unwatched and once watched. With `unwatched` or `watched` in place of `count` it calls it only so, and
tells the peak of its resident set.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from measure import MIB, Held, Spread, held, resident
from report import Row, Table

import regard
from parts.tensors import HEADS, WIDTH
from regard.attention import SCORES, Causal, GraphMask, Mask, Padding, Window
from regard.layers import HeadSplit, MultiHead
from regard.positions import POSITIONS

GOAL = 40  # MiB
STREAM = HEADS * WIDTH

Case = Callable[[int], tuple[MultiHead, dict[str, Any]]]
"""For a length: a layer, and what it is called with beside the stream."""


def layer(compare: str | None = None, groups: int = HEADS) -> MultiHead:
    split = HeadSplit.of(STREAM, HEADS, kv_heads=groups)
    return MultiHead(STREAM, split, score=SCORES[compare](HEADS, WIDTH) if compare else None)


def neighbours(nodes: int, degree: int = 8) -> GraphMask:
    """Every node sees itself and some others at random."""
    others = torch.randint(nodes, (nodes, degree - 1), generator=torch.Generator().manual_seed(0))
    seen = torch.cat([torch.arange(nodes)[:, None], others], 1)
    edges = torch.stack([torch.arange(nodes).repeat_interleave(degree), seen.flatten()])
    return GraphMask(torch.sparse_coo_tensor(edges, torch.ones(edges.shape[1]), (nodes, nodes), check_invariants=True))


def causal_and_padding(length: int) -> Mask:
    return Causal() & Padding.from_lengths([length - length // 8], keys=length)


CASES: dict[str, Case] = {
    "none": lambda length: (layer(), {}),
    "Causal": lambda length: (layer(), {"mask": Causal()}),
    "Causal & Padding": lambda length: (layer(), {"mask": causal_and_padding(length)}),
    "Window(256)": lambda length: (layer(), {"mask": Window(256)}),
    "Graph": lambda length: (layer(), {"mask": neighbours(length)}),
    "ALiBi + Causal": lambda length: (layer(), {"mask": Causal(), "bias": POSITIONS["alibi"](HEADS).bias()}),
    "T5 buckets": lambda length: (layer(), {"bias": POSITIONS["buckets"](HEADS).bias()}),
    "Shaw": lambda length: (layer("shaw"), {}),
    "XL + Causal": lambda length: (layer("xl"), {"mask": Causal()}),
    "grouped heads": lambda length: (layer(groups=2), {}),
}
SLOW = ("Shaw", "T5 buckets", "XL + Causal", "ALiBi + Causal")  # begun first, so that no core is idle at the end
CHECKED = ("Causal", "Window(256)")  # by the resident set, too: one that fuses and one that goes in blocks


def table(length: int) -> Table:
    jobs = [(case, counted) for case in (*SLOW, *(case for case in CASES if case not in SLOW))]
    jobs += [(case, resided) for case in CHECKED if resident() is not None]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = dict(zip(jobs, pool.map(lambda job: job[1](job[0], length), jobs), strict=True))
    shown = [rows[case, counted] for case in CASES]
    shown += [rows[job] for job in jobs if job[1] is resided]
    shown.append(Row("dense weights would take", Spread.of([HEADS * length**2 * 4 / MIB]), "MiB"))
    return Table(f"(c) memory of watching beyond queries and keys, N = {length}", shown)


def counted(case: str, length: int) -> Row:
    kept, *both = in_own_process(case, length, "count")
    without, watched = (Held(*one) for one in both)
    after = f"; {watched.after - without.after:.1f} kept for looking"
    return row(f"watching, {case}", without.peak, watched.peak, kept, after)


def resided(case: str, length: int) -> Row:
    kept, without = in_own_process(case, length, "unwatched")
    _, watched = in_own_process(case, length, "watched")
    return row(f"the same by resident set, {case}", without, watched, kept)


def row(what: str, without: float, watched: float, kept: float, after: str = "") -> Row:
    note = f"{without:.0f} MiB unwatched, {watched:.0f} watched; queries and keys {kept:.0f}{after}"
    return Row(what, Spread.of([watched - without - kept]), "MiB", GOAL, note=note)


def in_own_process(case: str, length: int, how: str) -> list[Any]:
    # malloc gives large blocks back at once, so that the resident set follows what is really held.
    quiet = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "262144"} if how != "count" else {}
    done = subprocess.run(
        [sys.executable, "-m", "parts.memory", case, str(length), how],
        cwd=Path(__file__).parents[1],
        env=os.environ | quiet | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@torch.no_grad()
def main(case: str, length: int, how: str) -> list[Any]:
    """MiB of the queries and keys, then those of the calls."""
    torch.manual_seed(0)
    small, told = CASES[case](64)
    small(torch.randn(1, 64, STREAM), **told)  # what torch sets up once is not measured
    model, told = CASES[case](length)
    x = torch.randn(1, length, STREAM)
    kept = (HEADS + model.split.kv_heads) * length * WIDTH * 4 / MIB
    if how == "count":
        without = held(lambda: model(x, **told))
        with regard.watch(model):
            return [kept, without, held(lambda: model(x, **told))]
    with regard.watch(model) if how == "watched" else nullcontext():
        model(x, **told)
        return [kept, resident()]


if __name__ == "__main__":
    _, case, length, how = sys.argv
    print(json.dumps(main(case, int(length), how)))

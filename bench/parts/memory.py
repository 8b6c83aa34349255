"""(c) What a watched layer holds beyond the queries and keys themselves.

Every case runs twice, watched and not, each in a process of its own with one thread, as many at a time as there are
cores: memory does not mind a busy machine. `python -m parts.memory CASE LENGTH watched|unwatched count|resident` is
such a process; it runs the layer once and prints its peak.
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
from measure import MIB, Spread, peak, resident
from report import Row, Table

import regard
from parts.tensors import HEADS, WIDTH
from regard.attention import SCORES, Causal, Graph, Padding, Window
from regard.layers import MultiHead
from regard.layers.multihead import Split
from regard.positions import POSITIONS

GOAL = 40  # MiB
STREAM = HEADS * WIDTH

Case = Callable[[int], tuple[MultiHead, dict[str, Any]]]
"""For a length: a layer, and what it is called with beside the stream."""


def layer(compare: str | None = None, groups: int = HEADS) -> MultiHead:
    split = Split.of(STREAM, HEADS, groups=groups)
    return MultiHead(STREAM, split, compare=SCORES[compare](HEADS, WIDTH) if compare else None)


def neighbours(nodes: int, degree: int = 8) -> Graph:
    """Every node sees itself and some others at random."""
    others = torch.randint(nodes, (nodes, degree - 1), generator=torch.Generator().manual_seed(0))
    seen = torch.cat([torch.arange(nodes)[:, None], others], 1)
    edges = torch.stack([torch.arange(nodes).repeat_interleave(degree), seen.flatten()])
    return Graph(torch.sparse_coo_tensor(edges, torch.ones(edges.shape[1]), (nodes, nodes), check_invariants=True))


def causal_and_padding(length: int) -> Any:
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
    "XL": lambda length: (layer("xl"), {}),
    "grouped heads": lambda length: (layer(groups=2), {}),
}
CHECKED = ("Causal", "Window(256)")  # by the resident set, too: one that fuses and one that goes in blocks


def table(length: int) -> Table:
    jobs = [(case, length, "count") for case in sorted(CASES, key=slow_first)]
    jobs += [(case, length, "resident") for case in CHECKED if resident() is not None]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(jobs, pool.map(lambda job: beyond(*job), jobs), strict=True))
    rows = [row(f"watching, {case}", *found[case, length, "count"]) for case in CASES]
    for case in CHECKED:
        if (case, length, "resident") in found:
            rows.append(row(f"the same by resident set, {case}", *found[case, length, "resident"]))
    dense = Spread.of([HEADS * length**2 * 4 / MIB])
    rows.append(Row("dense weights would take", dense, "MiB"))
    return Table(f"(c) memory of watching beyond queries and keys, N = {length}", rows)


def slow_first(case: str) -> bool:
    return case in ("none", "Causal", "Causal & Padding", "Window(256)")


def row(what: str, beyond: float, kept: float, total: float) -> Row:
    note = f"queries and keys {kept:.0f} MiB, layer unwatched {total:.0f} MiB"
    return Row(what, Spread.of([beyond]), "MiB", GOAL, note=note)


def beyond(case: str, length: int, how: str) -> tuple[float, float, float]:
    """MiB of watching beyond queries and keys; those; and the unwatched peak."""
    without, kept = in_own_process(case, length, False, how)
    watched, _ = in_own_process(case, length, True, how)
    return watched - without - kept, kept, without


def in_own_process(case: str, length: int, watched: bool, how: str) -> tuple[float, float]:
    # malloc gives large blocks back at once, so that the resident set follows what is really held.
    quiet = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "262144", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "parts.memory", case, str(length), "watched" if watched else "unwatched", how]
    here = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=here, env=os.environ | quiet, stdout=subprocess.PIPE, text=True, check=True)
    most, kept = json.loads(done.stdout)
    return most, kept


@torch.no_grad()
def main(case: str, length: int, watched: bool, how: str) -> tuple[float, float]:
    """The peak of one call in MiB, and the size of its queries and keys."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    small, told = CASES[case](64)
    small(torch.randn(1, 64, STREAM), **told)  # what torch sets up once is not measured
    model, told = CASES[case](length)
    x = torch.randn(1, length, STREAM)
    with regard.watch(model) if watched else nullcontext():
        most = peak(lambda: model(x, **told)) if how == "count" else resident_after(lambda: model(x, **told))
    kept = (HEADS + model.split.groups) * length * WIDTH * 4 / MIB
    return most, kept


def resident_after(action: Callable[[], Any]) -> float:
    action()
    most = resident()
    assert most is not None
    return most


if __name__ == "__main__":
    _, case, length, watched, how = sys.argv
    print(json.dumps(main(case, int(length), watched == "watched", how)))

"""How a time and a peak of memory are taken, the same way for every row.

Times are of contenders that alternate inside one loop, so that a machine that slows down slows all of them; ratios
and differences are of the same round, then the median and the range over rounds.

Memory is counted, not guessed: torch.profiler reports every allocation and release of torch's allocator, and the
running sum has an exact peak, the same in every run and on a busy machine. What it cannot see is what torch's
libraries take behind its back (packed panels of a matrix product: kilobytes, the same watched or not). The resident
set sees that too, but is coarse: malloc keeps what was freed. It is therefore the second opinion, on fresh processes
only; and it is read from VmHWM, because ru_maxrss of a new process starts at what its parent had.
"""

import gc
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.profiler import ProfilerActivity, profile

MIB = 1 << 20

Action = Callable[[], Any]


class Spread(NamedTuple):
    """The median of some repetitions, and between which numbers all of them lie."""

    median: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        return cls(statistics.median(values), min(values), max(values), len(values))


Times = Mapping[str, list[float]]
"""Seconds of every round, for each contender."""


def interleaved(
    contenders: Mapping[str, Action], repeat: int, *, inner: int = 1, seconds: float = 60, warm: bool = True
) -> Times:
    """Let the contenders take turns, every other round in reverse; stop early, after a whole round, when time is up.

    `inner` calls are timed as one where a single one is too short for the clock.
    """
    times: dict[str, list[float]] = {name: [] for name in contenders}
    order = list(contenders.items())
    if warm:
        for _, action in order:
            action()
    gc.collect()
    began = time.perf_counter()
    for turn in range(repeat):
        for name, action in order if turn % 2 == 0 else order[::-1]:
            start = time.perf_counter()
            for _ in range(inner):
                action()
            times[name].append((time.perf_counter() - start) / inner)
        if time.perf_counter() - began > seconds:
            break
    return times


def scaled(times: Times, name: str, factor: float) -> Spread:
    """Times in another unit: 1e3 for milliseconds."""
    return Spread.of([factor * second for second in times[name]])


def ratio(times: Times, name: str, peer: str) -> Spread:
    """How many times as long as a peer, round by round."""
    return Spread.of([mine / other for mine, other in zip(times[name], times[peer], strict=True)])


def surplus(times: Times, name: str, peer: str, factor: float) -> Spread:
    """How much longer than a peer, round by round."""
    return Spread.of([factor * (mine - other) for mine, other in zip(times[name], times[peer], strict=True)])


def calls(action: Action, operator: str) -> int:
    """How often an operator of torch is called."""
    with profile(activities=[ProfilerActivity.CPU], acc_events=True) as profiler:
        action()
    return sum(event.name == operator for event in profiler.events())


class Held(NamedTuple):
    """MiB that torch held above what it held before: at most while something ran, and when it was done."""

    peak: float
    after: float


def held(action: Action) -> Held:
    """Count the memory of one call, its answer included."""
    gc.collect()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        answer = action()
    del answer
    results = profiler.profiler.kineto_results
    changes = [(event.start_ns(), event.nbytes()) for event in results.events() if event.name() == "[memory]"]
    level = most = 0
    for _, change in sorted(changes, key=lambda change: change[0]):
        level += change
        most = max(most, level)
    return Held(most / MIB, level / MIB)


def resident() -> float | None:
    """The most MiB that this process ever had in memory; None where the system does not say."""
    status = Path("/proc/self/status")
    if sys.platform != "linux" or not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


@contextmanager
def threads(count: int) -> Iterator[None]:
    """torch uses this many threads in here."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)

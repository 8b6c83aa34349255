"""Times of programs that take turns, so that a machine that slows down slows all of them."""

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

PAUSE = 0.05  # seconds for the threads of the last program to fall asleep: waiting, they would keep a core busy
SHORTEST = 0.2  # seconds; what is shorter is called several times and timed as one
LONG = 1.0  # seconds; what is longer, even with what is done only once, is not tried again before the first round


class Spread(NamedTuple):
    """The median of some repetitions, and between which numbers all of them lie."""

    median: float
    low: float
    high: float
    rounds: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        return cls(statistics.median(values), min(values), max(values), len(values))


def time_interleaved(
    actions: Mapping[str, Callable[[], object]], rounds: int, seconds: float, first: Mapping[str, float]
) -> dict[str, list[float]]:
    """Seconds that one call took, in every round; every other round goes in reverse.

    `first` is how long each took when it was called before, to warm up. Ends early, after a whole round, once so
    many seconds are gone.
    """
    calls = {name: 1 if first[name] > LONG else calls_for(action) for name, action in actions.items()}
    times: dict[str, list[float]] = {name: [] for name in actions}
    gc.collect()
    began = time.perf_counter()
    for turn in range(rounds):
        for name in list(actions) if turn % 2 == 0 else reversed(list(actions)):
            time.sleep(PAUSE)
            start = time.perf_counter()
            for _ in range(calls[name]):
                actions[name]()
            times[name].append((time.perf_counter() - start) / calls[name])
        if time.perf_counter() - began > seconds:
            break
    return times


def calls_for(action: Callable[[], object]) -> int:
    """How many calls are long enough for the clock."""
    start = time.perf_counter()
    action()
    return max(1, round(SHORTEST / (time.perf_counter() - start)))

"""What a service counts, in the text format that Prometheus reads."""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""The upper ends of the classes that requests are counted in by their time."""
COUNTERS = ("texts", "letters", "tokens")
"""Of each model."""


class ServiceMetrics:
    """Counts that only grow; gauges are read when they are asked for."""

    def __init__(self) -> None:
        self.lock: threading.Lock = threading.Lock()
        self.requests: Counter[tuple[str, int]] = Counter()
        self.texts: Counter[str] = Counter()
        self.letters: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()
        self.cancelled: int = 0
        self.seconds: list[int] = [0] * (len(SECONDS) + 1)
        self.total_seconds: float = 0.0

    def request(self, route: str, status: int, seconds: float) -> None:
        with self.lock:
            self.requests[route, status] += 1
            self.seconds[bisect_left(SECONDS, seconds)] += 1
            self.total_seconds += seconds

    def work(self, model: str, *, texts: int = 0, letters: int = 0, tokens: int = 0) -> None:
        """Texts that were answered, their letters, and the tokens that were written."""
        with self.lock:
            self.texts[model] += texts
            self.letters[model] += letters
            self.tokens[model] += tokens

    def abandon(self) -> None:
        """A request that its client left."""
        with self.lock:
            self.cancelled += 1

    def snapshot(self) -> dict[str, Any]:
        """All counts, as JSON has them."""
        with self.lock:
            return {
                "requests": [[route, status, count] for (route, status), count in self.requests.items()],
                **{name: dict(getattr(self, name)) for name in COUNTERS},
                "cancelled": self.cancelled,
                "seconds": list(self.seconds),
                "total_seconds": self.total_seconds,
            }

    def add(self, snapshot: Mapping[str, Any]) -> None:
        """Count what another has counted, too."""
        with self.lock:
            for route, status, count in snapshot["requests"]:
                self.requests[route, status] += count
            for name in COUNTERS:
                getattr(self, name).update(snapshot[name])
            self.cancelled += snapshot["cancelled"]
            self.seconds = [own + more for own, more in zip(self.seconds, snapshot["seconds"], strict=True)]
            self.total_seconds += snapshot["total_seconds"]

    def lines(self, gauges: Mapping[str, tuple[str, Mapping[str, float]]]) -> Iterator[str]:
        """All of it; `gauges` are numbers by model, each with what it means."""
        with self.lock:
            counters = (
                ("texts", "Texts that were answered.", self.texts),
                ("letters", "Letters of the texts that were answered.", self.letters),
                ("tokens", "Tokens that were written.", self.tokens),
            )
            yield from head("requests", "counter", "Requests by route and status.")
            for (route, status), count in sorted(self.requests.items()):
                yield f'regard_requests_total{{route="{escape(route)}",status="{status}"}} {count}'
            for name, meaning, values in counters:
                yield from head(name, "counter", meaning)
                yield from (f'regard_{name}_total{{model="{escape(key)}"}} {values[key]}' for key in sorted(values))
            yield from head("cancelled_requests", "counter", "Requests that their clients left.")
            yield f"regard_cancelled_requests_total {self.cancelled}"
            yield "# HELP regard_request_seconds Time to answer."
            yield "# TYPE regard_request_seconds histogram"
            total = 0
            for end, count in zip((*SECONDS, float("inf")), self.seconds, strict=True):
                total += count
                yield f'regard_request_seconds_bucket{{le="{"+Inf" if end == float("inf") else end}"}} {total}'
            yield f"regard_request_seconds_sum {self.total_seconds:.6f}"
            yield f"regard_request_seconds_count {total}"
        for name, (meaning, numbers) in gauges.items():
            yield f"# HELP regard_{name} {meaning}"
            yield f"# TYPE regard_{name} gauge"
            yield from (f'regard_{name}{{model="{escape(key)}"}} {numbers[key]:g}' for key in sorted(numbers))


def head(name: str, kind: str, meaning: str) -> Iterator[str]:
    yield f"# HELP regard_{name}_total {meaning}"
    yield f"# TYPE regard_{name}_total {kind}"


def escape(label: str) -> str:
    return label.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

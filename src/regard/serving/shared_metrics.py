"""Counts of all processes of a service together: each writes its own where the others read them."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from regard.serving.entries import Entries, MemoryEntries
from regard.serving.metrics import ServiceMetrics

SECONDS = 0.5  # after which others know of a count
MEANINGS = {
    "waiting_texts": "Sentences and prompts that wait or are written.",
    "batches": "Times that texts joined those that are written.",
    "batched_texts": "Sentences and prompts that joined.",
}
Gauges = Mapping[str, Mapping[str, float]]
"""Numbers that are so now: by name, and by model."""


class SharedMetrics:
    """What this process counts, and the sum with what others do. A process that takes the place of one that died counts
    on from where that was."""

    def __init__(self, own: ServiceMetrics, gauges: Callable[[], Gauges], entries: Entries, worker: int | str) -> None:
        self.own = own
        self.gauges = gauges
        self.entries = entries
        self.name: str = f"worker-{worker}"
        self.stopped: threading.Event = threading.Event()
        if (content := entries.get(self.name)) is not None:
            own.add(json.loads(content)["counts"])
        if not isinstance(entries, MemoryEntries):
            threading.Thread(target=self.tell, name="regard-metrics", daemon=True).start()

    def tell(self) -> None:
        """Write what was counted, as long as the process lives."""
        written = b""
        while not self.stopped.wait(SECONDS):
            content = self.content()
            if content != written:
                self.entries.put(self.name, content)
                written = content

    def content(self) -> bytes:
        return json.dumps({"counts": self.own.snapshot(), "gauges": self.gauges()}, default=dict).encode()

    def total(self) -> tuple[ServiceMetrics, dict[str, Counter[str]]]:
        """The counts of all, and their gauges added up; the own ones as they are now."""
        counts = ServiceMetrics()
        gauges: dict[str, Counter[str]] = {name: Counter() for name in MEANINGS}
        others = [self.entries.get(name) for name in self.entries.sizes() if name != self.name]
        for content in (self.content(), *others):
            if content is not None:
                told = json.loads(content)
                counts.add(told["counts"])
                for name, numbers in told["gauges"].items():
                    gauges[name].update(numbers)
        return counts, gauges

    def lines(self) -> Iterator[str]:
        counts, gauges = self.total()
        return counts.lines({name: (MEANINGS[name], numbers) for name, numbers in gauges.items()})

    def stop(self) -> None:
        self.stopped.set()

"""How far a run is, and whether anybody still waits for it."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torch import nn

from regard.attention import Pattern, Tap
from regard.decoding.step_model import StepModel
from regard.looking.layer_names import LayerNames
from regard.looking.watch import attach_taps
from regard.shapes import Stream
from regard.viewer.payload import RunState, RunStatus

OFTEN = 0.05  # seconds between two lines of the same state


class Cancelled(Exception):
    """Nobody waits any more."""


class Along:
    """Tells how far a run is, and stops it once it was cancelled: every word of it is asked through here."""

    def __init__(self, run: str, tell: Callable[[RunStatus], None]) -> None:
        self.run, self.tell = run, tell
        self.cancelled = threading.Event()
        self.last: tuple[RunState, float] = ("waiting", 0.0)

    def at(self, state: RunState, fraction: float = 0.0, text: str = "", tokens: list[str] | None = None) -> None:
        """A state, and how much of it is done."""
        if self.cancelled.is_set():
            raise Cancelled
        now = time.monotonic()
        if state == self.last[0] and now < self.last[1] + OFTEN and fraction < 1:
            return
        self.last = (state, now)
        self.tell(RunStatus(run=self.run, state=state, fraction=min(fraction, 1.0), text=text, tokens=tokens or []))


class Passing(Tap):
    """Counts layers and blocks as they are passed."""

    def __init__(self, along: Along, total: int) -> None:
        self.along, self.total, self.count = along, total, 0

    def see(self, pattern: Pattern) -> None:
        self.count += 1
        self.along.at("looking", self.count / self.total)

    def block_output(self, x: Stream) -> None:
        self.count += 1
        self.along.at("looking", self.count / self.total)


@contextmanager
def passing(model: nn.Module, along: Along) -> Iterator[None]:
    """One pass through the model, told layer by layer."""
    places = LayerNames(model)
    modules = dict.fromkeys([*places.layers.values(), *places.blocks.values()])
    tap = Passing(along, len(places.names))
    with attach_taps(dict.fromkeys(modules, tap)):
        yield


class Stepped:
    """A model that writes, told step by step. What a beam search writes is known at its end: only how far it is."""

    def __init__(self, steps: StepModel, along: Along, longest: int) -> None:
        self.steps, self.along, self.longest, self.count = steps, along, max(longest, 1), 0

    def start(self, source: Any, attention_mask: Any = None) -> Any:
        self.along.at("reading")
        return self.steps.start(source, attention_mask)

    def step(self, state: Any, tokens: Any, attention_mask: Any = None) -> Any:
        self.along.at("writing", self.count / self.longest)
        self.count += 1
        return self.steps.step(state, tokens, attention_mask)

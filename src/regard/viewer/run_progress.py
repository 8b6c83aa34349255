"""How far a run is, and whether anybody still waits for it."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from torch import nn

from regard.attention import Pattern, Tap
from regard.decoding import DecodeProgress, OnStep
from regard.freed_memory import release_memory
from regard.looking.layer_names import LayerNames
from regard.looking.watch import attach_taps
from regard.shapes import Stream
from regard.text import Tokenizer
from regard.viewer.payload import RunState, RunStatus
from regard.viewer.token_columns import TokenSpelling

OFTEN = 0.05  # seconds between two lines of the same state
TRIM = 0.5  # seconds between two times that freed memory goes back while a long text is read: it lies scattered


class Cancelled(Exception):
    """Nobody waits any more."""


class RunProgress:
    """Reports how far a run is, and stops it once it was cancelled: every step of it comes by here."""

    def __init__(self, run: str, report: Callable[[RunStatus], None]) -> None:
        self.run = run
        self.report = report
        self.cancelled: threading.Event = threading.Event()
        self.last: tuple[RunState, float] = ("waiting", 0.0)
        self.trimmed: float = time.monotonic()

    def at(self, state: RunState, fraction: float = 0.0, text: str = "", tokens: Sequence[str] = ()) -> None:
        """A state, and how much of it is done."""
        if self.cancelled.is_set():
            raise Cancelled
        now = time.monotonic()
        if state == self.last[0] and now < self.last[1] + OFTEN and fraction < 1:
            return
        self.last = (state, now)
        self.report(RunStatus(run=self.run, state=state, fraction=min(fraction, 1.0), text=text, tokens=list(tokens)))
        if now > self.trimmed + TRIM:
            release_memory()
            self.trimmed = time.monotonic()

    def writing(self, prefix: Sequence[int], tokenizer: Tokenizer) -> OnStep:
        """Reports what is written after some tokens, step by step. Of a beam search only how far it is."""
        spelling = TokenSpelling(prefix, tokenizer)
        texts: list[str] = []

        def on_step(step: DecodeProgress) -> None:
            if step.ids:
                texts.extend(spelling.add(number) for number in step.ids[0][len(texts) :])
            self.at("writing", step.fraction, "".join(texts), texts)

        self.at("writing")
        return on_step


class LayerProgress(Tap):
    """Counts layers and blocks as they are passed."""

    def __init__(self, progress: RunProgress, total: int) -> None:
        self.progress = progress
        self.total = total
        self.count: int = 0

    def see(self, pattern: Pattern) -> None:
        self.advance()

    def block_output(self, x: Stream) -> None:
        self.advance()

    def advance(self) -> None:
        self.count += 1
        self.progress.at("looking", self.count / self.total)


@contextmanager
def report_layers(model: nn.Module, progress: RunProgress, calls: int = 1) -> Iterator[None]:
    """One pass through the model, reported layer by layer; each is called once, or so many times."""
    names = LayerNames(model)
    modules = dict.fromkeys([*names.layers.values(), *names.blocks.values()])
    tap = LayerProgress(progress, calls * len(names.names))
    progress.at("looking")
    with attach_taps(dict.fromkeys(modules, tap)):
        yield

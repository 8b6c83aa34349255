"""How it is going: a bar on a terminal, lines elsewhere."""

import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Say = Callable[[str], None]


@runtime_checkable
class TrainingReport(Protocol):
    """Told what happens."""

    def say(self, line: str) -> None: ...
    def step(self, step: int, values: Mapping[str, float]) -> None: ...
    def scores(self, step: int, values: Mapping[str, float]) -> None: ...
    def close(self) -> None: ...


class SilentReport:
    """Says nothing: every process but the first."""

    def say(self, line: str) -> None: ...
    def step(self, step: int, values: Mapping[str, float]) -> None: ...
    def scores(self, step: int, values: Mapping[str, float]) -> None: ...
    def close(self) -> None: ...


class LineReport:
    """One line now and then, at most one every few seconds."""

    def __init__(self, steps: int, every: float = 10.0) -> None:
        self.steps = steps
        self.every = every
        self.spoke: float = 0.0

    def say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    def step(self, step: int, values: Mapping[str, float]) -> None:
        if time.monotonic() - self.spoke >= self.every or step == self.steps:
            self.spoke = time.monotonic()
            self.say(f"step {step}/{self.steps}  {format_values(values)}")

    def scores(self, step: int, values: Mapping[str, float]) -> None:
        self.say(f"step {step}/{self.steps}  valid  {format_values(values)}")

    def close(self) -> None: ...


class BarReport:
    """A bar with loss, score, speed and time left."""

    bar: "Progress"
    task: "TaskID"
    score: str

    def __init__(self, steps: int, done: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.bar = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=Console(stderr=True),
            speed_estimate_period=300,
        )
        self.task = self.bar.add_task("", total=steps, completed=done)
        self.score = ""
        self.bar.start()

    def say(self, line: str) -> None:
        self.bar.console.print(line, markup=False, highlight=False)

    def step(self, step: int, values: Mapping[str, float]) -> None:
        self.bar.update(self.task, completed=step, description=f"{format_values(values)}{self.score}")

    def scores(self, step: int, values: Mapping[str, float]) -> None:
        self.score = f"  valid {format_values(values)}"
        self.say(f"step {step}{self.score}")

    def close(self) -> None:
        self.bar.stop()


def make_report(steps: int, done: int = 0) -> TrainingReport:
    """What fits where one looks at it."""
    return BarReport(steps, done) if sys.stderr.isatty() else LineReport(steps)


def format_values(values: Mapping[str, float]) -> str:
    """ "loss 3.214  rate 0.0005": what a person wants to read."""
    parts = []
    for key, value in values.items():
        if isinstance(value, float):
            value = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
        parts.append(f"{key} {value}")
    return "  ".join(parts)

"""Being told to stop."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STOPS = (signal.SIGTERM, signal.SIGINT)


class Stopped(Exception):
    """Raised between two pieces of work, once somebody has asked."""


class StopRequest:
    """Whether somebody has asked to stop."""

    def __init__(self) -> None:
        self.signal_number: int | None = None


@contextmanager
def catch_stop_signals() -> Iterator[StopRequest]:
    """SIGTERM and Ctrl-C are remembered, not obeyed at once; a Ctrl-C after that is.

    A second SIGTERM changes nothing: under torchrun one may come from whoever stops the job, and one from torchrun.
    """
    stop = StopRequest()

    def remember(number: int, frame: FrameType | None) -> None:
        stop.signal_number = number
        signal.signal(signal.SIGINT, before[signal.SIGINT])

    try:
        before = {number: signal.signal(number, remember) for number in STOPS}
    except ValueError:  # not the main thread: nobody can send it anything
        yield stop
        return
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

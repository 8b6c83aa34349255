"""Where somebody can look, and who is looking."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from regard.attention.pattern import Pattern
from regard.shapes import Stream


class Tap:
    """Somebody at a layer: edits first, then everybody sees what was really used."""

    def edit(self, pattern: Pattern) -> Pattern:
        """Before the kernel: another pattern, or the same."""
        return pattern

    def see(self, pattern: Pattern) -> None:
        """After it, log-sum-exp filled in."""

    def passed(self, x: Stream) -> None:
        """What a block put out."""


Taps = tuple[Tap, ...]

_here: ContextVar[frozenset[Tap]] = ContextVar("taps that are active in this context", default=frozenset())


@contextmanager
def active(*taps: Tap) -> Iterator[None]:
    """These taps are at work here: in this thread or task, until the block ends."""
    token = _here.set(_here.get() | set(taps))
    try:
        yield
    finally:
        _here.reset(token)


def at_work(taps: Taps) -> Taps:
    """Those of a layer's taps that are active here; another thread's are not."""
    here = _here.get()
    return tuple(tap for tap in taps if tap in here)

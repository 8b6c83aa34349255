"""Where somebody can look, and who is looking."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from torch import Tensor

from regard.attention.pattern import Pattern
from regard.shapes import Stream


class Tap:
    """Somebody at a layer: edits first, then everybody sees what was really used."""

    keeps_graph: bool = False  # gradients are asked of what it is shown at a site
    asks_tokens: bool = False  # what it does at a site depends on the tokens of the text

    def edit(self, pattern: Pattern) -> Pattern:
        """Before the kernel: another pattern, or the same."""
        return pattern

    def records(self) -> list[dict[str, object]] | None:
        """What `edit` does, as data, for an engine that makes no patterns; None: it cannot be told."""
        return None

    def text_length(self, tokens: int) -> None:
        """A text that is written has so many tokens: for those whom an engine, which makes no patterns, passes by."""

    def see(self, pattern: Pattern) -> None:
        """After it, log-sum-exp filled in."""

    def block_output(self, x: Stream) -> None:
        """What a block put out."""

    def wants(self, site: str) -> bool:
        """Whether there is anything to do at a site now."""
        return True

    def change(self, site: str, x: Tensor) -> Tensor:
        """At a site inside a block, before the rest of it runs: other numbers, or the same tensor."""
        return x

    def activation(self, site: str, x: Tensor) -> None:
        """What was really used at a site inside a block."""


Taps = tuple[Tap, ...]

_here: ContextVar[frozenset[Tap]] = ContextVar("taps that are active in this context", default=frozenset())


@contextmanager
def active(*taps: Tap) -> Iterator[None]:
    """These taps are at work here: in this thread or task, until the block ends."""
    with only_active(*_here.get(), *taps):
        yield


@contextmanager
def only_active(*taps: Tap) -> Iterator[None]:
    """These taps are at work here, and no others."""
    token = _here.set(frozenset(taps))
    try:
        yield
    finally:
        _here.reset(token)


@contextmanager
def unwatched() -> Iterator[None]:
    """Nobody looks here, and what is edited stays edited: for what is run again under the eyes of all."""
    with only_active(*(tap for tap in _here.get() if edits(tap) or not looks(tap))):
        yield


def edits(tap: Tap) -> bool:
    """Whether a tap may change something."""
    return type(tap).edit is not Tap.edit or type(tap).change is not Tap.change


def looks(tap: Tap) -> bool:
    """Whether a tap wants to see something. A plain one does neither: somebody else needs it where it is."""
    kind = type(tap)
    return any(getattr(kind, name) is not getattr(Tap, name) for name in ("see", "block_output", "activation"))


def any_active() -> bool:
    """Whether any tap is active here, on whatever layer."""
    return bool(_here.get())


def tokens_asked() -> bool:
    """Whether any tap that is active here goes by the tokens of texts."""
    return any(tap.asks_tokens for tap in _here.get())


def active_taps(taps: Taps) -> Taps:
    """Those of a layer's taps that are active here; another thread's are not."""
    here = _here.get()
    return tuple(tap for tap in taps if tap in here)

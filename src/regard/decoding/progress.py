"""How far a search is, told after each of its steps."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regard.decoding.single import DecodedStep


@dataclass(frozen=True)
class DecodeProgress:
    """After one more token: `ids` are those of each text so far, without ends. What a beam search writes is known at
    its end: there they are empty. `fraction` is how much of the longest text that may be written there is."""

    ids: Sequence[Sequence[int]]
    fraction: float


OnStep = Callable[[DecodeProgress], None]
"""Called after each step; what it raises ends the search."""


def report_steps(
    steps: "Iterator[DecodedStep]", texts: int, longest: int, on_step: OnStep | None
) -> "Iterator[DecodedStep]":
    """The same steps, of so many texts of at most so many tokens, each told once it is taken."""
    if on_step is None:
        yield from steps
        return
    ids: list[list[int]] = [[] for _ in range(texts)]
    for count, step in enumerate(steps, 1):
        for text, number, is_end in zip(step.texts.tolist(), step.ids.tolist(), step.ended.tolist(), strict=True):
            if not is_end:
                ids[text].append(number)
        on_step(DecodeProgress(ids, count / longest))
        yield step

"""What the programs have to be told about a model's tokens."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TokenSpec:
    """The special tokens. `reads`: there is a source; without one, texts are prompts. `banned` are never written."""

    reads: bool
    vocabulary: int
    start: int | None
    ends: tuple[int, ...]
    pad: int | None
    banned: tuple[int, ...] = ()

    @property
    def specials(self) -> tuple[int, ...]:
        return tuple({*self.ends, *self.banned} | {mark for mark in (self.start, self.pad) if mark is not None})

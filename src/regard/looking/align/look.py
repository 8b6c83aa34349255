"""Which heads are read as an alignment, and at which step."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from regard.errors import RegardError, lookup

Weights = Mapping[str, Float[Tensor, "_ target source"]]
"""What the heads of some places looked at while one target was read: a row for each step."""
TEXT = re.compile(r"(?:(\d+(?:\.\d+)?) )?([\w.]+)(?::(\d+))?( shifted)?")


@dataclass(frozen=True)
class Part:
    """One head of a place, or the mean of all its heads, and how much it counts.

    A row belongs to a target token. It is the look at the step that writes the token, when it is not yet known; or,
    `shifted`, the look at the step that reads it (Chen et al. 2020, "Accurate word alignment induction from neural
    machine translation"). The last token of a text that was stopped is never read: there both are the same.
    """

    place: str
    head: int | None = None
    shifted: bool = False
    weight: float = 1.0

    def of(self, weights: Weights) -> Float[Tensor, "target source"]:
        """The rows of one text."""
        heads = lookup(weights, self.place, "place")
        if self.head is not None and self.head >= len(heads):
            raise RegardError(f"{self.place} has {len(heads)} heads, counted from 0; there is no head {self.head}")
        rows = heads.mean(0) if self.head is None else heads[self.head]
        return torch.cat([rows[1:], rows[-1:]]) if self.shifted else rows

    def __str__(self) -> str:
        head = "" if self.head is None else f":{self.head}"
        return f"{self.place}{head}{' shifted' if self.shifted else ''}"


@dataclass(frozen=True)
class Look:
    """Heads whose looks, mixed by their weights, are read as an alignment: `Look.read("decoder.1.cross:3 shifted")`."""

    parts: tuple[Part, ...]

    @classmethod
    def read(cls, text: str) -> "Look":
        """A look from how it is written: "2 decoder.1.cross:3 shifted + decoder.0.cross:1"; without a head, of all."""
        found = []
        for part in text.split(" + "):
            told = TEXT.fullmatch(part.strip())
            if told is None or (told[1] and float(told[1]) == 0):
                example = '"decoder.1.cross:3 shifted" or "2 decoder.1.cross:3 + decoder.0.cross"'
                raise RegardError(f"{part.strip()!r} is no look; expected something like {example}")
            head = None if told[3] is None else int(told[3])
            found.append(Part(told[2], head, bool(told[4]), float(told[1] or 1)))
        return cls(tuple(found))

    @property
    def places(self) -> list[str]:
        """Where one has to watch."""
        return sorted({part.place for part in self.parts})

    def of(self, weights: Weights) -> Float[Tensor, "target source"]:
        """The looks of one text, mixed; a row sums to 1 where those of the heads do."""
        total = sum(part.weight for part in self.parts)
        return torch.stack([part.of(weights) * (part.weight / total) for part in self.parts]).sum(0)

    def __str__(self) -> str:
        is_alone = len(self.parts) == 1
        return " + ".join(
            str(part) if is_alone or part.weight == 1 else f"{part.weight:g} {part}" for part in self.parts
        )


def candidates(heads: Mapping[str, int]) -> list[Part]:
    """Every head of some places that have so many, and the mean of each place, read both ways."""
    return [
        Part(place, head, shifted)
        for place, count in heads.items()
        for head in (*range(count), *([None] if count > 1 else []))
        for shifted in (False, True)
    ]

"""Which heads are read as an alignment, and at which step."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from regard.errors import RegardError, lookup

Weights = Mapping[str, Any]
"""What the heads of some layers looked at while one target was read, (heads, target, source): arrays, or tensors."""
TEXT = re.compile(r"(?:([0-9]{1,9}(?:\.[0-9]{1,9})?) )?([\w.]+)(?::([0-9]{1,9}))?( shifted)?")


@dataclass(frozen=True)
class AlignmentHead:
    """One head of a layer, or the mean of all its heads, and how much it counts.

    A row belongs to a target token. It is the look at the step that writes the token, when it is not yet known; or,
    `shifted`, the look at the step that reads it (Chen et al. 2020, "Accurate word alignment induction from neural
    machine translation"). The last token of a text that was stopped is never read: there both are the same.
    """

    layer: str
    head: int | None = None
    shifted: bool = False
    weight: float = 1.0

    def of(self, weights: Weights) -> Any:
        """The rows of one text: (target, source)."""
        heads = lookup(weights, self.layer, "layer")
        if self.head is not None and self.head >= len(heads):
            raise RegardError(f"{self.layer} has {len(heads)} heads, counted from 0; there is no head {self.head}")
        rows = heads.mean(0) if self.head is None else heads[self.head]
        return rows[[*range(1, len(rows)), *range(len(rows))[-1:]]] if self.shifted else rows

    def __str__(self) -> str:
        head = "" if self.head is None else f":{self.head}"
        return f"{self.layer}{head}{' shifted' if self.shifted else ''}"


@dataclass(frozen=True)
class AlignmentHeads:
    """Heads whose weights, mixed, are read as an alignment: `AlignmentHeads.read("decoder.1.cross:3 shifted")`."""

    heads: tuple[AlignmentHead, ...]

    @classmethod
    def read(cls, text: str) -> "AlignmentHeads":
        """Heads as they are written: "2 decoder.1.cross:3 shifted + decoder.0.cross:1"; without a head, of all."""
        heads = []
        for head_text in text.split(" + "):
            match = TEXT.fullmatch(head_text.strip())
            if match is None or (match[1] and float(match[1]) == 0):
                example = '"decoder.1.cross:3 shifted" or "2 decoder.1.cross:3 + decoder.0.cross"'
                raise RegardError(f"{head_text.strip()[:80]!r} names no heads; expected something like {example}")
            head = None if match[3] is None else int(match[3])
            heads.append(AlignmentHead(match[2], head, bool(match[4]), float(match[1] or 1)))
        return cls(tuple(heads))

    @property
    def layers(self) -> list[str]:
        """Where one has to watch."""
        return sorted({head.layer for head in self.heads})

    def of(self, weights: Weights) -> Any:
        """The looks of one text, mixed, (target, source); a row sums to 1 where those of the heads do."""
        total = sum(head.weight for head in self.heads)
        return reduce(add, (head.of(weights) * (head.weight / total) for head in self.heads))

    def __str__(self) -> str:
        is_alone = len(self.heads) == 1
        return " + ".join(
            str(head) if is_alone or head.weight == 1 else f"{head.weight:g} {head}" for head in self.heads
        )

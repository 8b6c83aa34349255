"""How far links are from those that people made."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from regard.errors import expect
from regard.text.align.links import Gold, Links


@dataclass(frozen=True)
class ErrorRate:
    """Counts over all lines: links that were predicted, those of them that are sure and possible, and all sure ones."""

    predicted: int = 0
    sure_predicted: int = 0
    possible_predicted: int = 0
    sure: int = 0

    @property
    def aer(self) -> float:
        """The alignment error rate of Och and Ney 2003: 0 is perfect, 1 is nothing right; 0 where there is nothing."""
        total = self.predicted + self.sure
        return 1 - (self.sure_predicted + self.possible_predicted) / total if total else 0.0

    @property
    def precision(self) -> float:
        """The share of links found that are at least possible."""
        return self.possible_predicted / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of sure links that were found."""
        return self.sure_predicted / self.sure if self.sure else 0.0

    def __add__(self, other: "ErrorRate") -> "ErrorRate":
        return ErrorRate(*(own + others for own, others in zip(vars(self).values(), vars(other).values(), strict=True)))

    def plain(self) -> dict[str, float]:
        """For JSON."""
        return {"aer": self.aer, "precision": self.precision, "recall": self.recall}


def error_rate(predicted: Sequence[Links], gold: Sequence[Gold]) -> ErrorRate:
    """The error rate over all lines together, as it is published: long lines count for more."""
    expect("the gold alignment", "lines", len(gold), len(predicted))
    return total(count_links(links, line_gold) for links, line_gold in zip(predicted, gold, strict=True))


def count_links(links: Links, gold: Gold) -> ErrorRate:
    """What one line adds."""
    return ErrorRate(len(links), len(links & gold.sure), len(links & gold.possible), len(gold.sure))


def total(rates: Iterable[ErrorRate]) -> ErrorRate:
    return sum(rates, ErrorRate())

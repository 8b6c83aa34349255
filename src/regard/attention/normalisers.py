"""How scores become weights. Softmax nearly always; the exceptions are here beside it.

A normaliser first reads whole rows of scores into a short *summary*; with it, the weights of any tile can be had
alone. Forbidden scores are -inf and become exactly 0; so does a row in which everything is forbidden.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from regard.errors import ShapeError
from regard.shapes import Columns

RowStatistics = tuple[Tensor, ...]
"""A few numbers per query, each (batch, heads, queries, some)."""


class Normaliser:
    """Turns the scores of a query into weights."""

    tempers: ClassVar[bool] = True
    """Whether a temperature on the scores means anything."""
    sums: ClassVar[tuple[float, float]] = (1.0, 1.0)
    """Between which the weights of a query add up, unless it looks at nothing."""

    @classmethod
    def example(cls, heads: int = 2) -> "Normaliser":
        """A small one, for tests and pages."""
        return cls()

    def row_statistics(self, scores: Tensor, columns: Columns) -> RowStatistics:
        """What has to be known of whole rows."""
        return ()

    def weights(self, scores: Tensor, statistics: RowStatistics, columns: Columns) -> Tensor:
        """The weights of a tile, given the summary of its rows. The scores are used up."""
        raise NotImplementedError

    def whole(self, scores: Tensor, columns: Columns) -> Tensor:
        """The weights of whole rows, made for training."""
        return self.weights(scores, self.row_statistics(scores, columns), columns)

    def heads(self, heads: Tensor | slice) -> "Normaliser":
        """The normaliser of some heads."""
        return self


@dataclass(frozen=True)
class Softmax(Normaliser):
    """Positive weights that sum to 1; the summary is the log-sum-exp (0 where a query sees nothing)."""

    def row_statistics(self, scores: Tensor, columns: Columns) -> RowStatistics:
        if not scores.shape[-1]:
            return (scores.new_zeros(*scores.shape[:-1], 1),)
        # Not torch.logsumexp, whose gradient is NaN where everything is forbidden.
        largest = scores.detach().amax(-1, keepdim=True)
        largest = torch.where(largest == -torch.inf, 0, largest)
        total = (scores - largest).exp().sum(-1, keepdim=True)
        blind = total == 0
        return (torch.where(blind, 0, torch.where(blind, 1, total).log() + largest),)

    def weights(self, scores: Tensor, statistics: RowStatistics, columns: Columns) -> Tensor:
        if scores.requires_grad:
            return (scores - statistics[0]).exp()
        return scores.sub_(statistics[0]).exp_()

    def whole(self, scores: Tensor, columns: Columns) -> Tensor:
        blind = (scores == -torch.inf).all(-1, keepdim=True)
        return torch.where(blind, 0, torch.softmax(torch.where(blind, 0, scores), -1))


@dataclass(frozen=True, eq=False)
class Sink(Softmax):
    """A softmax in which part of the weight goes nowhere: one more logit for each head, without a key.

    Xiao et al. 2024, 3.3; learned in gpt-oss. Weights sum to less than 1.
    """

    sums: ClassVar[tuple[float, float]] = (0.0, 1.0)

    logits: Float[Tensor, "heads"]

    @classmethod
    def example(cls, heads: int = 2) -> "Sink":
        return cls(torch.arange(1.0, heads + 1))

    def row_statistics(self, scores: Tensor, columns: Columns) -> RowStatistics:
        (total,) = super().row_statistics(scores, columns)
        blind = (scores == -torch.inf).all(-1, keepdim=True)
        sink = self.logits[:, None, None].to(scores.dtype)
        return (torch.where(blind, sink, torch.logaddexp(total, sink)),)

    def whole(self, scores: Tensor, columns: Columns) -> Tensor:
        sink = self.logits[:, None, None].to(scores.dtype).expand(*scores.shape[:-1], 1)
        return torch.softmax(torch.cat([scores, sink], -1), -1)[..., :-1]

    def heads(self, heads: Tensor | slice) -> "Sink":
        return Sink(self.logits[heads])


@dataclass(frozen=True)
class Unnormalised(Normaliser):
    """The scores themselves: the linear start of memory networks, Sukhbaatar et al. 2015, 4.2."""

    tempers = False
    sums: ClassVar[tuple[float, float]] = (-torch.inf, torch.inf)

    def weights(self, scores: Tensor, statistics: RowStatistics, columns: Columns) -> Tensor:
        return torch.where(scores == -torch.inf, 0, scores)


@dataclass(frozen=True)
class SumNormaliser(Normaliser):
    """Scores divided by their sum, for scores that are positive already: Katharopoulos et al. 2020."""

    tempers = False

    def row_statistics(self, scores: Tensor, columns: Columns) -> RowStatistics:
        return (torch.where(scores == -torch.inf, 0, scores).sum(-1, keepdim=True),)

    def weights(self, scores: Tensor, statistics: RowStatistics, columns: Columns) -> Tensor:
        total = statistics[0]
        return torch.where(scores == -torch.inf, 0, scores) / torch.where(total == 0, 1, total)


@dataclass(frozen=True)
class TopK(Normaliser):
    """Only the k best keys are looked at, softmax among them; k = 1 is the best key alone.

    It learns all the same: backward, the gradient is that of the softmax over all keys (straight-through,
    Bengio et al. 2013).
    """

    k: int = 1

    @classmethod
    def example(cls, heads: int = 2) -> "TopK":
        return cls(2)

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ShapeError(f"hard attention keeps 1 key or more, got k={self.k}")

    def row_statistics(self, scores: Tensor, columns: Columns) -> RowStatistics:
        best = scores.topk(min(self.k, scores.shape[-1]), dim=-1)
        chosen = F.pad(columns[best.indices], (0, self.k - best.indices.shape[-1]), value=-1)
        return chosen, *Softmax().row_statistics(best.values, columns)

    def weights(self, scores: Tensor, statistics: RowStatistics, columns: Columns) -> Tensor:
        chosen, logsumexp = statistics
        hit = torch.zeros_like(scores, dtype=torch.bool)
        for rank in range(chosen.shape[-1]):
            hit |= chosen[..., rank, None] == columns
        return Softmax().weights(torch.where(hit, scores, -torch.inf), (logsumexp,), columns)

    def whole(self, scores: Tensor, columns: Columns) -> Tensor:
        hard = super().whole(scores.detach().clone(), columns)
        if not scores.requires_grad:
            return hard
        soft = Softmax().whole(scores, columns)
        return hard + (soft - soft.detach())


NORMALISERS: dict[str, type[Normaliser]] = {
    "softmax": Softmax,
    "sink": Sink,
    "none": Unnormalised,
    "sum": SumNormaliser,
    "hard": TopK,
}

"""Whether a model is as sure as it is right, and the one temperature that mends it. Guo et al. 2017."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.errors import RegardError, expect

BINS = 15
ROWS = 4096
"""So many rows of scores are worked on at once, in float64."""
HOTTEST = 100.0
"""Temperatures are looked for between one hundredth and this."""


@dataclass(frozen=True, eq=False)
class Reliability:
    """Predictions in bins of equal width by how sure they are, as sums: those of two sets of predictions can be added.

    A prediction is the likeliest class; it is as sure as that class is likely.
    """

    counts: Int[Tensor, "bins"]
    sure: Float[Tensor, "bins"]
    right: Float[Tensor, "bins"]

    def __add__(self, other: "Reliability") -> "Reliability":
        expect("Reliability", "bins", len(other.counts), len(self.counts))
        return Reliability(self.counts + other.counts, self.sure + other.sure, self.right + other.right)

    @property
    def confidence(self) -> Float[Tensor, "bins"]:
        """How sure the predictions of each bin are, on average; not a number where there are none."""
        return self.sure / self.counts

    @property
    def accuracy(self) -> Float[Tensor, "bins"]:
        """How many of each bin are right; not a number where there are none."""
        return self.right / self.counts

    def error(self) -> float:
        """The expected calibration error: how far confidence and accuracy lie apart, on average over predictions."""
        return float((self.sure - self.right).abs().sum() / self.counts.sum())

    def largest_error(self) -> float:
        """How far they lie apart in the worst bin."""
        return float((self.confidence - self.accuracy).abs().nan_to_num(0.0).max())

    def overconfidence(self) -> float:
        """How much surer than right, over all; below 0 where the model doubts too much."""
        return float((self.sure - self.right).sum() / self.counts.sum())


@torch.no_grad()
def reliability(
    logits: Float[Tensor, "rows classes"],
    labels: Int[Tensor, "rows"],
    *,
    temperature: float = 1.0,
    bins: int = BINS,
) -> Reliability:
    """Confidence and accuracy, bin by bin. Each bin holds its upper end and not its lower one."""
    check(logits, labels, temperature)
    if bins < 1:
        raise RegardError(f"at least one bin expected, got {bins}")
    total = Reliability(torch.zeros(bins).long(), *(torch.zeros(bins).double() for _ in range(2)))
    for scores, answers in zip(logits.split(ROWS), labels.split(ROWS), strict=True):
        sure, predicted = (scores.double() / temperature).softmax(-1).max(-1)
        number = ((sure * bins).ceil().long() - 1).clamp(0, bins - 1).cpu()
        ones, right = torch.ones_like(sure), (predicted == answers).double()
        sums = [torch.zeros(bins).double().index_add_(0, number, part.cpu()) for part in (ones, sure, right)]
        total = total + Reliability(sums[0].long(), *sums[1:])
    return total


@torch.no_grad()
def negative_log_likelihood(
    logits: Float[Tensor, "rows classes"], labels: Int[Tensor, "rows"], temperature: float = 1.0
) -> float:
    """The mean surprise at the labels, in nats."""
    check(logits, labels, temperature)
    total = 0.0
    for scores, answers in zip(logits.split(ROWS), labels.split(ROWS), strict=True):
        scores = scores.double() / temperature
        total += float((scores.logsumexp(-1) - scores.gather(-1, answers[:, None])[:, 0]).sum())
    return total / len(logits)


@torch.no_grad()
def fit_temperature(logits: Float[Tensor, "rows classes"], labels: Int[Tensor, "rows"]) -> float:
    """The temperature by which scores are to be divided so that the labels surprise least: Guo et al. 2017, 4.2.

    The surprise is convex in 1 / temperature: Newton's steps, and halves where one would leave the bracket. No order
    changes, so what was predicted is predicted still. Where all is right the best is 0, and the least is given.
    """
    check(logits, labels)
    low, high, inverse = 1 / HOTTEST, HOTTEST, 1.0
    for _ in range(60):
        slope, curvature = derivatives(logits, labels, inverse)
        low, high = (low, inverse) if slope > 0 else (inverse, high)
        step = inverse - slope / curvature if curvature > 0 else math.nan
        before, inverse = inverse, step if low < step < high else math.sqrt(low * high)
        if abs(inverse - before) < 1e-9 * before:
            break
    return 1 / inverse


def derivatives(logits: Tensor, labels: Tensor, inverse: float) -> tuple[float, float]:
    """How the surprise grows with 1 / temperature, and how that does: by the mean of the scores less that of the
    label, and by their variance, under the chances that the model gives."""
    slope = curvature = 0.0
    for scores, answers in zip(logits.split(ROWS), labels.split(ROWS), strict=True):
        scores = scores.double()
        scores = (scores - scores.amax(-1, keepdim=True)).clamp(min=-1e9)  # a class that is ruled out counts nothing
        chances = (scores * inverse).softmax(-1)
        mean = (chances * scores).sum(-1)
        slope += float((mean - scores.gather(-1, answers[:, None])[:, 0]).sum())
        curvature += float(((chances * scores.square()).sum(-1) - mean.square()).sum())
    return slope, curvature


def check(logits: Tensor, labels: Tensor, temperature: float = 1.0) -> None:
    """Raise unless there is a label for every row of scores, one of its classes, and a temperature to divide by."""
    expect("labels", "rows", len(labels), len(logits))
    if not len(logits):
        raise RegardError("calibration is measured on predictions, got none")
    if int(labels.min()) < 0 or int(labels.max()) >= logits.shape[1]:
        raise RegardError(
            f"labels from 0 to {logits.shape[1] - 1} expected, got {int(labels.min())} to {int(labels.max())}"
        )
    if not 0 < temperature < math.inf:
        raise RegardError(f"a temperature above 0 expected, got {temperature:g}")

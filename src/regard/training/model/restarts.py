"""Memory networks that begin differently and learn side by side; the best of them is kept.

Sukhbaatar et al. 2015, 4.2: the variance between runs is large, so ten are trained and the one with the lowest error on
the stories that it learned from is taken. Here the ten are copies in one model: one pass serves them all.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from regard.attention.normalisers import Normaliser, Unnormalised
from regard.models import MemoryNetwork
from regard.text.story_batch import StoryBatch
from regard.training.data.batch_source import mix_seeds
from regard.training.objectives.answer import noisy_ages

Copies = Float[Tensor, "copies"]


@dataclass(frozen=True)
class RestartProtocol:
    """How the nets of the paper learn.

    `linear` epochs without softmax come first; then `epochs` with it, the rate halved for the last of every `halve` of
    them and what follows. `noise` is the share of memories that may be empty. Losses are summed over a batch of `rows`;
    `clip` is the longest gradient of a table. All this is as in the authors' code, facebook/MemNN.
    """

    epochs: int = 100
    halve: int = 25
    linear_epochs: int = 20
    learning_rate: float = 0.005
    rows: int = 32
    clip: float = 40.0
    noise: float = 0.1
    seed: int = 0

    def plan(self) -> Iterator[tuple[float, Normaliser | None]]:
        """The rate of every epoch, and what stands for softmax in it."""
        yield from ((self.learning_rate, Unnormalised()) for _ in range(self.linear_epochs))
        yield from ((self.learning_rate / 2 ** ((epoch + 1) // self.halve), None) for epoch in range(self.epochs))


SINGLE = RestartProtocol()
JOINT = RestartProtocol(epochs=60, halve=15, linear_epochs=30)


@dataclass(frozen=True)
class RestartResult:
    """How each copy did: the share of its answers that are wrong, and the mean loss."""

    error: Copies
    loss: Copies

    def best(self) -> int:
        """The copy with the lowest error; among equals, with the lowest loss."""
        return min(range(len(self.error)), key=lambda copy: (self.error[copy].item(), self.loss[copy].item()))


def train_restarts(
    model: MemoryNetwork,
    stories: StoryBatch,
    protocol: RestartProtocol = SINGLE,
    report: Callable[[int, RestartResult], None] = lambda epoch, score: None,
    start: int = 0,
) -> None:
    """Follow the protocol from epoch `start` to the last. All copies read the same stories in the same order.

    An epoch is a function of the weights and of its number, so that nothing else has to be kept to go on from it.
    """
    model.train()
    for epoch, (rate, normaliser) in islice(enumerate(protocol.plan()), start, None):
        generator = torch.Generator().manual_seed(mix_seeds(protocol.seed, epoch))
        wrong, total = torch.zeros(2, model.config.copies)
        for rows in torch.randperm(len(stories), generator=generator).split(protocol.rows):
            counts = stories.counts[rows]
            ages = noisy_ages(counts, int(counts.max()), protocol.noise, generator)
            model.zero_grad(set_to_none=True)
            for part in split_by_length(counts):
                batch = stories.take(rows[part])
                scores = model(
                    batch.story, batch.question, ages=ages[part, : batch.story.shape[1]], normaliser=normaliser
                )
                losses = answer_losses(scores, batch.answer)
                losses.sum().backward()
                wrong += (scores.detach().argmax(-1) != batch.answer[:, None]).sum(0)
                total += losses.detach().sum(0)
            gradient_step(model, rate, protocol.clip)
        report(epoch, RestartResult(wrong / len(stories), total / len(stories)))
    model.eval()


def split_by_length(counts: Int[Tensor, "batch"]) -> list[Int[Tensor, "some"]]:
    """A batch, or two parts of it, the shorter stories and the longer ones, where that saves most of the padding."""
    order = counts.argsort()
    sizes = counts[order]
    cut = torch.arange(1, len(counts))
    padded_sizes = cut * sizes[:-1] + (len(counts) - cut) * sizes[-1]
    if len(counts) < 2 or padded_sizes.min() > len(counts) * sizes[-1] * 2 // 3:
        return [torch.arange(len(counts))]
    best = 1 + int(padded_sizes.argmin())
    return [order[:best], order[best:]]


def answer_losses(
    scores: Float[Tensor, "batch copies words"], answer: Int[Tensor, "batch"]
) -> Float[Tensor, "batch copies"]:
    """The loss of every answer of every copy."""
    answers = answer[:, None].expand(scores.shape[:2])
    return F.cross_entropy(scores.flatten(0, 1), answers.flatten(), reduction="none").unflatten(0, scores.shape[:2])


@torch.no_grad()
def gradient_step(model: MemoryNetwork, learning_rate: float, clip: float) -> None:
    """A step of plain gradient descent. The gradient of each table of each copy is cut to its own length.

    A table has the words and the times: it is one weight in the code of the paper's authors.
    """
    tables = [
        (weight, weight.grad)
        for weight in (model.embedding, model.when)
        if weight is not None and weight.grad is not None
    ]
    lengths = model.embedding.new_zeros(model.embedding.shape[1:-1])  # (tables, copies)
    for weight, grad in tables:
        lengths[: weight.shape[1]] += grad.square().sum((0, -1))
    factors = learning_rate * (clip / lengths.sqrt()).clamp(max=1)[..., None]
    for weight, grad in tables:
        weight.sub_(grad * factors[: weight.shape[1]])
    if model.project is not None and model.project.grad is not None:
        length = model.project.grad.square().sum((0, -1)).sqrt()[:, None]
        model.project.sub_(model.project.grad * (learning_rate * (clip / length).clamp(max=1)))


@torch.no_grad()
def evaluate_restarts(model: MemoryNetwork, stories: StoryBatch, rows: int = 250) -> RestartResult:
    """How every copy answers, without noise."""
    wrong, total = torch.zeros(2, model.config.copies)
    for part in torch.arange(len(stories)).split(rows):
        batch = stories.take(part)
        scores = model(batch.story, batch.question)
        wrong += (scores.argmax(-1) != batch.answer[:, None]).sum(0)
        total += answer_losses(scores, batch.answer).sum(0)
    return RestartResult(wrong / len(stories), total / len(stories))

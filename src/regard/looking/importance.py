"""How much heads matter, by the gradient of their gates."""

from contextlib import nullcontext

import torch
from torch import Tensor, nn

from regard.looking.exam import Exam, Scores
from regard.looking.gates import Leaves, frozen, gated
from regard.looking.places import Places
from regard.looking.recompute import recomputing


def importance(model: nn.Module, exam: Exam, *, by_layer: bool = False, recompute: bool = False) -> Scores:
    """How fast the loss of an example changes as a head is turned down, whichever way: Michel et al. 2019, 3.1.

    |d loss / d gate| of each example, added up and divided by what losses are counted by, so that it compares with a
    rise of the mean loss. `by_layer` divides the numbers of each layer by their length (Molchanov et al. 2017), as
    that paper does for translators. `recompute` takes the time of a forward pass more and far less memory.
    """
    found: Scores = {}
    for batch in exam.batches:
        for place, gradient in gradients(model, exam, batch, recompute=recompute).items():
            found[place] = found.get(place, 0) + gradient.abs().sum(0)
    scores = {place: found[place] / exam.total for place in Places(model).layers if place in found}
    return lengthened(scores) if by_layer else scores


def gradients(model: nn.Module, exam: Exam, batch: object, *, recompute: bool = False) -> dict[str, Tensor]:
    """d loss / d gate at gates of 1, for every example and head: (batch, heads) by place."""
    leaves = Leaves()
    with torch.enable_grad(), frozen(model), gated(model, leaves), recomputing(model) if recompute else nullcontext():
        exam.loss(model, batch).backward()
    return {place: torch.zeros_like(gate) if gate.grad is None else gate.grad for place, gate in leaves.gates.items()}


def lengthened(scores: Scores) -> Scores:
    """The numbers of every layer as a vector of length 1; zeros stay zeros."""
    lengths = {place: torch.linalg.vector_norm(row) for place, row in scores.items()}
    return {place: row / torch.where(lengths[place] == 0, 1, lengths[place]) for place, row in scores.items()}

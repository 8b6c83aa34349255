"""How much heads matter, by the gradient of their gates."""

from contextlib import nullcontext

import torch
from torch import Tensor, nn

from regard.looking.evaluation_set import EvaluationSet, Scores
from regard.looking.gates import GateVariables, frozen_weights, gates
from regard.looking.layer_names import LayerNames
from regard.looking.recompute import recomputing


def importance(
    model: nn.Module, evaluation_set: EvaluationSet, *, by_layer: bool = False, recompute: bool = False
) -> Scores:
    """How fast the loss of an example changes as a head is turned down, whichever way: Michel et al. 2019, 3.1.

    |d loss / d gate| of each example, added up and divided by what losses are counted by, so that it compares with a
    rise of the mean loss. `by_layer` divides the numbers of each layer by their length (Molchanov et al. 2017), as
    that paper does for translators. `recompute` takes the time of a forward pass more and far less memory.
    """
    sums: Scores = {}
    for batch in evaluation_set.batches:
        for layer, gradient in gradients(model, evaluation_set, batch, recompute=recompute).items():
            sums[layer] = sums.get(layer, 0) + gradient.abs().sum(0)
    scores = {layer: sums[layer] / evaluation_set.total for layer in LayerNames(model).layers if layer in sums}
    return lengthened(scores) if by_layer else scores


def gradients(
    model: nn.Module, evaluation_set: EvaluationSet, batch: object, *, recompute: bool = False
) -> dict[str, Tensor]:
    """d loss / d gate at gates of 1, for every example and head: (batch, heads) by layer."""
    variables = GateVariables()
    with (
        torch.enable_grad(),
        frozen_weights(model),
        gates(model, variables),
        recomputing(model) if recompute else nullcontext(),
    ):
        evaluation_set.loss(model, batch).backward()
    return {
        layer: torch.zeros_like(gate) if gate.grad is None else gate.grad for layer, gate in variables.gates.items()
    }


def lengthened(scores: Scores) -> Scores:
    """The numbers of every layer as a vector of length 1; zeros stay zeros."""
    lengths = {layer: torch.linalg.vector_norm(layer_scores) for layer, layer_scores in scores.items()}
    return {
        layer: layer_scores / torch.where(lengths[layer] == 0, 1, lengths[layer])
        for layer, layer_scores in scores.items()
    }

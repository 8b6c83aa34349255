"""How sure heads are of where to look."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

import torch
from torch import Tensor, nn

from regard.attention import Pattern, Tap
from regard.attention.masks.padding import padding
from regard.looking.evaluation_set import EvaluationSet, Scores
from regard.looking.layer_names import LayerNames, LayerTap
from regard.looking.watch import attach_taps

ACROSS = ("cross", "align")  # how layers end where one text looks at another


class ConfidenceTap(LayerTap):
    """Adds up the largest weight of every query."""

    def __init__(self, names: list[str], eos_layers: Sequence[str]) -> None:
        super().__init__(names)
        self.closing = eos_layers
        self.sums: dict[str, Tensor] = {}
        self.counts: dict[str, int] = {}

    def see(self, pattern: Pattern) -> None:
        layer = self.next_name()
        has_eos = any(fnmatchcase(layer, name) for name in self.closing)
        largest, attention_mask = largest_weights(pattern, has_eos=has_eos, is_cross=layer.endswith(ACROSS))
        self.sums[layer] = self.sums.get(layer, 0) + (largest * attention_mask[:, None]).sum((0, 2))
        self.counts[layer] = self.counts.get(layer, 0) + int(attention_mask.sum())


def largest_weights(pattern: Pattern, *, has_eos: bool, is_cross: bool) -> tuple[Tensor, Tensor]:
    """The largest weight of each query, (batch, heads, queries), and which queries count, (batch, queries).

    With `has_eos` the last key of every text ends it and is none to be sure of; neither does it ask. With `is_cross`
    those who ask are another text, and nothing is known of their padding.
    """
    batch, _, queries, keys = pattern.shape
    padding_mask = padding(pattern.mask)
    attention_mask = torch.ones(batch, keys, dtype=torch.bool, device=pattern.query.device)
    attention_mask = attention_mask if padding_mask is None else padding_mask.attention_mask.expand(batch, keys).clone()
    largest = pattern.top(1).weights[..., 0]
    if has_eos:
        last = keys - 1 - attention_mask.flip(-1).int().argmax(-1)  # (batch,)
        top = pattern.top(2)
        is_eos = top.positions[..., 0] == last[:, None, None]
        second = top.weights[..., 1] if top.weights.shape[-1] > 1 else torch.zeros_like(largest)
        largest = torch.where(is_eos, second, top.weights[..., 0])
        attention_mask[torch.arange(batch), last] = False
    query_mask = (
        attention_mask
        if queries == keys and not is_cross
        else torch.ones(batch, queries, dtype=torch.bool, device=attention_mask.device)
    )
    return largest, query_mask


@torch.no_grad()
def confidence(model: nn.Module, evaluation_set: EvaluationSet, *, eos_layers: Sequence[str] = ()) -> Scores:
    """The mean of the largest weight that a head gives away: Voita et al. 2019, 4.

    `eos_layers` names layers where the last key is the token that ends a text, which the paper leaves out. Padding does
    not count where a mask says what is padding.
    """
    layer_names = LayerNames(model)
    taps: dict[nn.Module, Tap] = {module: Tap() for module in layer_names.around}
    confidence_taps = {
        module: ConfidenceTap(layer_names.of(module), eos_layers)
        for module in dict.fromkeys(layer_names.layers.values())
    }
    with attach_taps(taps | confidence_taps):
        for batch in evaluation_set.batches:
            evaluation_set.loss(model, batch)
    means = {
        layer: tap.sums[layer] / max(tap.counts[layer], 1) for tap in confidence_taps.values() for layer in tap.sums
    }
    return {layer: means[layer] for layer in layer_names.layers if layer in means}

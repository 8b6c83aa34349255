"""Which heads go, given a number for each."""

import torch
from torch import nn

from regard.errors import RegardError
from regard.layers import MultiHead
from regard.looking.exam import Scores
from regard.looking.places import Places


def weakest(model: nn.Module, scores: Scores, keep: float) -> dict[str, list[int]]:
    """The heads with the lowest scores, so that a share `keep` of all heads stays: what `prune` takes.

    Heads of all layers are ranked together, and the best head of every layer stays. Places of one layer (ALBERT) are
    ranked by the sum of their scores. Heads are called by the numbers that they have in the whole model.
    """
    if not 0 < keep <= 1:
        raise RegardError(f"a share of heads above 0 and up to 1 can stay, got {keep}")
    places = Places(model)
    layers = {
        layer: places.of(layer) for layer in dict.fromkeys(places.layers.values()) if isinstance(layer, MultiHead)
    }
    if not layers:
        raise RegardError(f"{type(model).__name__} has no layer that heads could be taken out of")
    ranked: list[tuple[float, MultiHead, int]] = []
    gone: dict[MultiHead, list[int]] = {layer: [] for layer in layers}
    for layer, names in layers.items():
        sums = torch.stack([scores[name].double().cpu() for name in names]).sum(0)
        order = sums.argsort(descending=True, stable=True).tolist()
        ranked += [(float(sums[head]), layer, layer.split.kept[head]) for head in order[1:]]
    total = len(ranked) + len(layers)
    leaving = total - max(len(layers), round(keep * total))
    for _, layer, head in sorted(ranked, key=lambda one: one[0])[:leaving]:
        gone[layer].append(head)
    return {name: sorted(gone[layer]) for layer, names in layers.items() for name in names if gone[layer]}

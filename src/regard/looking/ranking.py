"""Which heads go, given a number for each."""

import torch
from torch import nn

from regard.errors import RegardError
from regard.layers import MultiHead
from regard.looking.evaluation_set import Scores
from regard.looking.layer_names import LayerNames


def weakest(model: nn.Module, scores: Scores, keep: float) -> dict[str, list[int]]:
    """The heads with the lowest scores, so that a share `keep` of all heads stays: what `prune` takes.

    Heads of all layers are ranked together, and the best head of every layer stays. Names of a shared layer (ALBERT)
    are ranked by the sum of their scores. Heads are called by the numbers that they have in the whole model.
    """
    if not 0 < keep <= 1:
        raise RegardError(f"a share of heads above 0 and up to 1 can stay, got {keep}")
    layer_names = LayerNames(model)
    layers = {
        module: layer_names.of(module)
        for module in dict.fromkeys(layer_names.layers.values())
        if isinstance(module, MultiHead)
    }
    if not layers:
        raise RegardError(f"{type(model).__name__} has no layer that heads could be taken out of")
    ranked: list[tuple[float, MultiHead, int]] = []
    pruned_heads: dict[MultiHead, list[int]] = {module: [] for module in layers}
    for module, names in layers.items():
        sums = torch.stack([scores[name].double().cpu() for name in names]).sum(0)
        order = sums.argsort(descending=True, stable=True).tolist()
        ranked += [(float(sums[head]), module, module.split.remaining_heads[head]) for head in order[1:]]
    total = len(ranked) + len(layers)
    pruned_count = total - max(len(layers), round(keep * total))
    for _, module, head in sorted(ranked, key=lambda entry: entry[0])[:pruned_count]:
        pruned_heads[module].append(head)
    return {
        name: sorted(pruned_heads[module]) for module, names in layers.items() for name in names if pruned_heads[module]
    }

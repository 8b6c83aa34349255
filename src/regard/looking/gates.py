"""A gate on every head: one number that what it gathers is multiplied by."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from regard.attention import Pattern, Tap
from regard.errors import RegardError
from regard.looking.layer_names import LayerNames, LayerTap, shorten
from regard.looking.recompute import call_number, is_rerun
from regard.looking.watch import attach_taps

GateFunction = Callable[[str, Pattern], Tensor]
"""Given a layer and its pattern, the gates of its heads: (batch or 1, heads)."""


class GateTap(LayerTap):
    """Multiplies what heads gather, whatever the layer and however often it is computed."""

    def __init__(self, names: list[str], opened: GateFunction) -> None:
        super().__init__(names)
        self.gate_function = opened

    def edit(self, pattern: Pattern) -> Pattern:
        return pattern.scale(self.gate_function(self.layer_of_call(), pattern))

    def layer_of_call(self) -> str:
        if (number := call_number()) is not None:
            return self.names[number % len(self.names)]
        if not is_rerun():
            return self.next_name()
        if len(self.names) > 1:
            raise RegardError(f"{shorten(self.names)} are one layer: recomputing() knows which of them runs again")
        return self.names[0]


@contextmanager
def gates(model: nn.Module, gate_function: GateFunction) -> Iterator[None]:
    """Gates at all layers of a model, in this block and this thread."""
    layer_names = LayerNames(model)
    taps: dict[nn.Module, Tap] = {module: Tap() for module in layer_names.around}
    taps |= {
        module: GateTap(layer_names.of(module), gate_function) for module in dict.fromkeys(layer_names.layers.values())
    }
    with attach_taps(taps):
        yield


@contextmanager
def frozen_weights(model: nn.Module) -> Iterator[None]:
    """No weight wants a gradient here: what is asked about is something else."""
    learning = [weight for weight in model.parameters() if weight.requires_grad]
    for weight in learning:
        weight.requires_grad_(False)
    try:
        yield
    finally:
        for weight in learning:
            weight.requires_grad_(True)


class GateVariables:
    """A gate of 1 for every head and example, made when its layer is first called; each wants a gradient."""

    def __init__(self) -> None:
        self.gates: dict[str, Tensor] = {}

    def __call__(self, layer: str, pattern: Pattern) -> Tensor:
        if layer not in self.gates:
            batch, heads = pattern.shape[:2]
            exact = torch.promote_types(pattern.query.dtype, torch.float32)
            self.gates[layer] = torch.ones(batch, heads, dtype=exact, device=pattern.query.device, requires_grad=True)
        return self.gates[layer]

"""A gate on every head: one number that what it gathers is multiplied by."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from regard.attention import Pattern, Tap
from regard.errors import RegardError
from regard.looking.places import Placed, Places, shortened
from regard.looking.recompute import turn
from regard.looking.watch import repeats, tapped

Opened = Callable[[str, Pattern], Tensor]
"""Given a place and its pattern, the gates of its heads: (batch or 1, heads)."""


class Gated(Placed):
    """Multiplies what heads gather, whatever the layer and however often it is computed."""

    def __init__(self, names: list[str], opened: Opened) -> None:
        super().__init__(names)
        self.opened = opened

    def edit(self, pattern: Pattern) -> Pattern:
        return pattern.scale(self.opened(self.place(), pattern))

    def place(self) -> str:
        if (number := turn()) is not None:
            return self.names[number % len(self.names)]
        if not repeats():
            return self.turn()
        if len(self.names) > 1:
            raise RegardError(f"{shortened(self.names)} are one layer: recomputing() knows which of them runs again")
        return self.names[0]


@contextmanager
def gated(model: nn.Module, opened: Opened) -> Iterator[None]:
    """Gates at all places of a model, in this block and this thread."""
    places = Places(model)
    taps: dict[nn.Module, Tap] = {module: Tap() for module in places.around}
    taps |= {module: Gated(places.of(module), opened) for module in dict.fromkeys(places.layers.values())}
    with tapped(taps):
        yield


@contextmanager
def frozen(model: nn.Module) -> Iterator[None]:
    """No weight wants a gradient here: what is asked about is something else."""
    learning = [weight for weight in model.parameters() if weight.requires_grad]
    for weight in learning:
        weight.requires_grad_(False)
    try:
        yield
    finally:
        for weight in learning:
            weight.requires_grad_(True)


class Leaves:
    """A gate of 1 for every head and example, made when its layer is first called; each wants a gradient."""

    def __init__(self) -> None:
        self.gates: dict[str, Tensor] = {}

    def __call__(self, place: str, pattern: Pattern) -> Tensor:
        if place not in self.gates:
            batch, heads = pattern.shape[:2]
            exact = torch.promote_types(pattern.query.dtype, torch.float32)
            self.gates[place] = torch.ones(batch, heads, dtype=exact, device=pattern.query.device, requires_grad=True)
        return self.gates[place]

"""Taps that keep what passes sites."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from regard.attention import Pattern, Tap
from regard.looking.activations.listing import Sites
from regard.looking.layer_names import LayerTap
from regard.looking.recompute import is_rerun

Device = torch.device | str | None


class Activations:
    """What was seen at sites, call by call: copies that own their memory, or, with `grad`, what has the graph."""

    def __init__(self, names: Sequence[str], grad: bool = False, device: Device = None) -> None:
        self.names: set[str] = set(names)
        self.grad = grad
        self.device = device
        self.calls: dict[str, list[Tensor]] = {}

    def keep(self, name: str, x: Tensor) -> None:
        """One call more; what only repeats for the sake of a gradient is none."""
        if name not in self.names or is_rerun():
            return
        copy = x if self.grad else x.detach().to(self.device or x.device, copy=True)
        self.calls.setdefault(name, []).append(copy)


class SiteWatcher(Tap):
    """Keeps what passes the sites that it is opened at."""

    def __init__(self, activations: Activations) -> None:
        self.activations = activations
        self.keeps_graph: bool = activations.grad

    def wants(self, site: str) -> bool:
        return site in self.activations.names

    def activation(self, site: str, x: Tensor) -> None:
        self.activations.keep(site, x)


class VectorWatcher(LayerTap):
    """Keeps queries, keys and values of a layer's pattern."""

    def __init__(self, names: list[str], activations: Activations) -> None:
        super().__init__(names)
        self.activations = activations

    def see(self, pattern: Pattern) -> None:
        if is_rerun():
            return
        layer = self.next_name()
        for part in ("query", "key", "value"):
            if f"{layer}.{part}" in self.activations.names:
                self.activations.keep(f"{layer}.{part}", pattern.values if part == "value" else getattr(pattern, part))


def vector_taps(sites: Sites, activations: Activations) -> dict[nn.Module, Tap]:
    """The taps for those of the sites that are parts of patterns."""
    layers: dict[nn.Module, list[str]] = {}
    for site in sites.values():
        if site.layer is not None and site.view == "query":
            layers.setdefault(site.layer, []).append(site.layer_name)
    wanted = {sites[name].layer for name in activations.names if sites[name].layer is not None}
    return {layer: VectorWatcher(names, activations) for layer, names in layers.items() if layer in wanted}

"""What of a model can be watched, and what cannot, and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from torch import nn

from regard.looking.layer_names import LayerNames, reasons


@dataclass(frozen=True)
class WatchableLayer:
    """An attention layer of a model; `reason` says why it cannot be watched, and is None where it can."""

    name: str
    module: str | None = None  # the class of a layer that can be watched
    reason: str | None = None

    @property
    def can_be_watched(self) -> bool:
        return self.reason is None


class Watchable(Sequence[WatchableLayer]):
    """The attention layers of a model, those that can be watched first."""

    def __init__(self, layers: list[WatchableLayer]) -> None:
        self.layers = layers

    @property
    def names(self) -> list[str]:
        """The layers that can be watched."""
        return [layer.name for layer in self.layers if layer.can_be_watched]

    @property
    def left_out(self) -> dict[str, str]:
        """Those that cannot, with the reason."""
        return {layer.name: layer.reason for layer in self.layers if layer.reason is not None}

    def __len__(self) -> int:
        return len(self.layers)

    @overload
    def __getitem__(self, index: int) -> WatchableLayer: ...
    @overload
    def __getitem__(self, index: slice) -> list[WatchableLayer]: ...
    def __getitem__(self, index: int | slice) -> WatchableLayer | list[WatchableLayer]:
        return self.layers[index]

    def __iter__(self) -> Iterator[WatchableLayer]:
        return iter(self.layers)

    def __repr__(self) -> str:
        rows = [f"{layer.name}  {layer.module}" for layer in self.layers if layer.can_be_watched]
        if self.left_out:
            rows.append(f"not: {reasons(self.left_out)}")
        return "\n".join(rows) or "no attention layer"


def watchable(model: nn.Module) -> Watchable:
    """List the attention layers of a model: which can be watched and edited, and why the others cannot.

    Nothing runs. What a layer computes is checked when it runs: see `regard.verify`.
    """
    layer_names = LayerNames(model, strict=False)
    can = [WatchableLayer(name, type(module).__name__) for name, module in layer_names.layers.items()]
    cannot = [WatchableLayer(name, reason=reason) for name, reason in layer_names.left_out.items()]
    return Watchable(can + cannot)

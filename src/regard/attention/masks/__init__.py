"""What forbids: small frozen values that say who may look at whom."""

from regard.attention.masks.algebra import And, Not, Or
from regard.attention.masks.causal import Causal
from regard.attention.masks.dense import DenseMask
from regard.attention.masks.graph import GraphMask
from regard.attention.masks.mask import Mask
from regard.attention.masks.padding import Padding
from regard.attention.masks.window import Window

MASKS: dict[str, type[Mask]] = {
    "causal": Causal,
    "dense": DenseMask,
    "graph": GraphMask,
    "padding": Padding,
    "window": Window,
}

__all__ = ["MASKS", "And", "Causal", "DenseMask", "GraphMask", "Mask", "Not", "Or", "Padding", "Window"]

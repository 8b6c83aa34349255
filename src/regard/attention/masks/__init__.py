"""What forbids: small frozen values that say who may look at whom."""

from regard.attention.masks.algebra import And, Not, Or
from regard.attention.masks.causal import Causal
from regard.attention.masks.dense import Dense
from regard.attention.masks.graph import Graph
from regard.attention.masks.mask import Mask
from regard.attention.masks.padding import Padding
from regard.attention.masks.window import Window

MASKS = {"causal": Causal, "dense": Dense, "graph": Graph, "padding": Padding, "window": Window}

__all__ = ["MASKS", "And", "Causal", "Dense", "Graph", "Mask", "Not", "Or", "Padding", "Window"]

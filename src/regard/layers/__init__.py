"""Parts that models are made of. Parts take numbers; masks, positions and caches arrive as arguments."""

from regard.layers.blocks import Block, BlockCache, Stack
from regard.layers.feedforward import ACTIVATIONS, FeedForward
from regard.layers.multihead import MultiHead, Split
from regard.layers.norms import NORMS

__all__ = ["ACTIVATIONS", "NORMS", "Block", "BlockCache", "FeedForward", "MultiHead", "Split", "Stack"]

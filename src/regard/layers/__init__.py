"""Parts that models are made of. Parts take numbers; masks, positions and caches arrive as arguments."""

from regard.layers.blocks import Block, BlockCache, Stack
from regard.layers.feedforward import ACTIVATIONS, FeedForward
from regard.layers.heads import Classify, Dense, pooled
from regard.layers.multihead import MultiHead, Split
from regard.layers.norms import NORMS
from regard.layers.output import Output, Transform
from regard.layers.words import Words

__all__ = [
    "ACTIVATIONS", "NORMS", "Block", "BlockCache", "Classify", "Dense", "FeedForward", "MultiHead", "Output", "Split",
    "Stack", "Transform", "Words", "pooled",
]  # fmt: skip

"""Parts that models are made of. Parts take numbers; masks, positions and caches arrive as arguments."""

from regard.layers.align import LOCAL, Align, together
from regard.layers.blocks import Block, BlockCache, Stack
from regard.layers.deep import Deep
from regard.layers.dropout import Dropout
from regard.layers.feedforward import ACTIVATIONS, FeedForward
from regard.layers.heads import Classify, Dense, pooled
from regard.layers.linear import Linear, product
from regard.layers.memory import Hop, sentences
from regard.layers.multihead import MultiHead, Split
from regard.layers.norms import NORMS
from regard.layers.output import Output, Transform
from regard.layers.recurrent import CELLS, Recurrent
from regard.layers.words import Words

__all__ = [
    "ACTIVATIONS", "CELLS", "LOCAL", "NORMS", "Align", "Block", "BlockCache", "Classify", "Deep", "Dense", "Dropout",
    "FeedForward", "Hop", "Linear", "MultiHead", "Output", "Recurrent", "Split", "Stack", "Transform",
    "Words", "pooled", "product", "sentences", "together",
]  # fmt: skip

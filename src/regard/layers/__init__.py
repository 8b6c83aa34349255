"""Parts that models are made of. Parts take numbers; masks, positions and caches arrive as arguments."""

from regard.layers.alignment_attention import LOCAL, AlignmentAttention, stepwise
from regard.layers.blocks import BlockCache, LocalView, Stack, TransformerBlock
from regard.layers.classification_head import ClassificationHead, DenseLayer, pool_tokens
from regard.layers.deep_output import DeepOutput
from regard.layers.distances import Distances, DistanceVectors
from regard.layers.dropout import Dropout
from regard.layers.embedding import Embedding
from regard.layers.experts import MixtureOfExperts
from regard.layers.feedforward import ACTIVATIONS, FeedForward
from regard.layers.frame_embedding import FrameEmbedding
from regard.layers.linear import Linear, product
from regard.layers.memory_hop import MemoryHop, sentence_vectors
from regard.layers.multihead import HeadSplit, MultiHead
from regard.layers.norms import NORMS, NoNorm, gain_of
from regard.layers.output import Output, Transform
from regard.layers.query_key_norm import QueryKeyNorm
from regard.layers.recurrent import CELLS, Recurrent

__all__ = [
    "ACTIVATIONS",
    "CELLS",
    "LOCAL",
    "NORMS",
    "AlignmentAttention",
    "BlockCache",
    "ClassificationHead",
    "DeepOutput",
    "DenseLayer",
    "DistanceVectors",
    "Distances",
    "Dropout",
    "Embedding",
    "FeedForward",
    "FrameEmbedding",
    "HeadSplit",
    "Linear",
    "LocalView",
    "MemoryHop",
    "MixtureOfExperts",
    "MultiHead",
    "NoNorm",
    "Output",
    "QueryKeyNorm",
    "Recurrent",
    "Stack",
    "Transform",
    "TransformerBlock",
    "gain_of",
    "pool_tokens",
    "product",
    "sentence_vectors",
    "stepwise",
]  # fmt: skip

"""attend() and Pattern: compare each query with the keys it may see, weigh, gather."""

from regard.attention.attend import attend
from regard.attention.biases import BIASES, AlibiBias, Bias, BucketBias, DenseBias
from regard.attention.cache import Cache
from regard.attention.dictionary import soft_dictionary
from regard.attention.kernels import attention_output
from regard.attention.looks import TopKeys
from regard.attention.masks import MASKS, Causal, DenseMask, GraphMask, Mask, Padding, Window
from regard.attention.normalisers import NORMALISERS, Normaliser, Sink, Softmax, SumNormaliser, TopK, Unnormalised
from regard.attention.pattern import Pattern
from regard.attention.scores import (
    SCORES,
    Additive,
    Dot,
    Kernel,
    LearnedScore,
    Local,
    Location,
    Score,
    Shaw,
    SoftCap,
    XLScore,
)
from regard.attention.taps import Tap

__all__ = [
    "BIASES",
    "MASKS",
    "NORMALISERS",
    "SCORES",
    "Additive",
    "AlibiBias",
    "Bias",
    "BucketBias",
    "Cache",
    "Causal",
    "DenseBias",
    "DenseMask",
    "Dot",
    "GraphMask",
    "Kernel",
    "LearnedScore",
    "Local",
    "Location",
    "Mask",
    "Normaliser",
    "Padding",
    "Pattern",
    "Score",
    "Shaw",
    "Sink",
    "SoftCap",
    "Softmax",
    "SumNormaliser",
    "Tap",
    "TopK",
    "TopKeys",
    "Unnormalised",
    "Window",
    "XLScore",
    "attend",
    "attention_output",
    "soft_dictionary",
]  # fmt: skip

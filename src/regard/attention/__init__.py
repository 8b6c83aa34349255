"""attend() and Pattern: compare each query with the keys it may see, weigh, gather."""

from regard.attention.attend import attend
from regard.attention.biases import BIASES, Alibi, Bias, Buckets, Given
from regard.attention.cache import Cache
from regard.attention.dictionary import soft_dictionary
from regard.attention.kernels import gather
from regard.attention.looks import Top
from regard.attention.masks import MASKS, Causal, Dense, Graph, Mask, Padding, Window
from regard.attention.normalisers import NORMALISERS, Hard, Normaliser, Sink, Softmax, Sum, Unnormalised
from regard.attention.pattern import Pattern
from regard.attention.scores import SCORES, XL, Additive, Compare, Dot, Kernel, Local, Location, Score, Shaw, SoftCap
from regard.attention.taps import Tap

__all__ = [
    "BIASES", "MASKS", "NORMALISERS", "SCORES", "XL", "Additive", "Alibi", "Bias", "Buckets", "Cache", "Causal",
    "Compare", "Dense", "Dot", "Given", "Graph", "Hard", "Kernel", "Local", "Location", "Mask", "Normaliser",
    "Padding", "Pattern", "Score", "Shaw", "Sink", "SoftCap", "Softmax", "Sum", "Tap", "Top", "Unnormalised", "Window",
    "attend", "gather", "soft_dictionary",
]  # fmt: skip

"""The price of N²: ways to compare fewer pairs, one file each. Each says what it promises and shows what it used."""

from regard.attention.efficient.linear import LinearAttention
from regard.attention.efficient.low_rank import LowRankAttention
from regard.attention.efficient.lsh import LSHAttention
from regard.attention.efficient.method import AttentionMethod
from regard.attention.efficient.window import WindowAttention

ATTENTION_METHODS: dict[str, type[AttentionMethod]] = {
    "window": WindowAttention,
    "lsh": LSHAttention,
    "linear": LinearAttention,
    "low-rank": LowRankAttention,
}

__all__ = [
    "ATTENTION_METHODS",
    "AttentionMethod",
    "LSHAttention",
    "LinearAttention",
    "LowRankAttention",
    "WindowAttention",
]

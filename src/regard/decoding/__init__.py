"""Models write: one token after another."""

from regard.decoding.greedy import greedy
from regard.decoding.rules import Rules, Written
from regard.decoding.steps import Steps

__all__ = ["Rules", "Steps", "Written", "greedy"]

"""Models write: one token after another."""

from regard.decoding.beam import Beam
from regard.decoding.decode import decode
from regard.decoding.greedy import greedy
from regard.decoding.rules import Rules
from regard.decoding.sampling import Sample
from regard.decoding.serving import served
from regard.decoding.steps import Steps
from regard.decoding.streaming import Token, stream
from regard.decoding.tree import Tree
from regard.decoding.written import Decoded, Written

__all__ = [
    "Beam", "Decoded", "Rules", "Sample", "Steps", "Token", "Tree", "Written", "decode", "greedy", "served", "stream",
]  # fmt: skip

"""Models write: one token after another."""

from regard.decoding.beam import Beam
from regard.decoding.decode import decode
from regard.decoding.greedy import greedy
from regard.decoding.rules import Constraints
from regard.decoding.sampling import Sampling
from regard.decoding.serving import served
from regard.decoding.steps import StepModel
from regard.decoding.streaming import StreamedToken, stream
from regard.decoding.tree import BeamTree
from regard.decoding.written import DecodeResult, Hypothesis

__all__ = [
    "Beam",
    "BeamTree",
    "Constraints",
    "DecodeResult",
    "Hypothesis",
    "Sampling",
    "StepModel",
    "StreamedToken",
    "decode",
    "greedy",
    "served",
    "stream",
]  # fmt: skip

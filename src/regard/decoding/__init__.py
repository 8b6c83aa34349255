"""Models write: one token after another."""

from regard.decoding.beam import Beam
from regard.decoding.beam_tree import BeamTree
from regard.decoding.constraints import Constraints
from regard.decoding.decode import decode
from regard.decoding.greedy import greedy
from regard.decoding.hypothesis import DecodeResult, Hypothesis
from regard.decoding.progress import DecodeProgress, OnStep
from regard.decoding.sampling import Sampling
from regard.decoding.serving import serve_model
from regard.decoding.step_model import StepModel
from regard.decoding.streaming import StreamedToken, stream

__all__ = [
    "Beam",
    "BeamTree",
    "Constraints",
    "DecodeProgress",
    "DecodeResult",
    "Hypothesis",
    "OnStep",
    "Sampling",
    "StepModel",
    "StreamedToken",
    "decode",
    "greedy",
    "serve_model",
    "stream",
]  # fmt: skip

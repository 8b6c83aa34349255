"""Models write: one token after another.

The names are loaded when first used: settings and hypotheses take no torch.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from regard.lazy import lazy_names

if TYPE_CHECKING:
    from regard.decoding.beam import Beam
    from regard.decoding.beam_tree import BeamTree
    from regard.decoding.constraints import Constraints
    from regard.decoding.dispatch import decode
    from regard.decoding.hypothesis import DecodeResult, Hypothesis
    from regard.decoding.likeliest import greedy
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

_PUBLIC = {
    "Beam": ".beam",
    "BeamTree": ".beam_tree",
    "Constraints": ".constraints",
    "DecodeProgress": ".progress",
    "DecodeResult": ".hypothesis",
    "Hypothesis": ".hypothesis",
    "OnStep": ".progress",
    "Sampling": ".sampling",
    "StepModel": ".step_model",
    "StreamedToken": ".streaming",
    "decode": ".dispatch",
    "greedy": ".likeliest",
    "serve_model": ".serving",
    "stream": ".streaming",
}

__getattr__: Callable[[str], object]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = lazy_names(__name__, _PUBLIC)

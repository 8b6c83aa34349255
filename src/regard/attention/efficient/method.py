"""What every way to compare fewer pairs has in common."""

from collections.abc import Mapping
from typing import ClassVar

from torch import nn

from regard.attention.kernels import KernelResult
from regard.attention.masks import And, Mask
from regard.attention.normalisers import Softmax
from regard.attention.pattern import Pattern
from regard.attention.scores import Dot
from regard.config.part_sizes import PartSizes
from regard.errors import RegardError


class AttentionMethod(nn.Module):
    """How one call of attend() is computed where comparing every pair would cost too much.

    It says what it does before it does it: `pattern` gives the weights that are really used, so that they are watched
    and edited like any others, and `run` gathers values with them, never holding queries x keys.
    """

    promise: ClassVar[str]
    """How near its answer comes to full attention."""
    shares: ClassVar[bool] = False
    """Whether the keys are the queries, so that a layer projects them once."""
    sees_tokens: ClassVar[bool] = True
    """Whether it weighs tokens one by one, so that some can be forbidden: by a causal mask, or hidden by an edit."""
    example_settings: ClassVar[Mapping[str, object]] = {}
    """What a recipe would say of a small example, beside the sizes that follow from the model."""

    @classmethod
    def example(cls, width: int = 8, heads: int = 2, length: int = 24) -> "AttentionMethod":
        """A small one, for tests and pages."""
        return cls(**PartSizes(width, heads, width // heads, length).arguments(cls), **cls.example_settings)

    def pattern(self, full: Pattern) -> Pattern:
        """The attention that this way gives where full attention would be `asked`; one line where it cannot."""
        raise NotImplementedError

    def run(self, pattern: Pattern, dropout: float, tell: bool) -> KernelResult:
        """What is gathered with the pattern, edits and all, and what is known of its rows if somebody looks."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        return type(self).__name__

    def check_dot_softmax(self, pattern: Pattern) -> None:
        """Raise unless the scores are softmax of dot products, with nothing added."""
        if not isinstance(pattern.score, Dot) or type(pattern.normaliser) is not Softmax:
            what = pattern.score if type(pattern.normaliser) is Softmax else pattern.normaliser
            raise RegardError(f"{self.name} is a softmax of dot products, got {what!r}")
        self.check_no_bias(pattern)

    def check_no_bias(self, pattern: Pattern) -> None:
        if pattern.bias is not None:
            raise RegardError(f"{self.name} adds nothing to its scores, got {pattern.bias!r}")

    def mask_parts(self, mask: Mask | None, *kinds: type[Mask]) -> tuple[Mask, ...]:
        """The parts of a mask, if all are of these kinds."""
        parts = mask.parts if isinstance(mask, And) else () if mask is None else (mask,)
        for part in parts:
            if not isinstance(part, kinds):
                raise RegardError(f"{self.name} takes {' and '.join(kind.__name__ for kind in kinds)}, got {part!r}")
        return parts

    def check_no_dropout(self, dropout: float) -> None:
        if dropout:
            raise RegardError(f"{self.name} drops no weights: dropout=0 expected, got {dropout}")

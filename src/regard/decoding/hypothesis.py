"""What a search gives back."""

from dataclasses import dataclass

from regard.decoding.beam_tree import BeamTree


@dataclass(frozen=True)
class Hypothesis:
    """What was written, without the token that ended it. `scores` are log-probabilities, that token's included;
    a token that was forced is certain. `is_finished` is False where the text was only stopped for its length.
    `ranked` is what hypotheses are compared by: the score, over its number of tokens to the power of the penalty.
    """

    ids: tuple[int, ...]
    scores: tuple[float, ...]
    is_finished: bool
    rank_score: float = 0.0

    @property
    def score(self) -> float:
        """The log-probability of the whole."""
        return sum(self.scores)


@dataclass(frozen=True)
class DecodeResult:
    """The answer to one source or prompt: hypotheses, the best first, and how the search came to them if asked."""

    hypotheses: tuple[Hypothesis, ...]
    tree: BeamTree | None = None

    @property
    def best(self) -> Hypothesis:
        return self.hypotheses[0]


def length_normalised(total: float, length: int, penalty: float) -> float:
    """A sum of log-probabilities made comparable between lengths: Wu et al. 2016 in the form that most tools use."""
    return total / max(length, 1) ** penalty

"""When writing ends, and what is settled beforehand."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rules:
    """`ends` are the tokens that end a text; `first` and `last` are forced: last if a text reaches its longest
    length. Fewer than `shortest` tokens are not written, `banned` ones never.
    """

    ends: tuple[int, ...] = ()
    first: int | None = None
    last: int | None = None
    banned: tuple[int, ...] = ()
    shortest: int = 0


@dataclass(frozen=True)
class Written:
    """What was written, without the token that ended it. `scores` are log-probabilities, that token's included;
    a token that was forced is certain. `is_finished` is False where the text was only stopped for its length."""

    ids: tuple[int, ...]
    scores: tuple[float, ...]
    is_finished: bool

    @property
    def score(self) -> float:
        """The log-probability of the whole."""
        return sum(self.scores)

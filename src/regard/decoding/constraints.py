"""When writing ends, and what may be written."""

from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from regard.decoding.limits import MAX_NEW_TOKENS, REPETITION_PENALTIES, check_real, check_tokens, check_whole
from regard.errors import ArgumentError

Ids = np.ndarray
"""Numbers of tokens, int64; -1 where there is none."""


@dataclass(frozen=True)
class Constraints:
    """`ends` are the tokens that end a text; `first` and `last` are forced: last if a text reaches
    max_new_tokens. Fewer than `min_new_tokens` are not written, `banned` ones never, `banned_first` not at the
    beginning, and `phrases`, of several tokens each, not in their order. With `allowed`, only those are written (and
    the ends).

    `no_repeat` tokens in a row never come twice; a `repetition_penalty` above 1 makes every token that was there
    already less likely (Keskar et al. 2019). For both, what a text begins with counts.
    """

    ends: tuple[int, ...] = ()
    first: int | None = None
    last: int | None = None
    banned: tuple[int, ...] = ()
    min_new_tokens: int = 0
    banned_first: tuple[int, ...] = ()
    phrases: tuple[tuple[int, ...], ...] = ()
    allowed: tuple[int, ...] | None = None
    no_repeat: int = 0
    repetition_penalty: float = 1.0

    def __post_init__(self) -> None:
        check_whole("min_new_tokens", self.min_new_tokens, 0, MAX_NEW_TOKENS)
        check_whole("no_repeat", self.no_repeat, 0, MAX_NEW_TOKENS)
        check_real("repetition_penalty", self.repetition_penalty, *REPETITION_PENALTIES)
        if any(not phrase for phrase in self.phrases):
            raise ArgumentError("phrases have at least one token each, got an empty one")
        check_tokens("phrases", chain(*self.phrases))
        for name in ("ends", "banned", "banned_first"):
            check_tokens(name, getattr(self, name))
        check_tokens("allowed", self.allowed or ())
        check_tokens("first", () if self.first is None else (self.first,))
        check_tokens("last", () if self.last is None else (self.last,))

    def with_min_new_tokens(self, least: int) -> "Constraints":
        """The same, or stricter: not fewer than `least` new tokens."""
        check_whole("min_new_tokens", least, 0, MAX_NEW_TOKENS)
        return replace(self, min_new_tokens=max(least, self.min_new_tokens))

    @property
    def look_back(self) -> bool:
        """Whether what was written decides about what may follow."""
        return bool(self.phrases or self.no_repeat or self.repetition_penalty != 1)


@dataclass
class BannedTokens:
    """Which tokens may not follow, as numbers; what does not change is worked out once."""

    constraints: Constraints
    fixed: dict[tuple[bool, bool], Ids | None] = field(default_factory=dict)

    def after(self, written: int, history: Ids | None) -> Ids | None:
        """(1 or rows, count) tokens that are not to follow; None where everything may."""
        key = written < self.constraints.min_new_tokens, written == 0
        if key not in self.fixed:
            self.fixed[key] = self.settled(*key)
        settled = self.fixed[key]
        if history is None:
            return settled
        parts = [*banned_by_phrases(self.constraints.phrases, history), *repeats(self.constraints.no_repeat, history)]
        if not parts:
            return settled
        if settled is not None:
            parts.append(settled.repeat(len(history), 0))
        return np.concatenate(parts, 1)

    def settled(self, is_short: bool, is_first: bool) -> Ids | None:
        single = [phrase[0] for phrase in self.constraints.phrases if len(phrase) == 1]
        tokens = [*self.constraints.banned, *single]
        tokens += self.constraints.ends if is_short else ()
        tokens += self.constraints.banned_first if is_first else ()
        return np.array([sorted(set(tokens))], dtype=np.int64) if tokens else None


def banned_by_phrases(phrases: tuple[tuple[int, ...], ...], history: Ids) -> list[Ids]:
    """The last token of each phrase whose other tokens have just been written."""
    banned = []
    for *before, last in phrases:
        if 0 < len(before) <= history.shape[1]:
            here = (history[:, -len(before) :] == before).all(1)
            if here.any():
                banned.append(np.where(here, last, -1)[:, None])
    return banned


def repeats(count: int, history: Ids) -> list[Ids]:
    """What followed wherever the last tokens, one fewer than `count`, stood before."""
    if not count or history.shape[1] < count:
        return []
    windows = np.lib.stride_tricks.sliding_window_view(history, count, axis=1)  # (rows, positions, count)
    tail = history[:, None, history.shape[1] - count + 1 :]
    again = (windows[:, :, :-1] == tail).all(-1) & (windows >= 0).all(-1)
    there = again.any(0)
    return [np.where(again, windows[:, :, -1], -1)[:, there]] if there.any() else []

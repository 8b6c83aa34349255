"""The likeliest tokens that the constraints let through."""

from typing import NamedTuple

import numpy as np

from regard.decoding.constraints import BannedTokens, Constraints, Ids
from regard.decoding.top import logsumexp, top
from regard.errors import RegardError

FEW = 32  # so many bans are dealt with by looking at as many tokens more; a longer list is crossed out beforehand


class TopCandidates(NamedTuple):
    """(rows, count) each, the best first: what to rank by, the tokens, their log-probabilities.

    A token that may not be written has a rank of -inf.
    """

    ranks: np.ndarray
    ids: Ids
    scores: np.ndarray


class Candidates:
    """Log-probabilities are the model's own: a rule takes tokens away and gives their share to nobody.

    A repetition penalty changes what is ranked by, log-probabilities or (`by_logit`) the scores before softmax.
    """

    constraints: Constraints
    by_logit: bool
    bans: BannedTokens

    def __init__(self, constraints: Constraints, by_logit: bool = False) -> None:
        self.constraints, self.by_logit = constraints, by_logit
        self.bans = BannedTokens(constraints)
        self.outside: np.ndarray | None = None

    def of(
        self, logits: np.ndarray, count: int, written: int, max_new_tokens: np.ndarray, history: Ids | None = None
    ) -> TopCandidates:
        """Of texts that all have `written` tokens. Writes into the logits. `max_new_tokens` has one number per row."""
        bans = self.bans.after(written, history)
        few = bans is None or bans.shape[1] <= FEW
        if few and self.constraints.allowed is None and self.constraints.repetition_penalty == 1:
            raw, ids, total = top(logits, count if bans is None else count + bans.shape[1])
            whole = finite_logsumexp(total, written)
        else:
            logits, whole = self.constrain(logits, written, history)
            raw, ids, _ = top(logits, count)
            bans = None
        scores = self.log_probabilities(raw, ids, whole, history)
        ranks = raw if self.by_logit else raw - whole[:, None]
        top_candidates = TopCandidates(ranks, ids, scores)
        return self.with_forced(
            top_candidates if bans is None else without_banned(top_candidates, bans, count),
            written,
            max_new_tokens,
            logits.shape[1],
        )

    def constrain(self, logits: np.ndarray, written: int, history: Ids | None) -> tuple[np.ndarray, np.ndarray]:
        """The same scores with the constraints in them, written over, and their log-sum-exp from before."""
        whole = finite_logsumexp(logsumexp(logits), written)
        if self.constraints.repetition_penalty != 1 and history is not None:
            self.penalise(logits, whole, history)
        if self.constraints.allowed is not None:
            logits[:, self.beyond(logits)] = -np.inf
        if (bans := self.bans.after(written, history)) is not None:
            cross_out(logits, bans)
        return logits, whole

    def log_probabilities(self, raw: np.ndarray, ids: Ids, whole: np.ndarray, history: Ids | None) -> np.ndarray:
        """What the model thought of these tokens before a penalty."""
        penalty, scores = self.constraints.repetition_penalty, raw - whole[:, None]
        if penalty == 1 or history is None:
            return scores
        seen = (ids[:, :, None] == history[:, None, :]).any(-1)
        if self.by_logit:
            return np.where(seen, np.where(raw < 0, raw / penalty, raw * penalty) - whole[:, None], scores)
        return np.where(seen, scores / penalty, scores)

    def penalise(self, logits: np.ndarray, total: np.ndarray, history: Ids) -> None:
        penalty = self.constraints.repetition_penalty
        tokens = np.where(history < 0, np.maximum(history.max(1, keepdims=True), 0), history)
        scores = np.take_along_axis(logits, tokens, 1)
        if self.by_logit:
            scores = np.where(scores < 0, scores * np.float32(penalty), scores / np.float32(penalty))
        else:
            scores = total[:, None] + (scores - total[:, None]) * np.float32(penalty)
        np.put_along_axis(logits, tokens, scores, 1)

    def beyond(self, logits: np.ndarray) -> np.ndarray:
        """Where the vocabulary is not allowed: (vocabulary,)."""
        if self.outside is None:
            outside = np.ones(logits.shape[1], np.bool_)
            allowed = {*(self.constraints.allowed or ()), *self.constraints.ends}
            outside[[token for token in allowed if 0 <= token < logits.shape[1]]] = False
            self.outside = outside
        return self.outside

    def with_forced(
        self, candidates: TopCandidates, written: int, max_new_tokens: np.ndarray, vocabulary: int
    ) -> TopCandidates:
        """Where a token is settled beforehand it is certain, and nothing else is possible."""
        token, here = self.forced_token(written, max_new_tokens, vocabulary)
        if here is None:
            return candidates
        ranks, ids, scores = (numbers.copy() for numbers in candidates)
        for numbers in (scores, ranks):
            numbers[here] = -np.inf
            numbers[here, 0] = 0
        ids[here, 0] = token
        return TopCandidates(ranks, ids, scores)

    def forced_token(self, written: int, max_new_tokens: np.ndarray, vocabulary: int) -> tuple[int, np.ndarray | None]:
        """The token that is forced now, and in which rows."""
        constraints = self.constraints
        if constraints.first is not None and written == 0:
            token, here = constraints.first, np.ones(len(max_new_tokens), dtype=bool)
        elif constraints.last is not None:
            token, here = constraints.last, max_new_tokens == written + 1
        else:
            return -1, None
        if not 0 <= token < vocabulary:
            raise RegardError(f"token {token} is forced, and the vocabulary has {vocabulary}")
        return token, here if here.any() else None


def finite_logsumexp(whole: np.ndarray, written: int) -> np.ndarray:
    """The log-sum-exp of each row, if they are numbers."""
    if not np.isfinite(whole).all():
        raise RegardError(
            f"the model's scores are not numbers ({whole[~np.isfinite(whole)][0]}) after {written} tokens: "
            "its weights are damaged, or too large for their precision"
        )
    return whole


def without_banned(candidates: TopCandidates, bans: Ids, count: int) -> TopCandidates:
    """The first `count` that are not banned; where there are fewer, banned ones of rank -inf."""
    banned = (candidates.ids[:, :, None] == bans[:, None, :]).any(-1)
    if not banned.any():
        return TopCandidates(*(numbers[:, :count] for numbers in candidates))
    order = banned.argsort(axis=1, kind="stable")[:, :count]
    ranks, ids, scores = (np.take_along_axis(numbers, order, 1) for numbers in candidates)
    ranks[np.take_along_axis(banned, order, 1)] = -np.inf
    return TopCandidates(ranks, ids, scores)


def cross_out(logits: np.ndarray, bans: Ids) -> None:
    """-inf where a token is banned."""
    rows, columns = np.nonzero((bans >= 0) & (bans < logits.shape[1]))
    if len(bans) == 1:
        logits[:, bans[0, columns]] = -np.inf
    else:
        logits[rows, bans[rows, columns]] = -np.inf

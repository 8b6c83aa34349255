"""One text for each source or prompt, token by token."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from regard.decoding.array_steps import array_steps
from regard.decoding.constraints import Ids
from regard.decoding.hypothesis import Hypothesis, length_normalised
from regard.decoding.request import DecodeRequest, FirstStep

Choose = Callable[[np.ndarray, np.ndarray, int, Ids | None], tuple[Ids, np.ndarray]]
"""From scores (rows, vocabulary), which texts they are, how much is written and what: a token each, and its
log-probability; -inf where nothing may be written."""


class DecodedStep(NamedTuple):
    """What a step wrote: which texts, their tokens with log-probabilities, and which tokens are ends."""

    texts: np.ndarray
    ids: Ids
    scores: np.ndarray
    ended: np.ndarray


class SingleSearch:
    """One text, or `copies` of it, for each row of a request, while it is written: text 0 to copies - 1 are those of
    the first row, and so on. `tokens` are what the model reads next, a row for each of `texts`."""

    texts: np.ndarray
    tokens: Ids
    history: Ids | None
    choose: Choose
    copies: int
    is_wanted: Callable[[int], bool] | None
    written: int
    rows: np.ndarray
    ids: Ids
    is_going_on: np.ndarray

    def __init__(
        self,
        request: DecodeRequest,
        first_step: FirstStep,
        choose: Choose,
        copies: int = 1,
        is_wanted: Callable[[int], bool] | None = None,
    ) -> None:
        self.texts, self.tokens, self.history = first_step.rows, first_step.tokens, first_step.history
        self.choose, self.copies, self.is_wanted = choose, copies, is_wanted
        self.ends: Ids = np.array(request.constraints.ends, dtype=np.int64)
        self.max_new_tokens: np.ndarray = request.max_new_tokens.repeat(copies)
        self.written = 0

    def write(self, logits: np.ndarray) -> DecodedStep:
        """A token more for each text, from the scores of what follows its row."""
        self.rows = np.arange(len(self.texts))
        if self.copies > 1 and not self.written:
            self.rows = self.rows.repeat(self.copies)
            logits = logits[self.rows]
            self.texts = (self.texts[:, None] * self.copies + np.arange(self.copies)).ravel()
            self.history = None if self.history is None else self.history[self.rows]
        self.ids, scores = self.choose(logits, self.texts, self.written, self.history)
        may = scores > -np.inf
        ended = (self.ids[:, None] == self.ends).any(1)
        self.is_going_on = may & ~ended & (self.max_new_tokens[self.texts] > self.written + 1)
        return (
            DecodedStep(self.texts, self.ids, scores, ended)
            if may.all()
            else DecodedStep(self.texts[may], self.ids[may], scores[may], ended[may])
        )

    def go_on(self) -> np.ndarray:
        """The rows of the last step that the texts go on from which are not over, and which somebody wants."""
        self.written += 1
        is_going_on, ids = self.is_going_on, self.ids
        if self.history is not None:
            self.history = np.concatenate([self.history, ids[:, None]], 1)
        if self.is_wanted is not None:
            is_going_on = is_going_on & [self.is_wanted(text) for text in self.texts.tolist()]
        if not is_going_on.all():
            chosen = np.flatnonzero(is_going_on)
            self.texts, ids, self.rows = self.texts[chosen], ids[chosen], self.rows[chosen]
            self.history = None if self.history is None else self.history[chosen]
        self.tokens = np.ascontiguousarray(ids[:, None])
        return self.rows


def decode_steps(
    model: object,
    request: DecodeRequest,
    choose: Choose,
    copies: int = 1,
    is_wanted: Callable[[int], bool] | None = None,
) -> Iterator[DecodedStep]:
    """Write each text until it ends or is as long as it may be; finished texts leave the batch.

    `copies` are written of each: text 0 to copies - 1 from the first row, and so on. After every step, a text of which
    `is_wanted` says no leaves, too.
    """
    steps = array_steps(model, request.device)
    first_step = request.begin(steps)
    search = SingleSearch(request, first_step, choose, copies, is_wanted)
    state, attention_mask = first_step.state, first_step.attention_mask
    while len(search.texts):
        logits, state = steps.next_scores(state, search.tokens, attention_mask)
        attention_mask = None
        yield search.write(logits)
        rows = search.go_on()
        if len(rows) and not is_same_rows(rows, len(logits)):
            state = steps.select_rows(state, rows)


def is_same_rows(rows: np.ndarray, count: int) -> bool:
    """Whether these are all of so many rows, in order."""
    return len(rows) == count and bool((rows == np.arange(count)).all())


def collect(steps: Iterator[DecodedStep], count: int, penalty: float = 1.0) -> list[Hypothesis]:
    """The texts, whole."""
    pages = list(steps)
    ids, scores = np.zeros((count, len(pages)), dtype=np.int64), np.zeros((count, len(pages)))
    lengths, ended = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=bool)
    for column, page in enumerate(pages):
        ids[page.texts, column], scores[page.texts, column] = page.ids, page.scores
        lengths[page.texts] += 1
        ended[page.texts] = page.ended
    hypotheses = []
    for row in range(count):
        length, is_finished = int(lengths[row]), bool(ended[row])
        token_scores = tuple(scores[row, :length].tolist())
        words = tuple(ids[row, : length - is_finished].tolist())
        hypotheses.append(
            Hypothesis(words, token_scores, is_finished, length_normalised(sum(token_scores), length, penalty))
        )
    return hypotheses

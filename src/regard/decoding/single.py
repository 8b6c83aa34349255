"""One text for each source or prompt, token by token."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from regard.decoding.array_steps import array_steps
from regard.decoding.constraints import Ids
from regard.decoding.hypothesis import Hypothesis, length_normalised
from regard.decoding.request import DecodeRequest

Choose = Callable[[np.ndarray, np.ndarray, int, Ids | None], tuple[Ids, np.ndarray]]
"""From scores (rows, vocabulary), which texts they are, how much is written and what: a token each, and its
log-probability; -inf where nothing may be written."""


class DecodedStep(NamedTuple):
    """What a step wrote: which texts, their tokens with log-probabilities, and which tokens are ends."""

    texts: np.ndarray
    ids: Ids
    scores: np.ndarray
    ended: np.ndarray


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
    texts, state, tokens, attention_mask, history = (
        first_step.rows,
        first_step.state,
        first_step.tokens,
        first_step.attention_mask,
        first_step.history,
    )
    ends, max_new_tokens = np.array(request.constraints.ends, dtype=np.int64), request.max_new_tokens.repeat(copies)
    written = 0
    while len(texts):
        logits, state = steps.next_scores(state, tokens, attention_mask)
        attention_mask = None
        if copies > 1 and not written:
            rows = np.arange(len(texts)).repeat(copies)
            state, logits = steps.select_rows(state, rows), logits[rows]
            texts = (texts[:, None] * copies + np.arange(copies)).ravel()
            history = None if history is None else history[rows]
        ids, scores = choose(logits, texts, written, history)
        may = scores > -np.inf
        ended = (ids[:, None] == ends).any(1)
        yield (
            DecodedStep(texts, ids, scores, ended)
            if may.all()
            else DecodedStep(texts[may], ids[may], scores[may], ended[may])
        )
        written += 1
        if history is not None:
            history = np.concatenate([history, ids[:, None]], 1)
        is_going_on = may & ~ended & (max_new_tokens[texts] > written)
        if is_wanted is not None:
            is_going_on &= [is_wanted(text) for text in texts.tolist()]
        if not is_going_on.all():
            rows = np.flatnonzero(is_going_on)
            texts, ids, history = texts[rows], ids[rows], None if history is None else history[rows]
            state = steps.select_rows(state, rows) if len(rows) else state
        tokens = np.ascontiguousarray(ids[:, None])


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

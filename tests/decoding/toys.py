"""Models that are tables, small enough to try every text."""

from itertools import product

import numpy as np
import torch


class Table:
    """The scores of the next token depend on all that was written: one row of `scores` for every history.

    Several sources are several tables: (sources, histories, vocabulary).
    """

    def __init__(self, scores):
        self.scores = torch.as_tensor(np.asarray(scores), dtype=torch.float32)
        self.vocabulary, self.rows = self.scores.shape[-1], []

    @classmethod
    def drawn(cls, seed, vocabulary, longest, sources=1, sharpness=2.0):
        histories = sum(vocabulary**length for length in range(longest + 1))
        numbers = np.random.default_rng(seed).normal(size=(sources, histories, vocabulary))
        return cls(numbers * sharpness)

    def start(self, source, attention_mask=None):
        return At(source[:, 0], torch.full((len(source),), -1))

    def step(self, state, tokens, attention_mask=None):
        self.rows.append(len(tokens))
        first = state.history < 0
        following = torch.where(first, 0, state.history * self.vocabulary + tokens[:, -1] + 1)
        return self.scores[state.source, following][:, None].clone(), At(state.source, following)

    def log_probabilities(self, source, ids):
        """Of every token of a text."""
        history, found = 0, []
        for token in ids:
            found.append(float(self.scores[source, history].log_softmax(-1)[token]))
            history = history * self.vocabulary + token + 1
        return found

    def every_text(self, source, longest, end):
        """All texts that end or are as long as may be: tokens, the end included, and log-probability."""
        rest = [token for token in range(self.vocabulary) if token != end]
        texts = [(*some, end) for length in range(longest) for some in product(rest, repeat=length)]
        texts += list(product(rest, repeat=longest))
        return [(text, sum(self.log_probabilities(source, text))) for text in texts]


class At:
    def __init__(self, source, history):
        self.source, self.history = source, history

    def select(self, rows):
        return At(self.source[rows], self.history[rows])


def sources(count):
    """Numbers of sources, and what their texts begin with."""
    return torch.arange(count)[:, None], torch.zeros(count, 1, dtype=torch.long)

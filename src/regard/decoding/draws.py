"""Tokens drawn by lot, each as often as the model finds it likely."""

from collections.abc import Sequence

import numpy as np

from regard.decoding.candidates import Candidates
from regard.decoding.constraints import Ids
from regard.decoding.hypothesis import Hypothesis
from regard.decoding.progress import OnStep, report_steps
from regard.decoding.request import DecodeRequest
from regard.decoding.sampling import Sampling
from regard.decoding.single import Choose, collect, decode_steps

AHEAD = 64  # numbers that are drawn at a time
ENOUGH = 256  # likeliest tokens that nearly always hold a share of top_p


def sample_texts(
    model: object,
    request: DecodeRequest,
    sampling: Sampling,
    num_hypotheses: int = 1,
    penalty: float = 1.0,
    on_step: OnStep | None = None,
) -> list[list[Hypothesis]]:
    """`num_hypotheses` texts for each source or prompt, the likeliest first."""
    count = len(request.max_new_tokens) * num_hypotheses
    steps = decode_steps(model, request, choose_sampled(request, sampling, num_hypotheses), num_hypotheses)
    texts = collect(report_steps(steps, count, request.longest, on_step), count, penalty)
    groups = [texts[start : start + num_hypotheses] for start in range(0, len(texts), num_hypotheses)]
    return [sorted(group, key=lambda text: -text.rank_score) for group in groups]


def choose_sampled(request: DecodeRequest, sampling: Sampling, copies: int = 1) -> Choose:
    """The choice by lot."""
    candidates = Candidates(request.constraints, by_logit=True)
    max_new_tokens = request.max_new_tokens.repeat(copies)
    lots = RandomDraws(sampling.seeds(len(request.max_new_tokens)), copies)

    def choose(logits: np.ndarray, texts: np.ndarray, written: int, history: Ids | None) -> tuple[Ids, np.ndarray]:
        token, here = candidates.forced_token(written, max_new_tokens[texts], logits.shape[1])
        logits, whole = candidates.constrain(logits, written, history)
        ids = draw_tokens(token_shares(logits, sampling), lots.at(written, texts))
        raw = np.take_along_axis(logits, ids, 1)
        scores = candidates.log_probabilities(raw, ids, whole, history)[:, 0]
        ids, scores = ids[:, 0], np.where(raw[:, 0] == -np.inf, -np.inf, scores)
        return (ids, scores) if here is None else (np.where(here, token, ids), np.where(here, 0.0, scores))

    return choose


def token_shares(logits: np.ndarray, sampling: Sampling) -> np.ndarray:
    """How likely every token is to be drawn, up to a factor: (rows, vocabulary), float64."""
    scores = logits.astype(np.float64) / sampling.temperature
    best = scores.max(1, keepdims=True)
    best = np.where(np.isfinite(best), best, 0)  # nothing may be written there
    if 0 < sampling.top_k < logits.shape[1]:
        scores[scores < highest(scores, sampling.top_k)[:, -1:]] = -np.inf
    shares = np.exp(scores - best)
    if sampling.top_p < 1:
        shares = nucleus(shares, sampling.top_p)
    if sampling.min_p > 0:
        shares[shares < sampling.min_p] = 0  # the best has 1
    return shares


def highest(numbers: np.ndarray, count: int) -> np.ndarray:
    """The `count` largest numbers of each row, the largest first."""
    chosen = np.partition(numbers, numbers.shape[1] - count, axis=1)[:, numbers.shape[1] - count :]
    return -np.sort(-chosen, axis=1)


def nucleus(shares: np.ndarray, least: float) -> np.ndarray:
    """Only the likeliest tokens that have this share of the whole together, those that are as likely as the last of
    them included."""
    total = shares.sum(1, keepdims=True)
    for count in (min(ENOUGH, shares.shape[1]), shares.shape[1]):
        best = highest(shares, count)
        before = best.cumsum(1) - best
        if count == shares.shape[1] or bool((best.sum(1, keepdims=True) >= least * total).all()):
            last = np.where(before < least * total, best, np.inf).min(1, keepdims=True)
            return np.where(shares < last, 0, shares)
    raise AssertionError


def draw_tokens(shares: np.ndarray, lots: np.ndarray) -> np.ndarray:
    """The token at which the running sum of shares, in the order of the vocabulary, passes a lot: (rows, 1)."""
    sums = shares.cumsum(1)
    total = sums[:, -1:]
    wanted = np.minimum(lots[:, None] * total, np.nextafter(total, 0))
    return np.minimum((sums <= wanted).sum(1, keepdims=True), shares.shape[1] - 1)


class RandomDraws:
    """Numbers from 0 to 1 for every text, from its own seed: the n-th is the same wherever the text stands."""

    generators: "list[np.random.Generator]"
    numbers: np.ndarray

    def __init__(self, seeds: Sequence[int], copies: int) -> None:
        keys = [(seed % 2**64) + (copy << 64) for seed in seeds for copy in range(copies)]
        self.generators = [np.random.Generator(np.random.Philox(key=key)) for key in keys]
        self.numbers = np.empty((len(keys), 0))

    def at(self, step: int, texts: np.ndarray) -> np.ndarray:
        """The number of each of these texts for a step."""
        if not step % AHEAD:
            self.numbers = np.stack([generator.random(AHEAD) for generator in self.generators])
        return self.numbers[texts, step % AHEAD]

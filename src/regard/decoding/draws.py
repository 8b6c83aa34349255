"""Tokens drawn by lot, each as often as the model finds it likely."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from regard.decoding.candidates import Candidates
from regard.decoding.constraints import Ids
from regard.decoding.hypothesis import Hypothesis
from regard.decoding.progress import OnStep, report_steps
from regard.decoding.request import DecodeRequest
from regard.decoding.sampling import Sampling
from regard.decoding.single import Choose, collect, decode_steps
from regard.decoding.step_model import State, StepModel

AHEAD = 64  # numbers that are drawn at a time
ENOUGH = 256  # likeliest tokens that nearly always hold a share of top_p


def sample_texts(
    model: StepModel[State],
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

    def choose(logits: Tensor, texts: np.ndarray, written: int, history: Ids | None) -> tuple[Ids, np.ndarray]:
        token, here = candidates.forced_token(written, max_new_tokens[texts], logits.shape[1])
        logits, whole = candidates.constrain(logits, written, history)
        tokens = draw_tokens(
            token_shares(logits, sampling), torch.from_numpy(lots.at(written, texts)).to(logits.device)
        )
        raw, ids = logits.gather(1, tokens).cpu().numpy(), tokens.cpu().numpy()
        scores = candidates.log_probabilities(raw, ids, whole, history)[:, 0]
        ids, scores = ids[:, 0], np.where(raw[:, 0] == -np.inf, -np.inf, scores)
        return (ids, scores) if here is None else (np.where(here, token, ids), np.where(here, 0.0, scores))

    return choose


def token_shares(logits: Tensor, sampling: Sampling) -> Tensor:
    """How likely every token is to be drawn, up to a factor: (rows, vocabulary), float64."""
    scores = logits.double() / sampling.temperature
    best = scores.max(-1, keepdim=True).values
    best = torch.where(best.isfinite(), best, 0)  # nothing may be written there
    if 0 < sampling.top_k < logits.shape[1]:
        least = scores.topk(sampling.top_k, -1).values[:, -1:]
        scores = scores.masked_fill_(scores < least, -torch.inf)
    shares = (scores - best).exp_()
    if sampling.top_p < 1:
        shares = nucleus(shares, sampling.top_p)
    return shares.masked_fill_(shares < sampling.min_p, 0) if sampling.min_p > 0 else shares  # the best has 1


def nucleus(shares: Tensor, least: float) -> Tensor:
    """Only the likeliest tokens that have this share of the whole together, those that are as likely as the last of
    them included."""
    total = shares.sum(-1, keepdim=True)
    for count in (min(ENOUGH, shares.shape[1]), shares.shape[1]):
        best = shares.topk(count, -1).values
        before = best.cumsum(-1) - best
        if count == shares.shape[1] or bool((best.sum(-1, keepdim=True) >= least * total).all()):
            last = torch.where(before < least * total, best, torch.inf).amin(-1, keepdim=True)
            return shares.masked_fill(shares < last, 0)
    raise AssertionError


def draw_tokens(shares: Tensor, lots: Tensor) -> Tensor:
    """The token at which the running sum of shares, in the order of the vocabulary, passes a lot: (rows, 1)."""
    sums = shares.cumsum(-1)
    total = sums[:, -1:]
    wanted = torch.minimum(lots[:, None] * total, torch.nextafter(total, torch.zeros_like(total)))
    return torch.searchsorted(sums, wanted, right=True).clamp_(max=shares.shape[1] - 1)


class RandomDraws:
    """Numbers from 0 to 1 for every text, from its own seed: the n-th is the same wherever the text stands."""

    generators: list[np.random.Generator]
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

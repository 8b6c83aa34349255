"""Searches through a recurrent translator find what trying every text finds."""

import logging
from itertools import product

import pytest
import torch
from models.plain_alignment import written
from models.test_alignment import REAL, SOURCE, model

from regard.decoding import Beam, Constraints, Sampling, decode
from regard.engine import serve

END, LONGEST = 2, 3
WORDS = (3, 5, 8, END)
RULES = Constraints(ends=(END,), allowed=WORDS[:3])


def every_text(network, source):
    """All texts of a few words with their log-probabilities, by the equations: the best first."""
    rest = WORDS[:3]
    texts = [(*some, END) for length in range(LONGEST) for some in product(rest, repeat=length)]
    texts += list(product(rest, repeat=LONGEST))
    found = []
    for text in texts:
        logits, _ = written(network, source, [1, *text[:-1]])
        likely = logits.log_softmax(-1)[range(len(text)), list(text)]
        found.append((likely.sum().item() / len(text), text))
    return sorted(found, reverse=True)


@pytest.mark.parametrize("name", ["bahdanau", "dot, fed", "multihead", "local-p", "none"])
@torch.no_grad()
def test_a_beam_that_holds_everything_finds_the_best_of_all_texts(name):
    network = model(name)
    start = torch.ones(3, 1, dtype=torch.long)
    size = len(WORDS) ** LONGEST
    told = {"attention_mask": REAL, "prefix": start, "max_new_tokens": LONGEST, "constraints": RULES}
    found = decode(network, SOURCE, beam=Beam(size, early_stop=False), num_hypotheses=4, **told)
    greedy = decode(network, SOURCE, **told)
    for row in range(3):
        best = every_text(network, SOURCE[row][REAL[row]])
        for one, (ranked, text) in zip(found[row].hypotheses, best, strict=False):
            assert one.ids == tuple(token for token in text if token != END)
            assert one.rank_score == pytest.approx(ranked, abs=1e-5)
        text = []
        while len(text) < LONGEST and END not in text:
            logits, _ = written(network, SOURCE[row][REAL[row]], [1, *text])
            text.append(max(WORDS, key=lambda word: logits[-1][word].item()))
        assert greedy[row].best.ids == tuple(token for token in text if token != END)


@pytest.mark.parametrize("name", ["bahdanau", "additive, fed", "multihead, between", "local-m"])
@torch.no_grad()
def test_coverage_and_drawing_work_and_a_small_beam_is_the_same_for_each_source_alone(name):
    network = model(name)
    start = torch.ones(3, 1, dtype=torch.long)
    told = {"max_new_tokens": 6, "constraints": Constraints(ends=(END,)), "num_hypotheses": 2}
    search = {"beam": Beam(3, coverage_penalty=0.3)}
    together = decode(network, SOURCE, attention_mask=REAL, prefix=start, **search, **told)
    for row in range(3):
        (alone,) = decode(network, SOURCE[row : row + 1, REAL[row]], prefix=start[:1], **search, **told)
        for one, other in zip(alone.hypotheses, together[row].hypotheses, strict=True):
            assert one.ids == other.ids
            assert one.rank_score == pytest.approx(other.rank_score, abs=1e-5)
    drawn = decode(network, SOURCE, attention_mask=REAL, prefix=start, sampling=Sampling(seed=4), **told)
    assert [len(one.hypotheses) for one in drawn] == [2, 2, 2]


def test_the_engine_steps_aside(caplog):
    network = model("bahdanau").float()
    with caplog.at_level(logging.INFO, "regard"):
        assert serve(network, wait=True) is network

"""The engine writes what the model itself writes: token for token, whatever the batch and its order."""

import pytest
import torch
from shapes_of_engine import WIDTH, made

from regard.decoding import Constraints, decode, stream
from regard.decoding.serving import serve_model
from regard.engine.build import why
from regard.engine.library import library
from regard.engine.steps import Engine

pytestmark = pytest.mark.skipif(library(wait=True) is None, reason=why() or "REGARD_ENGINE=off")

END, START, LONGEST = 0, 1, 24
TIE = 1e-4  # two texts whose scores differ by less may change places


def asked(count, seed):
    """Sources of 1 to 12 tokens, padded on the right."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, 13, (count,), generator=generator)
    tokens = torch.randint(2, 53, (count, 12), generator=generator)
    return tokens, torch.arange(12) < lengths[:, None]


def written(model, tokens, attention_mask, beam, **more):
    prefix = torch.full((len(tokens), 1), START)
    return [
        found.best
        for found in decode(
            model,
            tokens,
            attention_mask=attention_mask,
            prefix=prefix,
            beam=beam,
            max_new_tokens=LONGEST,
            constraints=Constraints(ends=(END,)),
            **more,
        )
    ]


def differing(model, tokens, attention_mask, beam, monkeypatch):
    """How many texts differ, and how many of those are no ties."""
    assert isinstance(serve_model(model), Engine)
    compiled = written(model, tokens, attention_mask, beam)
    with monkeypatch.context() as patch:
        patch.setenv("REGARD_ENGINE", "off")
        own = written(model, tokens, attention_mask, beam)
    others = [(a, b) for a, b in zip(compiled, own, strict=True) if a.ids != b.ids]
    for a, b in zip(compiled, own, strict=True):
        assert a.ids != b.ids or a.score == pytest.approx(b.score, abs=1e-3)
    return len(others), sum(abs(a.rank_score - b.rank_score) >= TIE for a, b in others)


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("name", ["marian", "t5", "bart", "pre-norm"])
def test_the_engine_writes_what_the_model_writes(name, beam, monkeypatch):
    tokens, attention_mask = asked(64, seed=WIDTH)
    ties, real_differences = differing(made(name, spread=0.6), tokens, attention_mask, beam, monkeypatch)
    assert real_differences == 0
    assert ties <= 1


@pytest.mark.proof
@pytest.mark.parametrize("beam", [1, 4])
def test_two_thousand_texts_differ_in_ties_at_most(beam, monkeypatch, capsys):
    ties = 0
    for seed in range(20):
        tokens, attention_mask = asked(100, seed)
        other, real_differences = differing(made("marian", seed, spread=0.6), tokens, attention_mask, beam, monkeypatch)
        assert real_differences == 0
        ties += other
    with capsys.disabled():
        print(f"\nbeam {beam}: {ties} of 2,000 texts differ, all of them ties")
    assert ties <= 3


@pytest.mark.parametrize("beam", [1, 4])
def test_alone_together_shuffled_and_streamed_are_one(beam):
    model = made("marian", spread=0.6)
    tokens, attention_mask = asked(64, seed=3)
    together = written(model, tokens, attention_mask, beam)
    order = torch.randperm(64, generator=torch.manual_seed(0))
    shuffled = written(model, tokens[order], attention_mask[order], beam)
    assert [shuffled[row].ids for row in order.argsort()] == [one.ids for one in together]
    for row in (0, 17, 63):
        mine = slice(row, row + 1)
        assert written(model, tokens[mine], attention_mask[mine], beam)[0] == together[row]
    if beam == 1:
        parts = list(
            stream(
                model,
                tokens,
                attention_mask=attention_mask,
                prefix=torch.full((64, 1), START),
                max_new_tokens=LONGEST,
                constraints=Constraints(ends=(END,)),
            )
        )
        for row, one in enumerate(together):
            assert tuple(part.id for part in parts if part.row == row and not part.is_end) == one.ids

"""One answer for one text: alone, in any company, cached or not, streamed or not, by the engine or by PyTorch."""

import random

import pytest
import torch
from builtin.shipped import DIRECTIONS, pairs, translations, translator

from regard.decoding import decode, serve_model, stream
from regard.engine.build import why
from regard.text import batches

pytestmark = [pytest.mark.proof, pytest.mark.parametrize("name", DIRECTIONS)]
TIE, TIES = 1e-4, 3


def check(name, found, beam=4):
    """At most a few answers differ from those given all at once, and each of those has the same score but for a tie."""
    told = translations(name, beam)
    other = [(one, two) for one, two in zip(told, found, strict=True) if one.text != two.text]
    gaps = [abs(one.rank_score - two.rank_score) for one, two in other]
    print(f"{name}: {len(other)} of {len(told)} differ, by {max(gaps, default=0):.1e} at most")
    assert len(other) <= TIES
    assert max(gaps, default=0) < TIE


def asked(name, texts):
    return translator(name)(texts, beam=4, split=False, protect=False)


def test_alone(name):
    check(name, [asked(name, [text])[0] for text in pairs(name)[0]])


def test_in_batches_of_64(name):
    sources = pairs(name)[0]
    check(name, [one for begin in range(0, len(sources), 64) for one in asked(name, sources[begin : begin + 64])])


def test_shuffled(name):
    sources = pairs(name)[0]
    order = random.Random(1).sample(range(len(sources)), len(sources))
    found = dict(zip(order, asked(name, [sources[position] for position in order]), strict=True))
    check(name, [found[position] for position in range(len(sources))])


def test_without_the_engine(name, monkeypatch):
    model = translator(name).model
    if serve_model(model) is model:
        pytest.skip(f"there is no engine here: {why()}")
    translations(name)  # by the engine
    monkeypatch.setenv("REGARD_ENGINE", "off")
    assert serve_model(model) is model
    check(name, asked(name, pairs(name)[0]))


class Written:
    """All that was read and written so far, and nothing remembered of it."""

    def __init__(self, source, attention_mask, tokens=None):
        self.source, self.attention_mask, self.tokens = source, attention_mask, tokens

    def select(self, rows):
        return Written(
            self.source[rows], None if self.attention_mask is None else self.attention_mask[rows], self.tokens[rows]
        )


class Forgetful:
    """The same model, which reads everything anew at every step."""

    def __init__(self, model):
        self.model = model

    def start(self, source, attention_mask=None):
        return Written(source, attention_mask)

    def step(self, state, tokens, attention_mask=None):
        tokens = tokens if state.tokens is None else torch.cat([state.tokens, tokens], 1)
        scores = self.model(state.source, tokens, attention_mask=state.attention_mask)[:, -1:]
        return scores, Written(state.source, state.attention_mask, tokens)


def by_batches(name, write):
    """What is written for the texts of each batch, put into the order of the texts."""
    task = translator(name)
    read = [task.tokenizer.encode(text) for text in pairs(name)[0]]
    found = {}
    with torch.no_grad():
        for batch in batches(read, pad=task.tokenizer.specials.pad, device="cpu"):
            told = {
                "attention_mask": batch.attention_mask,
                "max_new_tokens": task.processor.max_new_tokens(None),
                "constraints": task.processor.constraints(0),
            }
            told["prefix"] = torch.full((len(batch.rows), 1), task.processor.start())
            found.update(zip(batch.rows, write(task.model, batch.tokens, told), strict=True))
    return [found[row] for row in range(len(read))]


def test_without_a_cache(name):
    def write(model, tokens, told):
        return [one.best for one in decode(Forgetful(model), tokens, beam=4, **told)]

    decoder = translator(name).tokenizer.target
    told, found = translations(name), by_batches(name, write)
    other = [(one, two) for one, two in zip(told, found, strict=True) if one.text != decoder.decode(two.ids)]
    print(f"{name}: {len(other)} of {len(told)} differ")
    assert len(other) <= TIES
    assert all(abs(one.rank_score - two.rank_score) < TIE for one, two in other)


def test_streamed(name):
    def write(model, tokens, told):
        texts = [[] for _ in tokens]
        for token in stream(model, tokens, **told):
            if not token.is_end:
                texts[token.row].append(token.id)
        return texts

    decoder = translator(name).tokenizer.target
    told, found = translations(name, beam=1), by_batches(name, write)
    assert sum(one.text != decoder.decode(ids) for one, ids in zip(told, found, strict=True)) <= TIES

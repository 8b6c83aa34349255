"""Texts join others that are under way, and leave them: each is what it is alone, to the bit."""

import random
import re

import numpy as np
import pytest
import torch
from needs_engine import needs_engine
from shapes_of_engine import made, texts

import regard
from regard.engine import EngineError, serve
from regard.engine.packed_model import PRECISIONS
from regard.errors import ArgumentError
from regard.models import Transformer

pytestmark = needs_engine
NAMES = ["marian", "t5", "llama", "gpt2", "alibi", "mistral", "pruned"]  # all kinds of positions, and a window


class Text:
    """What is read, and the tokens of each step, of one text; its scores when it is written alone."""

    def __init__(self, engine, seed, steps=6):
        has_source = isinstance(engine.model, Transformer)
        draw = random.Random(seed)
        self.source = texts(1, draw.randint(1, 9), seed)[0] if has_source else None
        self.prefix = texts(1, 1 if has_source else draw.randint(1, 4), seed + 1000)[0]
        self.tokens = [self.prefix, *texts(1, draw.randint(1, steps), seed + 2000)[0].T[:, :, None]]
        state = engine.start(self.source)
        self.alone = [engine.step(state, tokens)[0][0, 0].clone() for tokens in self.tokens]
        self.written = 0

    def begin(self, engine):
        """A state of its own after its first step, which agrees."""
        state = engine.start(self.source)
        logits, state = engine.step(state, self.tokens[0])
        self.check(logits[0, 0])
        return state

    def check(self, logits):
        assert torch.equal(logits, self.alone[self.written])
        self.written += 1

    @property
    def is_over(self):
        return self.written == len(self.tokens)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", NAMES)
def test_each_text_is_what_it_is_alone_whoever_comes_and_goes(name, precision):
    engine = serve(made(name), precision)
    draw = random.Random(7)
    waiting = [Text(engine, seed) for seed in range(24)]
    running, state = [], None
    while waiting or running:
        for _ in range(draw.randint(0, 3) if running else 1):
            if waiting:
                running.append(waiting.pop())
                begun = running[-1].begin(engine)
                if state is None:
                    state = begun
                else:
                    state.join(begun)
                    assert begun.rows == 0
        staying = [row for row, text in enumerate(running) if not text.is_over]
        draw.shuffle(staying)
        state.select(np.array(staying, np.int64))
        running = [running[row] for row in staying]
        assert state.rows == len(running)
        if running:
            logits, state = engine.step(state, torch.cat([text.tokens[text.written] for text in running]))
            for text, row in zip(running, logits[:, 0], strict=True):
                text.check(row)


@pytest.mark.parametrize("name", ["marian", "t5"])
def test_a_text_may_join_before_it_has_written_anything(name):
    engine = serve(made(name))
    first, second = Text(engine, 1), Text(engine, 2)
    state = first.begin(engine)
    state.join(engine.start(second.source))
    logits, _ = engine.step(state, torch.cat([first.tokens[1], second.prefix]))
    first.check(logits[0, 0])
    second.check(logits[1, 0])


def test_what_only_texts_that_left_looked_at_is_freed():
    engine = serve(made("marian"))
    source, token = texts(4, 9)[0], torch.ones(4, 1, dtype=torch.int64)
    state = engine.start(source)
    engine.step(state, token)
    most = 0
    for _ in range(30):
        coming = engine.start(source)
        engine.step(coming, token)
        state.join(coming)
        engine.step(state, torch.ones(8, 1, dtype=torch.int64))
        state.select(np.arange(4, 8))
        most = max(most, state.bytes)
    alone = engine.start(source)
    for _ in range(3):
        engine.step(alone, token)
    assert most < 4 * alone.bytes
    assert state.length <= 4


def test_a_state_that_all_rows_have_left_is_begun_anew_by_those_that_join():
    engine = serve(made("llama"))
    text = Text(engine, 3)
    state = engine.start()
    engine.step(state, texts(5, 7)[0])
    state.select(np.zeros(0, np.int64))
    state.join(text.begin(engine))
    assert (state.rows, state.length) == (1, text.prefix.shape[1])
    text.check(engine.step(state, text.tokens[1])[0][0, 0])


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda engine, state: state, "a text cannot join itself"),
        (lambda engine, state: serve(made("gpt2")).start(), "these are of two"),
        (lambda engine, state: engine.start_watched(["decoder.0.self"]), "a text that is watched"),
        (lambda engine, state: edited(engine), "edited alike can be joined"),
    ],
)
def test_what_cannot_join_is_one_line_and_the_text_goes_on(other, message):
    engine = serve(made("llama"))
    text = Text(engine, 4)
    state = text.begin(engine)
    with pytest.raises(EngineError, match=re.escape(message)):
        state.join(other(engine, state))
    text.check(engine.step(state, text.tokens[1])[0][0, 0])


def edited(engine):
    with regard.edit(engine.model) as edit:
        edit.head("decoder.0.self", 1).off()
        return engine.start()


def test_edited_texts_join_those_that_are_edited_alike():
    engine = serve(made("marian"))
    with regard.edit(engine.model) as edit:
        edit.head("decoder.0.cross", 1).off()
        first, second = Text(engine, 5), Text(engine, 6)
        state = first.begin(engine)
        state.join(second.begin(engine))
        logits, _ = engine.step(state, torch.cat([first.tokens[1], second.tokens[1]]))
    first.check(logits[0, 0])
    second.check(logits[1, 0])


def test_something_else_does_not_join():
    engine = serve(made("gpt2"))
    with pytest.raises(ArgumentError, match="a text of the engine can join another, got Tensor"):
        engine.start().join(torch.ones(1))

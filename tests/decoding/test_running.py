"""Texts that come and go while others are written are what `decode` writes for each alone."""

import random

import numpy as np
import pytest
import torch
from needs_engine import needs_engine
from shapes_of_engine import made, texts

from regard.decoding import Beam, Constraints, Sampling, decode
from regard.decoding.running import RunningText, RunningTexts
from regard.engine.state import EngineState
from regard.errors import RegardError
from regard.models import Transformer

CONSTRAINTS = Constraints(ends=(0, 1), no_repeat=2, min_new_tokens=1)
WAYS = {
    "likeliest": {},
    "beam": {"beam": Beam(3), "num_hypotheses": 2},
    "patient beam": {"beam": Beam(2, early_stop=False), "length_penalty": 0.6},
    "drawn": {"sampling": Sampling(top_k=9, seed=4)},
    "drawn twice": {"sampling": Sampling(temperature=1.5, seed=5), "num_hypotheses": 2},
}


def requests(model, count, seed=0):
    """Arguments of `decode` for so many texts, each of one row."""
    draw, names = random.Random(seed), list(WAYS)
    for number in range(count):
        length = draw.randint(1, 6)
        tokens, has_source = texts(1, length, seed + number)[0], isinstance(model, Transformer)
        yield {
            "source": tokens if has_source else None,
            "prefix": torch.ones(1, 1, dtype=torch.int64) if has_source else tokens,
            "max_new_tokens": [draw.choice((0, 1, 2, 5, 9))],
            "constraints": CONSTRAINTS,
            **WAYS[names[number % len(names)]],
        }


def run(model, waiting, draw, precision="float32", on_step=lambda running: None):
    """What comes of requests that join when the lot falls on them."""
    running, all_texts = RunningTexts(model, precision), []
    waiting = list(waiting)
    while waiting or running.groups:
        for _ in range(draw.randint(0, 2) if running.groups else 1):
            if waiting:
                all_texts.append(RunningText())
                running.join(all_texts[-1:], **waiting.pop(0))
        running.step()
        on_step(running)
    return [text.result for text in all_texts]


@needs_engine
@pytest.mark.parametrize("precision", ["float32", "int8"])
@pytest.mark.parametrize("name", ["marian", "t5", "llama", "gpt2"])
def test_each_text_is_what_it_is_alone_in_the_engine_and_all_share_its_steps(name, precision):
    model = made(name)
    asked = list(requests(model, 25))
    groups = []
    results = run(model, asked, random.Random(1), precision, lambda running: groups.append(len(running.groups)))
    assert results == [decode(model, **one, precision=precision)[0] for one in asked]
    assert max(groups) == 1


@pytest.mark.parametrize("name", ["marian", "llama"])
def test_each_text_is_what_it_is_alone_without_the_engine(name, monkeypatch):
    monkeypatch.setenv("REGARD_ENGINE", "off")
    model = made(name)
    asked = list(requests(model, 10))
    assert run(model, asked, random.Random(1)) == [decode(model, **one)[0] for one in asked]


@needs_engine
@pytest.mark.parametrize("way", WAYS)
def test_texts_that_come_together_are_searched_for_together(way):
    model = made("llama")
    prompts, mask = texts(5, 6, seed=3)
    told = {"prefix": prompts, "prefix_attention_mask": mask, "constraints": CONSTRAINTS, **WAYS[way]}
    running, mine = RunningTexts(model), [RunningText() for _ in prompts]
    running.join(mine, None, max_new_tokens=[3, 0, 5, 8, 1], **told)
    assert running.searches == 1
    assert mine[1].is_over
    while running.groups:
        running.step()
    assert [text.result for text in mine] == decode(model, None, max_new_tokens=[3, 0, 5, 8, 1], **told)


@needs_engine
@pytest.mark.parametrize("way", ["likeliest", "beam", "drawn twice"])
def test_a_text_that_nobody_wants_leaves_at_the_next_step_and_harms_no_other(way):
    model = made("marian")
    source = texts(3, 5)[0]
    told = {"prefix": torch.ones(3, 1, dtype=torch.int64), "max_new_tokens": 20, "constraints": Constraints()}
    told |= WAYS[way]
    is_left = []
    running = RunningTexts(model)
    mine = [RunningText(), RunningText(is_wanted=lambda: not is_left), RunningText()]
    running.join(mine, source, **told)
    running.step()
    (group,) = running.groups
    before = group.state.rows
    is_left.append(True)
    running.step()
    assert mine[1].is_over
    assert group.state.rows == before * 2 // 3
    while running.groups:
        running.step()
    alone = decode(model, source, **told)
    assert [mine[0].result, mine[2].result] == [alone[0], alone[2]]


@needs_engine
def test_tokens_are_told_as_they_come():
    model = made("gpt2")
    told = {"prefix": texts(1, 3)[0], "max_new_tokens": 6, "constraints": Constraints(ends=(0,))}
    tokens, running = [], RunningTexts(model)
    text = RunningText(on_token=tokens.append)
    running.join([text], None, **told)
    assert len(tokens) == 1  # the prompt was read
    while running.groups:
        running.step()
    (alone,) = decode(model, None, **told)
    assert [token.id for token in tokens if not token.is_end] == list(alone.best.ids)
    assert [token.score for token in tokens] == list(alone.best.scores)


@needs_engine
def test_what_fails_is_told_to_its_texts_and_to_no_other(monkeypatch):
    model = made("marian")
    source, prefix = texts(2, 5)[0], torch.ones(1, 1, dtype=torch.int64)
    told = {"prefix": prefix, "max_new_tokens": 6, "constraints": Constraints()}

    def on_token(token):
        raise RegardError("nobody hears this")

    bad, good = RunningText(on_token=on_token), RunningText()
    running = RunningTexts(model)
    running.join([good], source[:1], **told)
    running.join([bad], source[1:], **told)
    while running.groups:
        running.step()
    assert str(bad.problem) == "nobody hears this"
    assert [good.result] == decode(model, source[:1], **told)


@needs_engine
def test_a_step_that_fails_is_told_to_all_who_shared_it_and_those_apart_go_on(monkeypatch):
    model = made("marian")
    source, prefix = texts(3, 5)[0], torch.ones(1, 1, dtype=torch.int64)
    told = {"prefix": prefix, "max_new_tokens": 6, "constraints": Constraints()}
    running, mine = RunningTexts(model), [RunningText() for _ in source]
    for row, text in enumerate(mine):
        running.join([text], source[row : row + 1], **told, is_apart=row == 2)
    step = EngineState.step

    def failing(state, tokens, attention_mask=None):
        if len(tokens) == 2:
            raise RegardError("no more memory")
        return step(state, tokens, attention_mask)

    monkeypatch.setattr(EngineState, "step", failing)
    while running.groups:
        running.step()
    assert [str(text.problem) for text in mine] == ["no more memory", "no more memory", "None"]
    monkeypatch.undo()
    assert [mine[2].result] == decode(model, source[2:], **told)


def test_what_cannot_be_asked_is_said():
    with pytest.raises(RegardError, match="tokens are drawn without a beam"):
        RunningTexts(made("llama")).join(
            [RunningText()], None, prefix=np.ones((1, 1), np.int64), beam=Beam(2), sampling=Sampling()
        )

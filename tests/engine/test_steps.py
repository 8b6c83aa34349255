"""The engine's steps are the model's own."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
import torch
from needs_engine import needs_engine
from shapes_of_engine import MODELS, WORDS, made, texts

import regard
from regard.engine import EngineError, refresh, serve, top
from regard.engine.steps import Engine, EngineState
from regard.errors import ArgumentError, RegardError, ShapeError
from regard.models import Transformer

pytestmark = needs_engine


def walked(model, steps, rows, *, seed=0, padded=True, count=4, prompt=3):
    """Logits of a prompt and of some steps, rows reordered, repeated and dropped on the way."""
    tokens, attention_mask = texts(rows, prompt, seed + 1)
    source = texts(rows, 7, seed) if isinstance(model, Transformer) else (None, None)
    found = []
    with torch.no_grad():
        state = steps.start(source[0], source[1] if padded else None)
        logits, state = steps.step(state, tokens, attention_mask if padded else None)
        found.append(logits.clone())
        for number in range(count):
            chosen = torch.randint(len(logits), (max(1, rows + number % 3 - 1),), generator=torch.manual_seed(number))
            state = state.select(chosen)
            logits, state = steps.step(state, texts(len(chosen), 1, number)[0])
            found.append(logits.clone())
    return found


@pytest.mark.parametrize("padded", [False, True], ids=["whole", "padded"])
@pytest.mark.parametrize("rows", [1, 5, 19])
@pytest.mark.parametrize("name", MODELS)
def test_a_step_is_the_step_of_the_model(name, rows, padded):
    model = made(name)
    engine = serve(model)
    assert isinstance(engine, Engine)
    for own, compiled in zip(
        walked(model, model, rows, padded=padded), walked(model, engine, rows, padded=padded), strict=True
    ):
        torch.testing.assert_close(compiled, own, rtol=0, atol=1e-4)


def engine_of(name):
    engine = serve(made(name))
    return engine, texts(3, 5)[0] if name == "marian" else None


def sure(engine, source, mask=None):
    """What a text that went well gives."""
    state = engine.start(source, mask)
    return [engine.step(state, texts(3, 2, seed)[0])[0].clone() for seed in range(3)]


WRONG = {
    "float tokens": ({"tokens": torch.ones(3, 1)}, "tokens is of torch.float32"),
    "bool tokens": ({"tokens": torch.ones(3, 1, dtype=torch.bool)}, "tokens is of torch.bool"),
    "meta tokens": ({"tokens": torch.ones(3, 1, dtype=torch.int64, device="meta")}, "tokens is on the device meta"),
    "no tokens": ({"tokens": torch.ones(3, 0, dtype=torch.int64)}, "tokens has no columns"),
    "flat tokens": ({"tokens": torch.ones(3, dtype=torch.int64)}, r"tokens is of \(batch, tokens\)"),
    "unknown token": ({"tokens": torch.full((3, 1), 1000)}, "token 1000 is not among the 53"),
    "negative token": ({"tokens": torch.full((3, 1), -1)}, "token -1 is not among the 53"),
    "other rows": ({"tokens": torch.ones(2, 1, dtype=torch.int64)}, "2 rows of tokens for 3"),
    "float mask": ({"attention_mask": torch.ones(3, 1)}, "attention_mask is of torch.float32: bool expected"),
    "meta mask": ({"attention_mask": torch.ones(3, 1, dtype=torch.bool, device="meta")}, "attention_mask is on"),
    "wide mask": ({"attention_mask": torch.ones(3, 2, dtype=torch.bool)}, r"attention_mask is of \(3, 2\)"),
    "mask of twos": ({"attention_mask": torch.full((3, 1), 2)}, "attention_mask holds 2"),
}


@pytest.mark.parametrize("name", ["marian", "gpt2"])
@pytest.mark.parametrize(("wrong", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_call_is_one_line_and_a_text_goes_on_as_if_it_had_not_been(name, wrong, message):
    engine, source = engine_of(name)
    state, logits = engine.start(source), []
    for seed in range(3):
        if (
            seed or message != "2 rows of tokens for 3" or source is not None
        ):  # the first step of a writer says how many
            with pytest.raises(RegardError, match=message):
                engine.step(state, **{"tokens": torch.ones(3, 1, dtype=torch.int64)} | wrong)
        logits.append(engine.step(state, texts(3, 2, seed)[0])[0].clone())
    assert all(torch.equal(a, b) for a, b in zip(logits, sure(engine, source), strict=True))


@pytest.mark.parametrize("token", [-1, WORDS, 2**40])
def test_a_first_call_that_was_refused_does_not_count_the_rows(token):
    engine, _ = engine_of("gpt2")
    state = engine.start()
    with pytest.raises(EngineError, match=f"token {token} is not among"):
        engine.step(state, torch.full((7, 2), token))
    assert torch.equal(engine.step(state, texts(3, 2, 0)[0])[0], sure(engine, None)[0])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (torch.tensor([0.0]), "rows is of torch.float32"),
        (torch.tensor([True, False, True]), "rows is of torch.bool"),
        (torch.tensor([[0, 1]]), r"rows is of \(rows,\)"),
        (torch.tensor([0], device="meta"), "rows is on the device meta"),
        (torch.tensor([0, 3]), "row 3 of 3 was selected"),
        (torch.tensor([-1]), "row -1 of 3 was selected"),
    ],
)
def test_rows_that_are_not_there_are_not_selected(rows, message):
    engine, source = engine_of("marian")
    state = engine.start(source)
    with pytest.raises(RegardError, match=message):
        state.select(rows)
    state = state.select(torch.tensor([2, 0, 1], dtype=torch.int16)).select(torch.tensor([1, 2, 0]))
    assert torch.equal(engine.step(state, texts(3, 2, 0)[0])[0], sure(engine, source)[0])


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8], ids=str)
def test_masks_of_integers_are_masks(dtype):
    engine, _ = engine_of("marian")
    source, mask = texts(3, 5)
    plain = sure(engine, source, mask)
    assert not torch.equal(plain[0], sure(engine, source)[0])
    assert all(torch.equal(a, b) for a, b in zip(plain, sure(engine, source.to(dtype), mask.to(dtype)), strict=True))


def test_no_rows_have_a_mask_too():
    engine, _ = engine_of("gpt2")
    nothing = torch.empty(0, 2, dtype=torch.int64)
    assert engine.step(engine.start(), nothing, nothing.bool())[0].shape == (0, 1, WORDS)


def test_what_reads_a_source_is_given_one():
    with pytest.raises(ArgumentError, match="source is None, and a Transformer reads one"):
        engine_of("marian")[0].start(None)
    with pytest.raises(ShapeError, match=r"attention_mask is of \(3, 5\), the tokens it is about of None"):
        engine_of("gpt2")[0].start(None, texts(3, 5)[1])


@pytest.mark.parametrize("name", ["marian", "gpt2", "llama", "t5"])
@pytest.mark.parametrize("default", [torch.float64, torch.bfloat16, "meta"], ids=str)
def test_what_torch_makes_by_default_changes_nothing(name, default):
    engine, source = engine_of(name)
    source = texts(3, 5)[0] if name == "t5" else source
    tokens = texts(3, 2)[0]
    before = torch.get_default_dtype()
    with regard.edit(engine.model) as edit:
        edit.head("decoder.0.self", 1).scale(0.5)
        plain = engine.step(engine.start(source), tokens)[0].clone()
        try:
            torch.set_default_device(default) if default == "meta" else torch.set_default_dtype(default)
            refresh(engine.model)
            logits = engine.step(engine.start(source), tokens)[0].clone()
            ids = top(logits[:, 0].numpy(), 2)[1]
        finally:
            torch.set_default_dtype(before)
            torch.set_default_device(None)
    assert torch.equal(logits, plain)
    assert ids.tolist() == plain[:, 0].topk(2).indices.tolist()


@pytest.mark.parametrize("count", [0, -1, 54, 2**40])
def test_the_top_is_of_as_many_as_there_are(count):
    with pytest.raises(ArgumentError, match=f"count is from 1 to the 53 words, got {count}"):
        top(np.zeros((2, 53), np.float32), count)


def test_a_position_far_past_the_text_is_hidden_without_a_table_for_it():
    engine, source = engine_of("marian")
    with regard.edit(engine.model) as edit:
        edit.hide(target=[2**30])
        assert not isinstance(engine.start(source), EngineState)


def test_texts_that_grow_past_the_table_of_positions_do_so_side_by_side(monkeypatch):
    monkeypatch.setattr("regard.engine.packed_model.FIRST_POSITIONS", 4)
    model = made("pre-norm")
    sources = [texts(1, 3 + 9 * number, number)[0] for number in range(8)]
    wanted = [sure_one(serve(model), source) for source in sources]
    for _ in range(10):
        refresh(model)
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(partial(sure_one, serve(model)), sources))
        assert all(torch.equal(a, b) for a, b in zip(found, wanted, strict=True))


def sure_one(engine, source):
    return engine.step(engine.start(source), source)[0].clone()


def test_two_threads_in_one_text_are_one_line_or_in_turn():
    engine, _ = engine_of("pre-norm")
    source = texts(8, 200)[0]
    state = engine.start(source)
    problems = []

    def write(_):
        try:
            engine.step(state, texts(8, 20)[0])
        except EngineError as problem:
            problems.append(str(problem))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(12)))
    assert set(problems) <= {"another thread is in this text"}
    assert engine.step(state, texts(8, 1)[0])[0].isfinite().all()

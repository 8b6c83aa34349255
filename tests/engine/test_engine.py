"""What the engine promises beyond the model's own answers, and when it steps aside.

Also tests: engine/highest.py, engine/packed_model.py.
"""

import gc
import logging
import threading

import numpy as np
import pytest
import torch
from needs_engine import needs_engine
from shapes_of_engine import MODELS, WORDS, made, texts
from torch import nn

import regard
from regard.engine import EngineError, serve, top
from regard.engine.packed_model import PRECISIONS
from regard.engine.steps import Engine, EngineState
from regard.models import Transformer

pytestmark = needs_engine
ALL = [pytest.param(precision, id=precision) for precision in PRECISIONS]


def first_logits(steps, model, rows=3, source=None, attention_mask=None, tokens=None):
    if isinstance(model, Transformer) and source is None:
        source, attention_mask = texts(rows, 9, seed=5)
    tokens = texts(rows, 4, seed=6)[0] if tokens is None else tokens
    with torch.no_grad():
        return steps.step(steps.start(source, attention_mask), tokens)[0].clone()


@pytest.mark.parametrize("precision", ALL)
@pytest.mark.parametrize("name", ["marian", "t5", "llama", "gpt2"])
def test_a_row_never_feels_its_neighbours(name, precision):
    model = made(name)
    engine = serve(model, precision)
    rows = 23
    source, attention_mask = texts(rows, 9) if isinstance(model, Transformer) else (None, None)
    tokens = texts(rows, 4, seed=1)[0]
    together = first_logits(engine, model, source=source, attention_mask=attention_mask, tokens=tokens)
    for row in (0, 7, 22):
        mine = slice(row, row + 1)
        alone = first_logits(
            engine,
            model,
            source=None if source is None else source[mine],
            attention_mask=None if attention_mask is None else attention_mask[mine],
            tokens=tokens[mine],
        )
        assert torch.equal(alone[0], together[row])


@pytest.mark.parametrize("name", ["marian", "t5", "llama", "gpt2", "bert-generation"])
def test_several_tokens_at_once_are_the_same_one_by_one(name):
    model = made(name)
    engine = serve(model)
    source, attention_mask = texts(3, 9) if isinstance(model, Transformer) else (None, None)
    tokens = texts(3, 6, seed=1)[0]
    whole = first_logits(engine, model, source=source, attention_mask=attention_mask, tokens=tokens)
    with torch.no_grad():
        state = engine.start(source, attention_mask)
        for column in range(6):
            logits, state = engine.step(state, tokens[:, column : column + 1])
    assert torch.equal(logits, whole)


def test_one_thread_and_many_give_the_same_bits():
    model = made("marian")
    engine = serve(model)
    before = torch.get_num_threads()
    try:
        found = []
        for threads in (1, 2, 5):
            torch.set_num_threads(threads)
            found.append(first_logits(engine, model, rows=11))
    finally:
        torch.set_num_threads(before)
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


def test_long_batches_go_through_in_slabs():
    model = made("marian")
    source, attention_mask = texts(70, 9, seed=3)
    tokens = texts(70, 5, seed=4)[0]  # 350 tokens to write, more than one slab
    own = first_logits(model, model, source=source, attention_mask=attention_mask, tokens=tokens)
    compiled = first_logits(serve(model), model, source=source, attention_mask=attention_mask, tokens=tokens)
    torch.testing.assert_close(compiled, own, rtol=0, atol=1e-4)


def test_float16_is_the_model_with_weights_rounded_to_float16():
    model, rounded = made("marian"), made("marian")
    with torch.no_grad():
        for module in rounded.modules():
            if isinstance(module, nn.Linear):
                module.weight.copy_(module.weight.half().float())
    rounded.output.weight = nn.Parameter(model.output.weight.detach().half().float())  # words stay as they are
    own = first_logits(rounded, rounded)
    torch.testing.assert_close(first_logits(serve(model, "float16"), model), own, rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_int8_stays_near(name):
    model = made(name, spread=0.3)
    own, rounded = first_logits(model, model, 8), first_logits(serve(model, "int8"), model, 8)
    assert (own - rounded).norm() / own.norm() < 0.1
    assert not torch.equal(own, rounded)


@pytest.mark.parametrize(
    "change",
    [
        lambda edit: edit.head("decoder.1.cross", 2).off(),
        lambda edit: edit.head("decoder.*", [0, 2]).scale(1.7),
        lambda edit: edit.head("encoder.0.self", [0, 2]).temperature(2.5),
        lambda edit: edit.hide(source=[1, 3]),
        lambda edit: edit.hide(target=[0]),
        lambda edit: (edit.hide(source=[0]), edit.head("*", 0).off(), edit.head("*", 1).temperature(0.4)),
    ],
    ids=["off", "scale", "temperature", "hide source", "hide target", "all"],
)
@pytest.mark.parametrize("name", ["marian", "t5", "pre-norm", "pruned"])
def test_edits_act_in_the_engine_as_in_the_model(name, change):
    model = made(name)
    source, _ = texts(3, 9, seed=5)
    attention_mask = torch.ones_like(source, dtype=torch.bool)
    attention_mask[1, 5:], attention_mask[2, :4] = False, False
    plain = first_logits(serve(model), model, source=source, attention_mask=attention_mask)
    with regard.edit(model) as edit:
        change(edit)
        engine = serve(model)
        assert isinstance(engine.start(source, attention_mask), EngineState)
        own = first_logits(model, model, source=source, attention_mask=attention_mask)
        compiled = first_logits(engine, model, source=source, attention_mask=attention_mask)
    torch.testing.assert_close(compiled, own, rtol=0, atol=1e-4)
    assert (compiled - plain).abs().max() > 1e-3
    assert torch.equal(first_logits(serve(model), model, source=source, attention_mask=attention_mask), plain)


@pytest.mark.parametrize(
    "change",
    [
        lambda edit: edit.head("decoder.0.cross", 0).set(torch.full((9,), 1 / 9)),
        lambda edit: edit.hide(source=[-1]),
        lambda edit: edit.head("decoder.0.self", 0).scale(torch.tensor([0.5])),
    ],
    ids=["set", "from the end", "tensor"],
)
def test_an_edit_that_it_cannot_honour_is_left_to_the_model(change):
    model = made("marian")
    source = texts(2, 9)[0]
    with regard.edit(model) as edit:
        change(edit)
        engine = serve(model)
        assert not isinstance(engine.start(source), EngineState)
        tokens = texts(2, 1)[0]
        own = first_logits(model, model, source=source, tokens=tokens)
        assert torch.equal(first_logits(engine, model, source=source, tokens=tokens), own)


def test_who_watches_sees_every_step_of_the_model():
    model = made("marian")
    with regard.watch(model) as seen:
        first_logits(serve(model), model, rows=2)
    assert len(seen.all("decoder.0.cross")) == 1


def test_a_hook_is_called():
    model, calls = made("marian"), []
    handle = model.encoder.embedding.register_forward_hook(lambda *_: calls.append(1))
    first_logits(serve(model), model)
    handle.remove()
    assert calls
    assert isinstance(serve(model), Engine)


def test_weights_that_changed_are_packed_anew():
    model = made("gpt2")
    before = first_logits(serve(model), model)
    with torch.no_grad():
        model.decoder.stack.blocks[0].feed_forward.widen.weight.mul_(0.5)
    after = first_logits(serve(model), model)
    assert not torch.equal(before, after)
    torch.testing.assert_close(after, first_logits(model, model), rtol=0, atol=1e-4)


def test_other_number_types_are_left_to_the_model(caplog, monkeypatch):
    monkeypatch.setattr("regard.engine.serving._told", set())  # it is said once, and another test may have heard it
    model = made("marian").double()
    with caplog.at_level(logging.INFO, "regard"):
        assert serve(model) is model
    assert "float64" in caplog.text


def test_a_precision_that_does_not_exist_is_named():
    with pytest.raises(regard.errors.UnknownName, match="int4"):
        serve(made("gpt2"), "int4")


@pytest.mark.parametrize("precision", ALL)
def test_padding_alone_and_no_rows_are_answered(precision):
    model = made("marian")
    engine = serve(model, precision)
    source = texts(2, 5)[0]
    attention_mask = torch.tensor([[True] * 5, [False] * 5])
    logits = first_logits(engine, model, source=source, attention_mask=attention_mask, tokens=texts(2, 1)[0])
    own = first_logits(model, model, source=source, attention_mask=attention_mask, tokens=texts(2, 1)[0])
    assert logits.isfinite().all()
    if precision == "float32":
        torch.testing.assert_close(logits, own, rtol=0, atol=1e-4)
    none = torch.empty(2, 0, dtype=torch.long)
    assert first_logits(engine, model, source=none, tokens=texts(2, 1)[0]).isfinite().all()
    state = engine.start(source)
    state = state.select(torch.empty(0, dtype=torch.long))
    assert engine.step(state, torch.empty(0, 1, dtype=torch.long))[0].shape == (0, 1, WORDS)


@pytest.mark.parametrize("token", [-1, WORDS, 2**40])
def test_a_token_that_does_not_exist_is_one_line(token):
    for name in ("marian", "gpt2"):
        model = made(name)
        engine = serve(model)
        source = texts(1, 3)[0] if name == "marian" else None
        with pytest.raises(EngineError, match=f"token {token} is not among the {WORDS}"):
            engine.step(engine.start(source), torch.tensor([[token]]))


def test_wrong_rows_and_positions_are_one_line():
    engine = serve(made("gpt2"))
    state = engine.start()
    engine.step(state, texts(3, 2)[0])
    with pytest.raises(EngineError, match="2 rows of tokens for 3"):
        engine.step(state, texts(2, 1)[0])
    with pytest.raises(EngineError, match="row 3 of 3"):
        state.select(torch.tensor([3]))
    with pytest.raises(EngineError, match="position 40 is past the 40"):
        engine.step(engine.start(), texts(1, 41)[0])


@pytest.mark.parametrize("precision", ALL)
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_give_no_numbers(value, precision):
    model = made("marian")
    with torch.no_grad():
        model.decoder.stack.blocks[0].feed_forward.widen.weight[3, 4] = value
    logits = first_logits(serve(model, precision), model)
    assert not logits.isfinite().all()


def test_positions_go_on_past_the_first_table():
    model = made("marian")
    source = texts(1, 700)[0]
    tokens = texts(1, 600, seed=1)[0]
    own = first_logits(model, model, source=source, tokens=tokens)
    compiled = first_logits(serve(model), model, source=source, tokens=tokens)
    torch.testing.assert_close(compiled, own, rtol=0, atol=1e-4)


def test_beams_share_the_source_and_never_copy_what_was_written():
    model = made("marian")
    engine = serve(model)
    source = texts(4, 9)[0]
    state = engine.start(source)
    state.select(torch.arange(4).repeat_interleave(5))
    for number in range(30):
        _, state = engine.step(state, texts(20, 1, number)[0])
        state.select(torch.randint(20, (20,)).sort().values)
    stack = model.config.decoder.stack
    token = 2 * stack.width * 4 * stack.layers  # keys and values in float32
    assert state.bytes <= 1.3 * token * (4 * 9 + 20 * 30)


def test_states_are_freed():
    import resource

    model = made("marian")
    engine = serve(model)
    source = texts(8, 40)[0]

    def used():
        for _ in range(300):
            engine.step(engine.start(source), texts(8, 1)[0])
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    used()
    assert used() - used() < 2000  # KiB


def test_two_threads_do_not_disturb_each_other():
    model = made("marian")
    engine = serve(model)
    wanted = [first_logits(engine, model, tokens=texts(3, 2, seed)[0]) for seed in range(8)]
    wrong = []

    def work(seed):
        for _ in range(20):
            if not torch.equal(first_logits(engine, model, tokens=texts(3, 2, seed)[0]), wanted[seed]):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("words", [1, 2, 3, 16, 17, 64, 129, 1000])
@pytest.mark.parametrize("rows", [1, 5])
def test_the_top_is_that_of_torch(rows, words):
    logits = torch.randn(rows, words, generator=torch.manual_seed(words)) * 8
    for count in {1, min(4, words), min(9, words), words}:
        scores, which, summary = (torch.from_numpy(found) for found in top(logits.numpy(), count))
        own, positions = logits.topk(count)
        assert torch.equal(scores, own)
        assert torch.equal(which, positions)
        torch.testing.assert_close(summary, logits.logsumexp(-1))


def test_of_equals_the_first_is_taken_and_what_is_no_number_is_told():
    scores, which, _ = top(np.zeros((1, 70), np.float32), 3)
    assert which.tolist() == [[0, 1, 2]]
    row = np.zeros((2, 70), np.float32)
    row[0, 50] = float("nan")
    row[1, 5:] = -float("inf")
    scores, which, summary = top(row, 6)
    assert np.isnan(summary[0])
    assert which[1].tolist() == [0, 1, 2, 3, 4, 5]
    assert scores[1, 5] == -float("inf")

"""The engine never answers from weights that have changed.

Also tests: engine/fingerprint.py.
"""

import gc
import weakref

import pytest
import torch
from needs_engine import needs_engine
from shapes_of_engine import made, texts
from torch import nn
from ways_to_change import ENGINE, MODEL, data_of_all, loaded

import regard
from regard.decoding import Constraints, decode
from regard.engine import PRECISIONS, serve
from regard.engine.steps import Engine, EngineState
from regard.errors import RegardError
from regard.models import Transformer

pytestmark = needs_engine

END, START = 0, 1
KINDS = ["pre-norm", "bert-generation", "gpt2", "llama"]  # encoder-decoders and decoders, tied and untied
WAYS = [(way, change, True) for way, change in ENGINE.items()] + [(way, change, False) for way, change in MODEL.items()]


@pytest.fixture
def clock(monkeypatch):
    """Time that stands still, until it is told to go on."""

    class Clock:
        seconds = 1000.0

        def __call__(self):
            return self.seconds

    clock = Clock()
    monkeypatch.setattr("regard.engine.fingerprint.clock", clock)
    return clock


SOURCE, PROMPT = texts(3, 6, seed=5)[0], texts(3, 4, seed=6)[0]


def given(model):
    return SOURCE if isinstance(model, Transformer) else None


def logits(steps, model):
    with torch.no_grad():
        return steps.step(steps.start(given(model)), PROMPT)[0].clone()


def answer(model):
    """What `decode` writes, and its scores."""
    rules = Constraints(ends=(END,))
    prefix = torch.full((3, 1), START) if given(model) is not None else PROMPT
    decoded = decode(model, given(model), prefix=prefix, beam=3, max_new_tokens=6, constraints=rules)
    return [one.best.ids for one in decoded], [one.best.score for one in decoded]


def own_answer(model, monkeypatch):
    """The same without the engine."""
    with monkeypatch.context() as patch:
        patch.setenv("REGARD_ENGINE", "off")
        return answer(model)


@pytest.mark.filterwarnings("ignore:torch.ao.quantization is deprecated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor, torch.quantize_per_channel:UserWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("change", "is_engine"), [way[1:] for way in WAYS], ids=[way[0] for way in WAYS])
def test_the_next_answer_is_that_of_the_new_model(kind, change, is_engine, clock, monkeypatch):
    model = made(kind, spread=0.5)
    engine = serve(model)
    assert isinstance(engine.start(given(model)), EngineState)
    before = logits(engine, model)
    answer(model)
    change(model)
    own = logits(model, model)
    assert (own - before).abs().max() > 1e-3
    for steps in (engine, serve(model)):  # who holds an engine gets no old answers either
        assert isinstance(steps.start(given(model)), EngineState) == is_engine
        torch.testing.assert_close(logits(steps, model), own, rtol=0, atol=1e-4)
    ids, scores = answer(model)
    own_ids, own_scores = own_answer(model, monkeypatch)
    assert ids == own_ids
    assert scores == pytest.approx(own_scores, abs=1e-3)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_precision_is_packed_anew(precision, clock):
    model = made("pre-norm")
    before = logits(serve(model, precision), model)
    data_of_all(model)
    after = logits(serve(model, precision), model)
    assert not torch.equal(after, before)
    other = made("pre-norm")
    loaded(other)
    assert torch.equal(after, logits(serve(other, precision), other))


@pytest.mark.parametrize("fused", [False, True])
def test_every_step_of_an_optimiser_is_noticed(fused, clock):
    model = made("pre-norm")
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.01, fused=fused)
    for _ in range(3):
        before = logits(serve(model), model)
        model(given(model), given(model)).logsumexp(-1).mean().backward()
        optimiser.step()
        own = logits(model, model)
        assert (own - before).abs().max() > 1e-3
        torch.testing.assert_close(logits(serve(model), model), own, rtol=0, atol=1e-4)


def test_a_fused_step_with_few_gradients_is_noticed(clock):
    """A change of a few rows, which a sample need not meet."""
    model = made("gpt2")
    table = model.decoder.embedding.table.weight
    optimiser = torch.optim.SGD([table], lr=1.0, fused=True)
    logits(serve(model), model)
    table.grad = torch.zeros_like(table)
    table.grad[PROMPT[0, -1], 0] = 5.0
    optimiser.step()
    torch.testing.assert_close(logits(serve(model), model), logits(model, model), rtol=0, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_one_number_written_through_data_is_noticed_within_a_second(kind, clock):
    model = made(kind)
    generator = torch.Generator().manual_seed(1)
    late = 0
    weights = [model.decoder.stack.blocks[n].feed_forward.widen.weight for n in (0, 1)]
    for turn in range(12):
        engine = serve(model)
        before = logits(engine, model)
        numbers = weights[turn % 2].data.view(-1)
        numbers[torch.randint(numbers.numel(), (), generator=generator)] += 3.0
        late += torch.equal(logits(engine, model), before)
        clock.seconds += 0.999
        logits(engine, model)
        clock.seconds += 0.001
        after = logits(engine, model)
        torch.testing.assert_close(after, logits(model, model), rtol=0, atol=1e-4)
        assert not torch.equal(after, before)
    assert late, "the sample met every number, so that nothing is known about what it misses"


@pytest.mark.parametrize("part", ["the model", "a part of it"])
def test_refresh_needs_no_second(part, clock):
    model = made("gpt2")
    before = logits(serve(model), model)
    layer = model.decoder.stack.blocks[0]
    for number in range(10):
        layer.feed_forward.widen.weight.data.view(-1)[97 * number] += 3.0
        layer.feed_forward_norm.eps = float(number)
        regard.refresh(model if part == "the model" else layer.feed_forward)
        after = logits(serve(model), model)
        torch.testing.assert_close(after, logits(model, model), rtol=0, atol=1e-4)
        assert not torch.equal(after, before)
        before = after


def test_what_is_no_model_cannot_be_refreshed(unchecked):
    with pytest.raises(RegardError, match=r"^str is no torch module: give the model, of a task its \.model$"):
        regard.refresh("en-de")


def test_a_model_that_stays_is_packed_once(clock):
    model, other = made("pre-norm"), made("pre-norm")
    engine = serve(model)
    packed = engine.packed()
    for _ in range(3):
        clock.seconds += 5
        ENGINE["fused adamw"](other)
        answer(model)
        with torch.no_grad():
            model(given(model), given(model))
        assert engine.packed() is packed
    assert serve(model).packed() is packed


def test_a_hook_or_dropout_for_a_while_does_not_pack_anew():
    model = made("pre-norm")
    engine = serve(model)
    packed = engine.packed()
    handle = model.decoder.embedding.register_forward_hook(lambda *_: None)
    assert not isinstance(engine.start(given(model)), EngineState)
    handle.remove()
    handle = nn.modules.module.register_module_forward_hook(lambda *_: None)
    assert not isinstance(engine.start(given(model)), EngineState)
    handle.remove()
    layer = model.decoder.stack.blocks[0].self
    layer.dropout, layer.training = 0.5, True
    assert not isinstance(engine.start(given(model)), EngineState)
    layer.dropout, layer.training = 0.0, False
    assert isinstance(engine.start(given(model)), EngineState)
    assert engine.packed() is packed


def test_buffers_count(clock):
    model = made("alibi")
    before = logits(serve(model), model)
    model.decoder.position.slopes.data.mul_(0.1)
    own = logits(model, model)
    assert (own - before).abs().max() > 1e-3
    torch.testing.assert_close(logits(serve(model), model), own, rtol=0, atol=1e-4)


class Writer(nn.Module):
    """What a model writes, as a function of its weights."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, steps=serve):
        return logits(steps(self.model), self.model)


@pytest.mark.parametrize("as_parameters", [False, True])
# Not "pre-norm": where two paths lead to one module, torch itself does not put the old weights back.
@pytest.mark.parametrize("kind", ["bridge", "bert-generation", "gpt2", "llama"])
def test_other_weights_of_functional_call_are_those_that_answer(kind, as_parameters, clock):
    writer = Writer(made(kind))
    before = writer()
    for factor in (0.9, 0.8, 1.1):  # freed after each call, so that the next may lie at the same addresses
        weights = {name: weight.detach() * factor for name, weight in writer.named_parameters()}
        if as_parameters:
            weights = {name: nn.Parameter(weight) for name, weight in weights.items()}
        own = torch.func.functional_call(writer, weights, (lambda model: model,))
        compiled = torch.func.functional_call(writer, weights, (serve,))
        assert (own - before).abs().max() > 1e-3
        torch.testing.assert_close(compiled, own, rtol=0, atol=1e-4)
        del weights
    assert torch.equal(writer(), before)


@pytest.mark.filterwarnings("ignore:There is a performance drop:UserWarning")
def test_weights_of_many_models_at_once_are_left_to_torch():
    writer = Writer(made("gpt2"))
    before = writer()
    weights = {name: weight.detach() for name, weight in writer.named_parameters()}
    stacked = {name: torch.stack([weight, weight * 0.9]) for name, weight in weights.items()}
    both = torch.func.vmap(lambda some: torch.func.functional_call(writer, some, ()))(stacked)
    torch.testing.assert_close(both[0], before, rtol=0, atol=1e-4)
    scaled = {name: weight * 0.9 for name, weight in weights.items()}
    own = torch.func.functional_call(writer, scaled, (lambda model: model,))
    torch.testing.assert_close(both[1], own, rtol=0, atol=1e-4)


def test_a_model_of_inference_mode_is_served(clock):
    with torch.inference_mode():
        model = made("gpt2")
        before = logits(serve(model), model)
        assert isinstance(serve(model), Engine)
        for parameter in model.parameters():
            parameter.mul_(0.8)
        after = logits(serve(model), model)
        assert not torch.equal(after, before)
        torch.testing.assert_close(after, logits(model, model), rtol=0, atol=1e-4)


def test_who_was_packed_can_be_freed():
    model = made("pre-norm")
    model.encoder.embedding.table.weight.register_hook(lambda gradient: gradient if model else None)  # holds the model
    logits(serve(model), model)
    reference = weakref.ref(model)
    del model
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("size", [1, 3, 24, 127, 2048, 70_000])
def test_any_change_of_one_number_changes_the_fingerprint(size):
    from regard.engine.fingerprint import Fingerprint
    from regard.engine.library import library

    module = nn.ParameterList([torch.randn(size), torch.randn(7)])
    numbers = module[0].data
    seen = {Fingerprint(library(), module)._whole}
    positions = torch.randperm(size, generator=torch.manual_seed(size))[:200].tolist()
    for turn, position in enumerate(positions, 1):
        numbers[position] = -numbers[position]
        seen.add(Fingerprint(library(), module)._whole)
        assert len(seen) == turn + 1
    if size > 1:
        seen.add(Fingerprint(library(), module)._whole)
        numbers[[0, -1]] = numbers[[-1, 0]]
        assert Fingerprint(library(), module)._whole not in seen

"""Alignments, markup and coverage read off the engine are those of a watched pass of the model."""

import pytest
import torch
from engine.needs_engine import needs_engine
from engine.shapes_of_engine import made, texts

import regard
from regard.engine import serve
from regard.tasks import replay
from regard.tasks.engine_weights import engine_weights
from regard.tasks.inputs import Reading
from regard.tasks.replay import cross_layers, replayed_weights, shared_out

pytestmark = needs_engine

CPU = torch.device("cpu")


def readings():
    """Texts of several lengths; every token of each is read."""
    lengths = [(5, 4), (1, 1), (7, 2), (3, 8)]
    return [
        Reading(*(tuple(texts(1, count, seed)[0][0].tolist()) for count in pair)) for seed, pair in enumerate(lengths)
    ]


@pytest.mark.parametrize("name", ["marian", "t5", "bridge", "pruned", "shared layers", "gpt2", "llama"])
def test_the_engine_sees_what_a_watched_pass_sees(name):
    model = made(name)
    serve(model, wait=True)
    layers = cross_layers(model)
    rows = engine_weights(model, readings(), layers)
    for own, other in zip(rows, replayed_weights(model, readings(), CPU, layers), strict=True):
        for layer in layers:
            torch.testing.assert_close(shared_out(own)[layer], other[layer], rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["marian", "gpt2"])
def test_a_reading_is_the_same_alone_and_among_others(name):
    model = made(name)
    serve(model, wait=True)
    layers = cross_layers(model)
    for reading, row in zip(readings(), engine_weights(model, readings(), layers), strict=True):
        (alone,) = engine_weights(model, [reading], layers)
        assert all(torch.equal(alone[layer], row[layer]) for layer in layers)


def test_what_only_the_model_can_tell_is_left_to_it():
    model = made("marian")
    serve(model, wait=True)
    assert engine_weights(model, readings(), ["decoder.9.cross"]) is None
    assert engine_weights(model, readings(), ["encoder.0.self"]) is None
    with regard.edit(model) as edit:
        edit.head("decoder.0.cross", 0).set(torch.full((1, 1), 1.0))
        assert engine_weights(model, readings(), ["decoder.0.cross"]) is None
    with regard.edit(model) as edit:
        edit.head("decoder.0.cross", 0).temperature(0.5)
        (row, *_), (other, *_) = (
            engine_weights(model, readings(), ["decoder.0.cross"]),
            replayed_weights(model, readings(), CPU, ["decoder.0.cross"]),
        )
        torch.testing.assert_close(row["decoder.0.cross"], other["decoder.0.cross"], rtol=0, atol=1e-5)


def test_alignments_markup_and_coverage_take_no_pass_of_the_model(monkeypatch):
    translator = regard.load("en-de")
    serve(translator.model, wait=True)
    page, text = "<p>The <b>red</b> house is old.</p>", "The red house is old."
    with monkeypatch.context() as without_engine:
        without_engine.setattr(replay, "engine_weights", lambda *_: None)
        wanted = translator(page, markup="html").text, translator(text).alignment

    def no_pass(*_):
        raise AssertionError("a pass of the model")

    monkeypatch.setattr(replay, "run_readings", no_pass)
    alignment = translator(text).alignment
    assert translator(page, markup="html").text == wanted[0]
    torch.testing.assert_close(alignment.weights, wanted[1].weights, rtol=0, atol=1e-5)
    assert alignment.words == wanted[1].words
    with regard.watch(translator.model), pytest.raises(AssertionError, match="a pass of the model"):
        translator(text)

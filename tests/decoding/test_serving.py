"""Whoever takes the steps, what is written is the model's as it is now."""

import pytest
import torch
from needs_engine import needs_engine
from shapes_of_engine import made
from torch import nn

from regard.decoding import Constraints, Sampling, decode, stream
from regard.decoding.serving import serve_model
from regard.engine import Engine
from regard.errors import RegardError

SOURCE = torch.arange(2, 14).view(2, 6)
ASKED = {"prefix": torch.ones(2, 1, dtype=torch.long), "max_new_tokens": 6, "constraints": Constraints(ends=(0,))}
ROADS = {
    "greedy": lambda model: [one.best.ids for one in decode(model, SOURCE, **ASKED)],
    "beam": lambda model: [one.best.ids for one in decode(model, SOURCE, beam=3, **ASKED)],
    "drawn": lambda model: [one.best.ids for one in decode(model, SOURCE, sampling=Sampling(seed=3), **ASKED)],
    "streamed": lambda model: [part.id for part in stream(model, SOURCE, **ASKED)],
}


def test_what_cannot_write_is_refused():
    with pytest.raises(RegardError, match=r"^Linear cannot write: it has no start\(\) and step\(\)$"):
        serve_model(nn.Linear(2, 2))


def test_without_the_engine_the_model_serves(monkeypatch):
    monkeypatch.setenv("REGARD_ENGINE", "off")
    model = made("marian")
    assert serve_model(model) is model


@needs_engine
@pytest.mark.parametrize("road", ROADS.values(), ids=ROADS)
def test_every_road_leads_to_the_weights_of_now(road, monkeypatch):
    model, other = made("marian", seed=0, spread=0.6), made("marian", seed=1, spread=0.6)
    assert isinstance(serve_model(model), Engine)
    before = road(model)
    for parameter, another in zip(model.parameters(), other.parameters(), strict=True):
        parameter.data.copy_(another.data)
    after = road(model)
    assert after != before
    assert after == road(other)
    monkeypatch.setenv("REGARD_ENGINE", "off")
    assert after == road(other)

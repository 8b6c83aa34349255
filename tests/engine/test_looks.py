"""What the engine says that a text looked at is what `Pattern` says of the same text."""

from typing import NamedTuple

import pytest
import torch
from needs_engine import needs_engine
from shapes_of_engine import MODELS, made, texts

import regard
from regard.engine import EngineError, serve
from regard.engine import looks as engine_looks
from regard.engine.steps import EngineState
from regard.errors import ArgumentError, RegardError
from regard.models import Transformer

pytestmark = needs_engine

ROWS, SOURCE, TARGET = 4, 7, 6
NEAR = {"rtol": 0, "atol": 1e-5}


def weights(state, layer, heads=None, *, first=0):
    """As a tensor."""
    return torch.from_numpy(engine_looks.weights(state, layer, heads, first=first))


def looks(state, layer):
    """As tensors."""
    made_of = engine_looks.looks(state, layer)
    return EngineLooks(*(torch.from_numpy(numbers) for numbers in (made_of.query, made_of.key, made_of.logsumexp)))


class EngineLooks(NamedTuple):
    query: torch.Tensor
    key: torch.Tensor
    logsumexp: torch.Tensor


def layers_of(model):
    names = [f"decoder.{number}.self" for number in range(len(model.decoder.stack.blocks))]
    if isinstance(model, Transformer):
        names += [f"decoder.{number}.cross" for number in range(len(model.decoder.stack.blocks))]
        names += [f"encoder.{number}.self" for number in range(len(model.encoder.stack.blocks))]
    return names


def sources(model, rows=ROWS):
    return texts(rows, SOURCE, seed=3) if isinstance(model, Transformer) else (None, None)


def seen_by_model(model, tokens, source, mask):
    """The patterns of one pass over texts of one length."""
    with torch.no_grad(), regard.watch(model) as seen:
        if isinstance(model, Transformer):
            model(source, tokens, attention_mask=mask)
        else:
            model(tokens)
    return seen


def written_by_engine(model, tokens, source, mask, cuts=()):
    """A text of the engine, all of whose layers are watched; `cuts` are where its steps end."""
    engine = serve(model)
    state = engine.start_watched(layers_of(model), source, mask)
    assert isinstance(state, EngineState)
    for begin, end in zip((0, *cuts), (*cuts, tokens.shape[1]), strict=True):
        engine.step(state, tokens[:, begin:end].contiguous())
    return state


def at_tokens(table, layer, mask):
    """The rows of a table that belong to tokens: what padding looks at is nothing."""
    if mask is None or not layer.startswith("encoder"):
        return table
    return table * mask[:, None, :, None]


@pytest.mark.parametrize("cuts", [(), (1, 2, 5)], ids=["at once", "in steps"])
@pytest.mark.parametrize("name", MODELS)
def test_weights_and_what_they_are_made_of_are_those_of_the_pattern(name, cuts):
    model = made(name)
    (source, mask), tokens = sources(model), texts(ROWS, TARGET, seed=4)[0]
    seen = seen_by_model(model, tokens, source, mask)
    state = written_by_engine(model, tokens, source, mask, cuts)
    for layer in layers_of(model):
        pattern, made_of = seen[layer], looks(state, layer)
        whole = at_tokens(pattern.weights(), layer, mask)
        torch.testing.assert_close(weights(state, layer), whole, **NEAR)
        is_token = torch.isfinite(made_of.logsumexp)
        torch.testing.assert_close(made_of.logsumexp[is_token], pattern.logsumexp[is_token], rtol=1e-5, atol=1e-5)
        is_query, is_key = (mask, mask) if layer.startswith("encoder") else (None, mask)
        is_key = None if layer.endswith(".self") and layer.startswith("decoder") else is_key
        for own, other, real in ((made_of.query, pattern.query, is_query), (made_of.key, pattern.key, is_key)):
            if own.shape != other.shape:  # groups of several sizes: the pattern has its keys once for each head
                block, kind = model.decoder.stack.blocks[int(layer.split(".")[1])], layer.split(".")[2]
                own = own[:, getattr(block, kind).kv_head_of]
            assert own.shape == other.shape
            other = other if real is None else other * real[:, None, :, None]
            torch.testing.assert_close(own, other, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("name", ["marian", "t5", "mistral", "pruned groups"])
def test_some_heads_of_a_step_are_a_part_of_the_whole(name):
    model = made(name)
    (source, mask), tokens = sources(model), texts(ROWS, TARGET, seed=4)[0]
    state = written_by_engine(model, tokens, source, mask, cuts=(5,))
    for layer in layers_of(model):
        if not layer.startswith("encoder"):
            step = weights(state, layer, [1, 0], first=state.length - 1)
            assert torch.equal(step, weights(state, layer)[:, [1, 0], -1:])
            sums = step.sum(-1)
            torch.testing.assert_close(sums, torch.ones_like(sums))


@pytest.mark.parametrize("name", ["marian", "bart", "alibi encoder", "grouped", "llama", "alibi"])
def test_a_text_looks_the_same_alone_and_among_others(name):
    model = made(name)
    (source, mask), tokens = sources(model), texts(ROWS, TARGET, seed=4)[0]
    together = written_by_engine(model, tokens, source, mask, cuts=(2,))
    for row in range(ROWS):
        own = (source, mask) if source is None else (source[row : row + 1], mask[row : row + 1])
        alone = written_by_engine(model, tokens[row : row + 1], *own, cuts=(2,))
        for layer in layers_of(model):
            assert torch.equal(weights(alone, layer)[0], weights(together, layer)[row])
            one, all_of_them = looks(alone, layer), looks(together, layer)
            for field in ("query", "key", "logsumexp"):
                assert torch.equal(getattr(one, field)[0], getattr(all_of_them, field)[row])


@pytest.mark.parametrize("name", ["marian", "gpt2"])
def test_rows_that_a_search_reorders_keep_what_they_looked_at(name):
    model = made(name)
    (source, mask), tokens = sources(model, 3), texts(3, 2, seed=4)[0]
    engine, layers = serve(model), layers_of(model)
    state = engine.start_watched(layers, source, mask)
    engine.step(state, tokens)
    state = state.select(torch.tensor([2, 0, 0, 1, 2]))
    more = texts(5, 2, seed=5)[0]
    engine.step(state, more)
    state = state.select(torch.tensor([4, 1]))
    parents = torch.tensor([2, 0])
    whole = torch.cat([tokens[parents], more[[4, 1]]], 1)
    own = (source, mask) if source is None else (source[parents], mask[parents])
    seen = seen_by_model(model, whole, *own)
    for layer in layers:
        torch.testing.assert_close(weights(state, layer), at_tokens(seen[layer].weights(), layer, own[1]), **NEAR)


def test_padded_texts_stand_at_the_right():
    model = made("gpt2")
    tokens, mask = texts(ROWS, TARGET, seed=4)
    engine = serve(model)
    state = engine.start_watched(["decoder.1.self"])
    engine.step(state, tokens, mask)
    table = weights(state, "decoder.1.self")
    for row in range(ROWS):
        own = tokens[row][mask[row]][None]
        seen = seen_by_model(model, own, None, None)["decoder.1.self"].weights()
        count = own.shape[1]
        torch.testing.assert_close(table[row, :, -count:, -count:], seen[0], **NEAR)
        assert not table[row, :, : TARGET - count].any()
        assert not table[row, :, :, : TARGET - count].any()


@pytest.mark.parametrize("name", ["marian", "t5", "gpt2"])
def test_edits_are_at_work(name):
    model = made(name)
    (source, mask), tokens = sources(model), texts(ROWS, TARGET, seed=4)[0]
    with regard.edit(model) as edit:
        edit.head("decoder.1.self", 1).temperature(0.5)
        edit.head("decoder.0.self", 2).off()
        edit.hide(target=[1])
        if source is not None:
            edit.hide(source=[0])
            edit.head("decoder.0.cross", 0).temperature(3.0)
        seen = seen_by_model(model, tokens, source, mask)
        state = written_by_engine(model, tokens, source, mask, cuts=(3,))
    for layer in layers_of(model):
        torch.testing.assert_close(weights(state, layer), at_tokens(seen[layer].weights(), layer, mask), **NEAR)
        made_of = looks(state, layer)
        is_token = torch.isfinite(made_of.logsumexp)
        torch.testing.assert_close(made_of.logsumexp[is_token], seen[layer].logsumexp[is_token], rtol=1e-5, atol=1e-5)


def test_watching_changes_no_logits():
    model = made("marian")
    (source, mask), tokens = sources(model), texts(ROWS, TARGET, seed=4)[0]
    engine = serve(model)
    plain, watched = engine.start(source, mask), engine.start_watched(layers_of(model), source, mask)
    assert torch.equal(engine.step(plain, tokens)[0].clone(), engine.step(watched, tokens)[0])


def test_wrong_calls_are_one_line():
    model = made("marian")
    engine, (source, mask) = serve(model), sources(model)
    with pytest.raises(RegardError, match=r"unknown layer 'decoder.7.cross'.*known: decoder.0.cross"):
        engine.start_watched(["decoder.7.cross"], source, mask)
    state = engine.start_watched(["decoder.0.cross"], source, mask)
    assert weights(state, "decoder.0.cross").shape == (ROWS, 4, 0, SOURCE)
    engine.step(state, texts(ROWS, 2)[0])
    with pytest.raises(RegardError, match="unknown layer 'cross'"):
        weights(state, "cross")
    with pytest.raises(EngineError, match="the layer is not watched"):
        weights(state, "decoder.1.cross")
    with pytest.raises(EngineError, match="the layer is not watched"):
        looks(state, "encoder.0.self")
    for heads in ([4], [-1], [True]):
        with pytest.raises(ArgumentError, match=r"decoder.0.cross has 4 heads, counted from 0; there is no head"):
            weights(state, "decoder.0.cross", heads)
    for first in (-1, 3, True):
        with pytest.raises(ArgumentError, match="first is a column from 0 to 2"):
            weights(state, "decoder.0.cross", first=first)
    with pytest.raises(EngineError, match="a text is watched from its beginning"):
        state.library.check(state.library.watch(state.address, 2, 1))
    with pytest.raises(EngineError, match="the model has no such layer"):
        state.library.check(state.library.watch(state.address, 3, 0))


def test_sizes_are_checked_where_they_are_read():
    model = made("marian")
    engine, (source, mask) = serve(model), sources(model)
    state = engine.start_watched(["decoder.0.cross"], source, mask)
    engine.step(state, texts(ROWS, 2)[0])
    state.rows -= 1
    with pytest.raises(EngineError, match="there are 4 rows of 2 queries and 7 keys, others were asked for"):
        weights(state, "decoder.0.cross")
    state.rows += 1
    layer = state.packed.layers["decoder.0.cross"]
    state.packed.layers["decoder.0.cross"] = layer._replace(width=layer.width + 1)
    with pytest.raises(EngineError, match="the layer has 4 heads and 4 of keys, 6 wide: others were asked for"):
        looks(state, "decoder.0.cross")
    state.packed.layers["decoder.0.cross"] = layer

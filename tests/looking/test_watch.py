import copy

import pytest
import torch
from looking.readers import Reader, Translator, block, dense, stream
from torch import nn
from torch.testing import assert_close

import regard
from regard.attention import Causal, Padding, Pattern
from regard.errors import RegardError, UnknownName
from regard.layers import Stack

CLOSE = {"rtol": 1e-4, "atol": 1e-6}


class Stop(Exception):
    pass


def taps(model: nn.Module) -> list:
    return [tap for module in model.modules() for tap in getattr(module, "taps", ())]


# ---- what is seen


def test_what_is_seen_are_the_weights_of_the_formula():
    model, x = Reader(), stream()
    with regard.watch(model) as seen:
        model(x, Causal())
    first = model.encoder.blocks[0]
    expected = dense(first.self, first.self_norm(x), torch.ones(5, 5).tril().bool())
    assert_close(seen["encoder.0.self"].weights(), expected, **CLOSE)
    assert (seen["encoder.0.self"].weights()[..., 0, 1:] == 0).all()


def test_what_is_seen_is_a_mapping_from_layers_to_patterns():
    model, x = Translator(), stream()
    with regard.watch(model) as seen:
        assert not seen
        assert repr(seen) == "Seen(nothing yet)"
        model(x, x)
    names = ["encoder.0.self", "encoder.1.self", *(f"decoder.{n}.{kind}" for n in (0, 1) for kind in ("self", "cross"))]
    assert list(seen) == list(seen.keys()) == names
    assert len(seen) == 6
    assert "decoder.1.cross" in seen
    assert "decoder.1" not in seen
    assert all(isinstance(pattern, Pattern) for pattern in seen.values())
    assert dict(seen)["encoder.0.self"] is seen["encoder.0.self"]
    assert repr(seen).startswith("Seen(encoder.0.self, encoder.1.self, decoder.0.self")


def test_a_layer_where_nothing_ran_is_missing_as_from_any_mapping():
    with regard.watch(Reader()) as seen:
        pass
    assert seen.get("encoder.0.self", "nothing") == "nothing"
    with pytest.raises(KeyError) as raised:
        seen["encoder.0.self"]
    assert str(raised.value) == "encoder.0.self was watched, and nothing ran through it"
    assert isinstance(raised.value, RegardError)


def test_only_what_was_asked_for_is_seen():
    model, x = Translator(), stream()
    with regard.watch(model, "encoder.*.self", "decoder.0") as seen:
        model(x, x)
    assert list(seen) == ["encoder.0.self", "encoder.1.self"]
    assert seen.stream("decoder.0").shape == x.shape
    with pytest.raises(UnknownName, match=r"unknown pattern 'decoder.0.self': .*known: encoder.0.self, encoder.1.self"):
        seen["decoder.0.self"]


def test_an_unknown_name_lists_those_there_are_and_leaves_no_tap():
    model = Reader()
    with (
        pytest.raises(UnknownName, match=r"no layer fits 'encoder.7': known: encoder.0.self"),
        regard.watch(model, "encoder.7"),
    ):
        pass
    assert taps(model) == []


def test_the_last_call_and_every_call():
    model = Reader()
    with regard.watch(model) as seen:
        for length in (3, 5, 2):
            model(stream(length=length))
    assert [pattern.shape[2] for pattern in seen.all("encoder.1.self")] == [3, 5, 2]
    assert seen["encoder.1.self"] is seen.all("encoder.1.self")[-1]
    assert [x.shape[1] for x in seen.streams("encoder.0")] == [3, 5, 2]


def test_a_stream_is_what_a_block_put_out():
    model, x = Reader(), stream()
    with regard.watch(model) as seen:
        out = model(x)
    assert torch.equal(seen.stream("encoder.0"), model.encoder.blocks[0](x))
    assert torch.equal(seen.stream("encoder.1"), out)
    assert not seen.stream("encoder.1").requires_grad


def test_patterns_come_from_layers_and_streams_from_blocks():
    model = Reader()
    with regard.watch(model) as seen:
        model(stream())
    with pytest.raises(RegardError, match=r"encoder.0.self has no stream: patterns come from layers, streams from blo"):
        seen.stream("encoder.0.self")
    with pytest.raises(RegardError, match=r"encoder.0 has no pattern: patterns come from layers, streams from blocks"):
        seen["encoder.0"]
    with pytest.raises(UnknownName, match=r"unknown stream 'encoder.3'"):
        seen.stream("encoder.3")


def test_values_are_kept_for_those_who_ask():
    model, x = Reader(), stream()
    with regard.watch(model, values=True) as seen:
        model(x)
    with regard.watch(model) as without:
        model(x)
    pattern, layer = seen["encoder.0.self"], model.encoder.blocks[0].self
    gathered = (pattern.weights() @ pattern.values).transpose(1, 2).flatten(2)
    assert_close(layer.output(gathered), layer(model.encoder.blocks[0].self_norm(x)), **CLOSE)
    with pytest.raises(RegardError, match=r"this pattern has no values: .* keeps them"):
        _ = without["encoder.0.self"].values


def test_a_layer_that_serves_several_depths_is_seen_at_each():
    shared = block()
    model = nn.ModuleDict({"encoder": Stack([shared, shared, shared])})
    x = stream()
    with regard.watch(model) as seen:
        for _ in range(2):
            model["encoder"](x)
    with regard.watch(model, "encoder.1.self") as second:
        model["encoder"](x)
    depth = shared.self_norm(shared(x))
    for found in (seen, second):
        assert_close(found["encoder.1.self"].weights(), dense(shared.self, depth), **CLOSE)
    assert [len(seen.all(f"encoder.{n}.self")) for n in range(3)] == [2, 2, 2]
    assert list(second) == ["encoder.1.self"]
    assert len(second.all("encoder.1.self")) == 1


# ---- nothing is left behind


def test_nothing_is_left_behind_after_the_block_or_an_exception():
    model, x = Translator(), stream()

    def stopped() -> None:
        with regard.watch(model), regard.edit(model) as edit:
            edit.head("*", 0).off()
            model(x, x)
            raise Stop

    with regard.watch(model), regard.watch(model):
        assert len(taps(model)) == 2 * 10
    assert taps(model) == []
    with pytest.raises(Stop):
        stopped()
    assert taps(model) == []
    with regard.watch(model) as seen:
        pass
    model(x, x)
    assert not seen


def test_a_failing_forward_pass_leaves_a_watch_that_works():
    model, x = Reader(), stream()
    with regard.watch(model) as seen:
        with pytest.raises(RegardError):
            model(x, Causal() & Padding.from_lengths([9]))
        model(x)
    assert len(seen.all("encoder.0.self")) == 1


def test_blocks_within_blocks_each_see_what_runs_inside_them():
    model = Reader()
    with regard.watch(model) as outer:
        model(stream(length=2))
        with regard.watch(model, "encoder.0.self") as inner:
            model(stream(length=3))
        model(stream(length=4))
    assert [pattern.shape[2] for pattern in outer.all("encoder.0.self")] == [2, 3, 4]
    assert [pattern.shape[2] for pattern in inner.all("encoder.0.self")] == [3]


def test_a_model_can_be_copied_and_saved_while_it_is_watched(tmp_path):
    model, x = Reader(), stream()
    before = model(x)
    with regard.watch(model):
        other = copy.deepcopy(model)
        torch.save(model.state_dict(), tmp_path / "weights.pt")
    assert torch.equal(other(x), before)
    assert [*torch.load(tmp_path / "weights.pt")] == [*model.state_dict()]

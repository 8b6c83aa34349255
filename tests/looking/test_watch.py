import copy

import pytest
import torch
from looking.readers import HEADS, WIDTH, Reader, Translator, block, stream
from torch import nn
from torch.testing import assert_close
from torch.utils.checkpoint import checkpoint

import regard
from regard.attention import SCORES, Alibi, Causal, Dense, Given, Graph, Padding, Pattern, Window
from regard.errors import RegardError, UnknownName
from regard.layers import BlockCache, MultiHead, Stack
from regard.positions import BucketTable

CLOSE = {"rtol": 1e-4, "atol": 1e-6}


def dense(layer: MultiHead, x: torch.Tensor, allowed: torch.Tensor | None = None) -> torch.Tensor:
    """The weights of a layer from the formula."""
    query, key, _ = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in layer.project(x).chunk(3, -1))
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    return torch.softmax(scores if allowed is None else scores.masked_fill(~allowed, -torch.inf), -1)


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


def test_what_is_seen_is_a_mapping_from_places_to_patterns():
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


def test_a_place_where_nothing_ran_is_missing_as_from_any_mapping():
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
        pytest.raises(UnknownName, match=r"no place fits 'encoder.7': known: encoder.0.self"),
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


# ---- watching changes nothing

MASKS = {
    "none": None,
    "causal": Causal(),
    "padding on the left": Padding.from_lengths([3, 6], "left"),
    "padding on the right": Padding.from_lengths([3, 6]),
    "causal and padding": Causal() & Padding.from_lengths([3, 6], "left"),
    "nothing to see": Padding.from_lengths([0, 6]),
    "window": Window(2, 1),
    "not a window": ~Window(1),
    "either": Causal() | Window(0, 2),
    "dense": Dense(torch.rand(2, HEADS, 6, 6, generator=torch.Generator().manual_seed(1)) > 0.5),
    "graph": Graph.from_edges([(0, 1), (1, 2), (2, 2), (3, 0), (3, 5), (4, 4)], 6),
}
BIASES = {
    "none": lambda: None,
    "alibi": lambda: Alibi(torch.tensor([0.5, 0.1])),
    "buckets": lambda: BucketTable(HEADS).bias(),
    "given": lambda: Given(torch.randn(2, 1, 6, 6)),
}


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("mask", MASKS)
def test_watched_output_is_bit_equal_to_unwatched(mask, bias):
    layer, x = MultiHead(WIDTH, HEADS), stream(length=6)
    given = {"mask": MASKS[mask], "bias": BIASES[bias]()}
    for grad in (False, True):
        for wants in (False, True):
            with torch.set_grad_enabled(grad):
                before = layer(x, **given)
                with regard.watch(layer, grad=wants) as seen:
                    watched = layer(x, **given)
            assert torch.equal(watched, before)
            sums = seen["self"].weights().sum(-1)
            assert_close(sums, sums.round(), rtol=0, atol=1e-5)


def test_watching_leaves_the_gradient_as_it_is():
    model, x = Reader(), stream()
    model(x, Causal()).sum().backward()
    before = [weight.grad.clone() for weight in model.parameters()]
    model.zero_grad()
    with regard.watch(model):
        model(x, Causal()).sum().backward()
    assert all(torch.equal(weight.grad, old) for weight, old in zip(model.parameters(), before, strict=True))


def test_watching_draws_no_random_numbers():
    layer, x = MultiHead(WIDTH, HEADS, dropout=0.4).train(), stream()
    torch.manual_seed(3)
    before = layer(x)
    torch.manual_seed(3)
    with regard.watch(layer) as seen:
        watched = layer(x)
    assert torch.equal(watched, before)
    assert_close(seen["self"].weights(), dense(layer, x), **CLOSE)  # the weights before dropout


# ---- gradients


def test_a_loss_of_the_weights_can_be_differentiated():
    model, x = Reader(), stream()
    wanted, allowed = torch.randn(2, HEADS, 5, 5), torch.ones(5, 5).tril().bool()
    with regard.watch(model, "encoder.0.self", grad=True) as seen:
        model(x, Causal())
    first = model.encoder.blocks[0]
    (seen["encoder.0.self"].weights() * wanted).sum().backward()
    found = first.self.project.weight.grad.clone()
    model.zero_grad()
    (dense(first.self, first.self_norm(x), allowed) * wanted).sum().backward()
    assert_close(found, first.self.project.weight.grad, **CLOSE)
    assert found.abs().sum() > 0


def test_a_loss_of_the_weights_reaches_a_learned_bias():
    layer, position, x = MultiHead(WIDTH, HEADS), BucketTable(HEADS), stream()
    wanted = torch.randn(2, HEADS, 5, 5)
    with regard.watch(layer, grad=True) as seen:
        layer(x, bias=position.bias())
    (seen["self"][:, :, 1:4] * wanted[:, :, 1:4]).sum().backward()
    found = position.table.weight.grad.clone()
    position.zero_grad()
    query, key, _ = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in layer.project(x).chunk(3, -1))
    places = torch.arange(5)
    scores = query @ key.transpose(-1, -2) / 2 + position.bias().tile(places, places)
    (torch.softmax(scores, -1)[:, :, 1:4] * wanted[:, :, 1:4]).sum().backward()
    assert_close(found, position.table.weight.grad, **CLOSE)


def test_a_loss_of_the_weights_and_of_the_answer_add_up():
    model, x = Reader(), stream()
    with regard.watch(model, grad=True) as seen:
        (model(x).square().sum() + seen["encoder.1.self"].logsumexp.sum()).backward()
    found = model.encoder.blocks[0].self.project.weight.grad.clone()
    parts = []
    for part in ("answer", "weights"):
        model.zero_grad()
        with regard.watch(model, grad=True) as seen:
            answer = model(x).square().sum()
            (answer if part == "answer" else seen["encoder.1.self"].logsumexp.sum()).backward()
        parts.append(model.encoder.blocks[0].self.project.weight.grad.clone())
    assert_close(found, sum(parts), rtol=1e-4, atol=1e-5)


def test_streams_have_a_gradient_for_those_who_ask():
    model = Reader()
    with regard.watch(model, grad=True) as seen:
        model(stream())
    seen.stream("encoder.0").sum().backward()
    assert model.encoder.blocks[0].self.project.weight.grad.abs().sum() > 0


# ---- patterns stay true


@pytest.mark.parametrize("grad", [False, True])
def test_a_pattern_stays_true_after_an_optimiser_step(grad):
    position = BucketTable(HEADS)
    layers = [MultiHead(WIDTH, HEADS, compare=SCORES[name](heads=HEADS, width=4)) for name in SCORES]
    model, x = nn.ModuleList([*layers, position]), stream()
    with regard.watch(model, grad=grad) as seen:
        loss = sum(layer(x, bias=position.bias() if n == 0 else None).square().sum() for n, layer in enumerate(layers))
    before = {name: pattern.weights().detach().clone() for name, pattern in seen.items()}
    loss.backward()
    torch.optim.SGD(model.parameters(), lr=1.0).step()
    assert len(before) == len(SCORES)
    for name, pattern in seen.items():
        assert torch.equal(pattern.kept(torch.Tensor.detach).weights(), before[name])


def test_a_pattern_stays_true_after_its_cache_moved_on():
    model, x = Stack([block(), block()]), stream(length=6)
    caches = [BlockCache(), BlockCache()]
    with torch.no_grad(), regard.watch(model) as seen:
        for some in x.split(2, 1):
            model(some, mask=Causal(), caches=caches)
    whole = [pattern.weights().clone() for pattern in seen.all("0.self")]
    with torch.no_grad():
        for cache in caches:
            cache.self._key.fill_(torch.nan)
            cache.self._value.fill_(torch.nan)
    assert all(torch.equal(p.weights(), old) for p, old in zip(seen.all("0.self"), whole, strict=True))
    with torch.no_grad(), regard.watch(model) as at_once:
        model(x, mask=Causal())
    assert_close(Pattern.join(seen.all("0.self")).weights(), at_once["0.self"].weights(), **CLOSE)


def test_a_pattern_stays_true_when_its_inputs_are_written_over():
    layer, x = MultiHead(WIDTH, HEADS), stream()
    real, numbers = Padding.from_lengths([3, 5]).real, torch.randn(1, 1, 5, 5)
    with torch.no_grad(), regard.watch(layer) as seen:
        layer(x, mask=Padding(real), bias=Given(numbers))
    before = seen["self"].weights().clone()
    x.zero_(), real.fill_(True), numbers.zero_()
    assert torch.equal(seen["self"].weights(), before)


def test_a_stream_stays_true_when_somebody_writes_into_it():
    model, x = Reader(), stream()
    with torch.no_grad(), regard.watch(model) as seen:
        out = model(x)
        before = out.clone()
        out.zero_()
    assert torch.equal(seen.stream("encoder.1"), before)


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


# ---- activation checkpointing


@pytest.mark.parametrize("reentrant", [False, True])
def test_with_activation_checkpointing_each_layer_is_seen_once_and_gradients_are_equal(reentrant):
    model, x = Reader(), stream()

    def run(x, checkpointed):
        for some in model.encoder.blocks:
            x = checkpoint(some, x, use_reentrant=reentrant) if checkpointed else some(x)
        return x.square().sum()

    model.zero_grad()
    run(x.clone().requires_grad_(), False).backward()
    before = [weight.grad.clone() for weight in model.parameters()]
    model.zero_grad()
    with regard.watch(model) as seen:
        run(x.clone().requires_grad_(), True).backward()
    assert [len(seen.all(name)) for name in seen] == [1, 1]
    assert [len(seen.streams(f"encoder.{n}")) for n in (0, 1)] == [1, 1]
    for weight, old in zip(model.parameters(), before, strict=True):
        assert_close(weight.grad, old, **CLOSE)


def test_with_activation_checkpointing_a_loss_of_the_weights_can_be_differentiated():
    model, x = Reader(), stream()
    wanted = torch.randn(2, HEADS, 5, 5)
    grads = []
    for checkpointed in (False, True):
        model.zero_grad()
        with regard.watch(model, grad=True) as seen:
            out = checkpoint(model, x, use_reentrant=False) if checkpointed else model(x)
            (out.sum() + (seen["encoder.1.self"].weights() * wanted).sum()).backward()
        grads.append(model.encoder.blocks[0].self.project.weight.grad.clone())
    assert_close(*grads, **CLOSE)

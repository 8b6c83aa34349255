"""Edits of every kind, in layers and in whole models.

Also tests: looking/edit_kinds.py.
"""

import json
import warnings

import numpy as np
import pytest
import torch
from looking.readers import HEADS, WIDTH, Reader, Translator, block, stream
from torch import nn
from torch.testing import assert_close
from torch.utils.checkpoint import checkpoint

import regard
from regard.attention import Causal, Padding
from regard.errors import EditError, RegardError, ShapeError, UnknownName
from regard.layers import MultiHead, Stack
from regard.looking.edit_kinds import EDIT_KINDS

CLOSE = {"rtol": 1e-4, "atol": 1e-6}


def gathered(layer: MultiHead, x: torch.Tensor) -> torch.Tensor:
    """What comes before the output projection: (batch, length, heads x width)."""
    found = []
    hook = layer.output.register_forward_pre_hook(lambda _, given: found.append(given[0]))
    layer(x)
    hook.remove()
    return found[0]


@pytest.mark.parametrize("head", [0, 1, -1])
def test_switching_a_head_off_is_zeroing_its_slice_before_the_output_projection_to_the_bit(head):
    layer, x = MultiHead(WIDTH, HEADS), stream()
    whole = gathered(layer, x).unflatten(-1, (HEADS, -1)).clone()
    whole[:, :, head] = 0
    with regard.edit(layer) as edit:
        edit.head("self", head).off()
        assert torch.equal(gathered(layer, x), whole.flatten(2))
        assert torch.equal(layer(x), layer.output(whole.flatten(2)))


def test_several_heads_of_several_layers_are_switched_off_at_once():
    model, x = Reader(), stream()
    with regard.edit(model) as edit:
        edit.head("encoder.*.self", [0, 1]).off()
        found = model(x)
    for some in model.encoder.blocks:
        x = x + some.self.output.bias
        x = x + some.feed_forward(some.feed_forward_norm(x))
    assert_close(found, x, **CLOSE)


ONE, EVEN = torch.tensor([0.0, 1.0, 0.0, 0.0, 0.0]), torch.tensor([0.25, 0.25, 0.25, 0.25, 0.0])
EDITED = {  # of two texts, the first of which stands one position to the right
    "scale": (lambda edit: edit.head("self", 1).scale(0.3), lambda pattern: pattern.scale(0.3, [1])),
    "scale all": (lambda edit: edit.head("self", [0, 1]).scale(2), lambda pattern: pattern.scale(2)),
    "temperature": (
        lambda edit: edit.head("self", 0).temperature(0.5),
        lambda pattern: pattern.with_temperature(0.5, [0]),
    ),
    "set a row": (
        lambda edit: edit.head("self", 0).set([0.0, 1.0, 0.0, 0.0], rows=[2]),
        lambda pattern: pattern.set(ONE.roll(1), [0], [3], [0]).set(ONE, [0], [2], [1]),
    ),
    "set all rows": (
        lambda edit: edit.head("self", 1).set(torch.full((4, 4), 0.25)),
        lambda pattern: pattern.set(EVEN.roll(1), [1], range(1, 5), [0]).set(EVEN, [1], range(4), [1]),
    ),
    "hide": (lambda edit: edit.hide([1, -1]), lambda pattern: pattern.hide([1, -1])),
    "two in a row": (
        lambda edit: edit.head("self", 1).scale(0.5).temperature(3),
        lambda pattern: pattern.scale(0.5, [1]).with_temperature(3, [1]),
    ),
}


@pytest.mark.parametrize("kind", EDITED)
def test_an_edit_is_that_of_the_pattern(kind):
    layer, x, mask = MultiHead(WIDTH, HEADS), stream(), Padding.from_lengths([4, 5], "left")
    with regard.watch(layer, values=True) as plain:
        layer(x, mask=mask)
    expected = EDITED[kind][1](plain["self"])
    with regard.edit(layer) as edit, regard.watch(layer) as seen:
        EDITED[kind][0](edit)
        found = layer(x, mask=mask)
    gate = 1 if expected.gate is None else expected.gate[:, :, None, None]
    answer = layer.output(((expected.weights() @ plain["self"].values) * gate).transpose(1, 2).flatten(2))
    assert_close(seen["self"].weights(), expected.weights(), **CLOSE)
    assert_close(found, answer, **CLOSE)


def test_edits_composed_are_the_dense_definition():
    layer, x = MultiHead(WIDTH, HEADS), stream()
    query, key, value = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in layer.qkv(x).chunk(3, -1))
    scores = query @ key.transpose(-1, -2) / 2
    scores[:, 1] /= 0.5
    scores[..., 2] = -torch.inf
    weights = torch.softmax(scores.masked_fill(torch.ones(5, 5).triu(1).bool(), -torch.inf), -1)
    weights[:, 0, 3] = torch.tensor([0.1, 0.2, 0.3, 0.4, 0.0])
    each = weights @ value
    each[:, 0] *= 0.25
    with regard.edit(layer) as edit:
        edit.hide([2])
        edit.head("self", 1).temperature(0.5)
        edit.head("self", 0).scale(0.25).set([0.1, 0.2, 0.3, 0.4, 0.0], rows=[3])
        assert_close(layer(x, mask=Causal()), layer.output(each.transpose(1, 2).flatten(2)), **CLOSE)


def test_what_is_seen_is_what_was_really_used_whoever_came_first():
    model, x = Reader(), stream()
    for order in ("watch first", "edit first"):
        first, second = (regard.watch, regard.edit) if order == "watch first" else (regard.edit, regard.watch)
        with first(model) as one, second(model) as other:
            seen, edit = (one, other) if order == "watch first" else (other, one)
            edit.hide([3])
            model(x)
        assert (seen["encoder.0.self"].column(3) == 0).all()


def test_an_edit_takes_effect_from_the_next_call_and_can_be_taken_back():
    model, x = Reader(), stream()
    before = model(x)
    with regard.edit(model) as edit:
        assert torch.equal(model(x), before)
        edit.head("encoder.0.self", 0).off()
        assert len(edit) == 1
        assert not torch.equal(model(x), before)
        edit.clear()
        assert torch.equal(model(x), before)
    assert torch.equal(model(x), before)


def test_an_edit_touches_no_other_layer():
    model, x = Translator(), stream()
    with regard.edit(model) as edit, regard.watch(model) as seen:
        edit.head("decoder.1.cross", 0).off()
        model(x, x)
    assert [name for name, pattern in seen.items() if pattern.gate is not None] == ["decoder.1.cross"]


def test_hiding_names_a_side():
    model, source, target = Translator(), stream(length=6), stream(length=4)
    hidden = {"source": {"source": [5]}, "target": {"target": [1]}, "both": {"source": [0], "target": [2]}}
    for given in hidden.values():
        with regard.edit(model) as edit, regard.watch(model) as seen:
            edit.hide(**given)
            model(source, target)
        for name, pattern in seen.items():
            side = "source" if name.startswith("encoder") or name.endswith("cross") else "target"
            columns = [key for key in range(pattern.shape[3]) if (pattern.column(key) == 0).all()]
            assert columns == given.get(side, [])


def test_hiding_names_a_side_of_a_model_within_a_model():
    outer, source, target = nn.ModuleDict({"net": Translator()}), stream(length=6), stream(length=4)
    with regard.edit(outer) as edit, regard.watch(outer) as seen:
        edit.hide(source=[5])
        outer["net"](source, target)
    hidden = [name for name, pattern in seen.items() if pattern.shape[3] == 6 and (pattern.column(5) == 0).all()]
    assert hidden == [
        f"net.{name}" for name in ("encoder.0.self", "encoder.1.self", "decoder.0.cross", "decoder.1.cross")
    ]


def test_hiding_what_no_layer_looks_at_is_refused():
    with regard.edit(Reader()) as edit:
        with pytest.raises(RegardError, match=r"no layer looks at a target: known: encoder.0.self"):
            edit.hide(target=[1])
        with pytest.raises(RegardError, match="no layer looks at a target"):
            edit.hide(source=[0], target=[1])
        assert len(edit) == 0


def test_hidden_tokens_are_counted_without_padding():
    model, x = Reader(), stream(1, 4)
    with regard.edit(model) as edit:
        edit.hide([1])
        alone = model(x)
        padded = stream(2, 7)
        attention_mask = Padding.from_lengths([4, 7], "left").attention_mask
        padded[0, attention_mask[0]] = x[0]
        assert_close(model(padded, Padding(attention_mask))[0, attention_mask[0]], alone[0], **CLOSE)


def test_edits_within_edits_are_all_at_work():
    model, x = Reader(), stream()
    with regard.edit(model) as outer, regard.edit(model) as inner:
        outer.head("encoder.0.self", 0).off()
        inner.head("encoder.0.self", 1).off()
        both = model(x)
    with regard.edit(model) as edit:
        edit.head("encoder.0.self", [0, 1]).off()
        assert torch.equal(model(x), both)
        with regard.edit(model) as inner:
            inner.hide([0])
        assert torch.equal(model(x), both)


def test_a_layer_that_serves_several_depths_is_edited_at_one():
    shared, x = block(), stream()
    model = nn.ModuleDict({"encoder": Stack([shared, shared])})
    other = block()
    other.load_state_dict(shared.state_dict())
    apart = nn.ModuleDict({"encoder": Stack([shared, other])})
    with regard.edit(apart) as edit:
        edit.head("encoder.1.self", 0).off()
        expected = apart["encoder"](x)
    with regard.edit(model) as edit:
        edit.head("encoder.1.self", 0).off()
        for _ in range(2):
            assert torch.equal(model["encoder"](x), expected)


# ---- edits as data


def every_edit(edit) -> None:
    edit.head("encoder.0.self", 1).off()
    edit.head("encoder.*.self", [0]).temperature(0.3).scale(1.7)
    edit.head("encoder.1.self", 0).set(torch.softmax(torch.tensor([0.3, -1.0, 0.7, 2.0, 0.1]), -1), rows=[1, 3])
    edit.hide([4])


def test_edits_are_saved_as_json_and_applied_again(tmp_path):
    model, x = Reader(), stream()
    with regard.edit(model) as edit:
        every_edit(edit)
        edit.save(tmp_path / "edits.json")
        once = model(x)
        told = repr(edit)
    records = json.loads((tmp_path / "edits.json").read_text())["edits"]
    assert [record["do"] for record in records] == ["scale", "temperature", "scale", "set", "hide", "hide"]
    for given in (tmp_path / "edits.json", str(tmp_path / "edits.json"), records):
        with regard.edit(model, given) as again:
            assert torch.equal(model(x), once)
            assert repr(again) == told
    assert not torch.equal(model(x), once)


def test_factors_may_be_tensors_and_heads_a_range_and_are_saved_as_numbers(tmp_path):
    model, x = Reader(), stream()
    factor = torch.tensor([0.5, 2.0], requires_grad=True)
    with regard.edit(model) as edit:
        edit.head("encoder.0.self", (0, 1)).scale(factor)
        edit.head("encoder.0.self", range(2)).temperature(2)
        edit.hide(range(2, 3))
        edit.save(tmp_path / "edits.json")
        once = model(x)
    with regard.edit(model, tmp_path / "edits.json"):
        assert torch.equal(model(x), once)


def test_saved_numbers_keep_their_precision(tmp_path):
    model, x = Reader().double(), stream().double()
    with regard.edit(model) as edit:
        edit.head("encoder.0.self", 0).scale(0.1)
        edit.head("encoder.1.self", 1).set(torch.softmax(torch.randn(5, dtype=torch.float64), -1))
        edit.save(tmp_path / "edits.json")
        once = model(x)
    with regard.edit(model, tmp_path / "edits.json"):
        assert torch.equal(model(x), once)


def test_a_factor_may_want_a_gradient():
    layer, x = MultiHead(WIDTH, HEADS), stream()
    factor, wanted = torch.ones(HEADS, requires_grad=True), torch.randn(2, 5, WIDTH)
    with regard.edit(layer) as edit:
        edit.head("self", range(HEADS)).scale(factor)
        (layer(x) * wanted).sum().backward()
    parts = gathered(layer, x).unflatten(-1, (HEADS, -1))
    for head in range(HEADS):
        alone = torch.zeros_like(parts)
        alone[:, :, head] = parts[:, :, head]
        expected = ((alone.flatten(2) @ layer.output.weight.T) * wanted).sum()
        assert_close(factor.grad[head], expected.detach(), **CLOSE)


def test_edits_are_at_work_when_activations_are_recomputed():
    model, x = Reader(), stream()
    grads = []
    for checkpointed in (False, True):
        model.zero_grad()
        with regard.edit(model) as edit:
            every_edit(edit)
            out = checkpoint(model, x, use_reentrant=False) if checkpointed else model(x)
            out.square().sum().backward()
        grads.append([weight.grad.clone() for weight in model.parameters()])
    for mine, other in zip(*grads, strict=True):
        assert_close(mine, other, **CLOSE)


def test_a_layer_that_serves_several_depths_is_not_recomputed_with_the_edits_of_another():
    shared, x = block(), stream()
    model = nn.ModuleDict({"encoder": Stack([shared, shared])})

    def run(layer: str, checkpointed: bool) -> list[torch.Tensor]:
        model.zero_grad()
        with regard.edit(model) as edit:
            edit.head(layer, 0).scale(0.5)
            out = checkpoint(model["encoder"], x, use_reentrant=False) if checkpointed else model["encoder"](x)
            out.square().sum().backward()
        return [weight.grad.clone() for weight in model.parameters()]

    for mine, other in zip(run("encoder.*.self", False), run("encoder.*.self", True), strict=True):
        assert_close(mine, other, **CLOSE)
    with pytest.raises(RegardError, match=r"encoder.0.self, encoder.1.self are one layer: under activation"):
        run("encoder.1.self", True)


# ---- errors


@pytest.mark.parametrize("layer", ["decoder.0.self", "encoder.0"])
def test_a_layer_that_is_not_there_is_named_with_its_field(layer, tmp_path):
    edits = [{"do": "hide", "positions": [1]}, {"do": "hide", "layer": layer, "positions": [1]}]
    path = tmp_path / "edits.json"
    path.write_text(json.dumps(edits))
    for source, origin in ((edits, ""), (path, f"{path}: ")):
        with pytest.raises(UnknownName) as raised, regard.edit(Reader(), source):
            pass
        assert str(raised.value).startswith(f"{origin}edits[1].layer: no layer fits {layer!r}: known: encoder.0.self")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda edit: edit.head("self", 0.5).off(), "edits[0].heads: a list of whole numbers expected, got 0.5"),
        (lambda edit: edit.head("self", [0, True]).off(), "edits[0].heads[1]: a whole number expected, got True"),
        (lambda edit: edit.head("self", slice(2)).off(), "edits[0].heads: a list of whole numbers expected, got slice"),
        (lambda edit: edit.head(3, 0).off(), "edits[0].layer: the name of a layer expected, got 3"),
        (
            lambda edit: edit.head("self", 0).scale("x"),
            "edits[0].factor: a number from -1,000,000 to 1,000,000 expected",
        ),
        (
            lambda edit: edit.head("self", 0).off().temperature(0),
            "edits[1].temperature: a number from 1e-06 to 1,000,000",
        ),
        (lambda edit: edit.head("self", 0).set([1.0], rows="x"), "edits[0].rows: a list of whole numbers expected"),
        (lambda edit: edit.hide(3), "tokens: a list of whole numbers expected, got 3"),
        (lambda edit: edit.hide(target=[0, 1.5]), "target[1]: a whole number expected, got 1.5"),
        (lambda edit: edit.add(3), "edits[0]: an edit, that is fields by name, expected, got 3"),
    ],
)
def test_what_a_program_gets_wrong_is_named_with_its_field(change, message, unchecked):
    with regard.edit(MultiHead(WIDTH, HEADS)) as edit:
        with pytest.raises(EditError) as raised:
            change(edit)
        assert str(raised.value).startswith(message)


def test_an_edit_of_a_block_is_refused_because_a_block_has_no_heads():
    with (
        regard.edit(Reader()) as edit,
        pytest.raises(UnknownName, match=r"no layer fits 'encoder.0': known: encod"),
    ):
        edit.head("encoder.0", 1).off()


def test_a_head_or_token_that_is_not_there_is_refused_when_the_model_runs():
    model, x = Reader(), stream()
    with regard.edit(model) as edit:
        edit.head("encoder.0.self", 2).off()
        with pytest.raises(ShapeError, match="there is no head 2: 2 of them, counted from 0"):
            model(x)
        edit.clear()
        edit.hide([5])
        with pytest.raises(ShapeError, match="there is no token at position 5: 5 of them, counted from 0"):
            model(x)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "edits cannot be read: No such file or directory"),
        ("[1, ", "edits cannot be read: no JSON: Expecting value: line 1 column 5"),
        ('{"do": "hide"}', "a list of edits, or a version and edits, expected, got 'do'"),
    ],
)
def test_a_file_that_holds_no_edits_is_named(tmp_path, text, message):
    path = tmp_path / "edits.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(RegardError) as raised, regard.edit(Reader(), path):
        pass
    assert str(raised.value).startswith(f"{path}: {message}")
    assert "\n" not in str(raised.value)


def test_a_record_that_is_changed_later_was_checked_and_stays():
    record = {"do": "hide", "layer": "encoder.0.self", "positions": [1]}
    with regard.edit(Reader(), [record]) as edit:
        record["rows"] = record.pop("positions")
        assert edit.records == [{"do": "hide", "layer": "encoder.0.self", "positions": [1]}]


def test_rows_and_heads_of_any_kind_are_saved_as_numbers(tmp_path):
    with regard.edit(Reader()) as edit:
        edit.head("encoder.0.self", np.int64(1)).set(torch.eye(5)[:2], rows=range(2))
        edit.head("encoder.0.self", torch.tensor([0])).set(np.eye(5)[0], rows=np.array([3]))
        edit.save(tmp_path / "edits.json")
    first, second = json.loads((tmp_path / "edits.json").read_text())["edits"]
    assert (first["heads"], first["rows"], first["weights"]) == ([1], [0, 1], torch.eye(5)[:2].tolist())
    assert (second["heads"], second["rows"], second["weights"]) == ([0], [3], [1, 0, 0, 0, 0])


# ---- weights that are none


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (torch.ones(3), "each row of weights sums to 1, or to 0, got one that sums to 3"),
        (torch.full((5,), 0.21), "each row of weights sums to 1, or to 0, got one that sums to 1.05"),
        (torch.tensor([1.5, -0.5, 0.0, 0.0, 0.0]), "weights of 0 or more expected, got -0.5"),
    ],
)
def test_rows_that_are_no_weights_are_refused_when_the_model_runs(weights, message):
    model, x = Translator(), stream()
    with regard.edit(model) as edit:
        edit.head("decoder.0.self", 0).set(weights)
        with pytest.raises(ShapeError) as raised:
            model(x, x)
    assert str(raised.value) == f"decoder.0.self: {message}"


@pytest.mark.parametrize("weights", [torch.ones(1), torch.tensor([0.5, 0.5]), torch.tensor([0.0, 0, 0, 0, 0, 1])])
def test_weights_of_a_source_are_as_many_as_its_tokens(weights):
    model, x = Reader(), stream()
    with regard.edit(model) as edit:
        edit.head("encoder.0.self", 0).set(weights)
        with pytest.raises(ShapeError) as raised:
            model(x)
    line = f"encoder.0.self: weights of 5 keys, one for each token of the source, expected, got {len(weights)}"
    assert str(raised.value) == line


def test_rows_that_were_rounded_to_four_decimals_are_weights():
    model, x = Reader(), stream(length=12)
    with regard.edit(model) as edit, regard.watch(model) as seen:
        edit.head("encoder.0.self", 0).set([round(1 / 12, 4)] * 12, rows=[2])
        edit.head("encoder.0.self", 1).set(torch.zeros(12))
        model(x)
    assert_close(seen["encoder.0.self"][:, 0, 2], torch.full((2, 12), 0.0833))
    assert not seen["encoder.0.self"][:, 1].any()


def test_weights_may_want_a_gradient_and_get_that_of_the_values():
    layer, x = MultiHead(WIDTH, HEADS), stream()
    rows, wanted = torch.softmax(torch.randn(5, 5), -1).requires_grad_(), torch.randn(2, 5, WIDTH)
    with regard.edit(layer) as edit:
        edit.head("self", 1).set(rows)
        (layer(x) * wanted).sum().backward()
    value = layer.qkv(x).chunk(3, -1)[2].unflatten(-1, (HEADS, -1))[:, :, 1]
    given = (wanted @ layer.output.weight).unflatten(-1, (HEADS, -1))[:, :, 1]
    assert_close(rows.grad, (given @ value.transpose(1, 2)).sum(0), **CLOSE)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_row_that_looks_where_the_mask_forbids_is_named_with_its_layer_and_key(side):
    layer, x = MultiHead(WIDTH, HEADS), stream()
    mask = Causal() & Padding.from_lengths([4, 5], side)
    with regard.edit(layer) as edit:
        edit.head("self", 0).set([0.5, 0.5, 0.0, 0.0], rows=[1, 3])
        layer(x, mask=mask)
        edit.head("self", 1).set([0.5, 0.0, 0.0, 0.5], rows=[3, 2])
        with pytest.raises(RegardError) as raised:
            layer(x, mask=mask)
    assert str(raised.value) == "self: row 2 puts weight on key 3, which the mask forbids"


def test_one_row_for_all_looks_back_only_as_far_as_the_first_may():
    layer, x = MultiHead(WIDTH, HEADS), stream()
    with regard.edit(layer) as edit, regard.watch(layer) as seen:
        edit.head("self", 0).set([1.0, 0.0, 0.0, 0.0, 0.0])
        layer(x, mask=Causal())
        edit.head("self", 0).set([0.0, 1.0, 0.0, 0.0, 0.0])
        with pytest.raises(RegardError, match="self: row 0 puts weight on key 1, which the mask forbids"):
            layer(x, mask=Causal())
        layer(x)
    assert (seen.all("self")[0][:, 0, :, 0] == 1).all()


# ---- positions that never come


def reading(length: int, *, hidden: list[int], model=None) -> list[str]:
    """What is warned about after a text was read at once."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with regard.edit(model or nn.ModuleDict({"decoder": Stack([block(), block()])})) as edit:
            edit.hide(hidden)
            for part in (length - 1, length):
                next(iter(edit.layer_names.layers.values()))(stream(length=part))
    assert all(one.category is UserWarning and one.filename == __file__ for one in told)
    return [str(one.message) for one in told]


@pytest.mark.parametrize(
    ("hidden", "message"),
    [
        ([4, -5], None),
        ([5], "the hidden position 5 was never reached: 5 tokens at most"),
        ([-6, 0, 5000], "the hidden positions -6, 5000 were never reached: 5 tokens at most"),
    ],
)
def test_a_hidden_position_that_no_text_reached_is_told_once_at_the_end(hidden, message):
    assert reading(5, hidden=hidden) == ([] if message is None else [message])


def test_nothing_is_told_where_nothing_ran_or_something_failed():
    with regard.edit(nn.ModuleDict({"decoder": Stack([block()])})) as edit:
        edit.hide([5000])
    with pytest.raises(ZeroDivisionError), regard.edit(MultiHead(WIDTH, HEADS)) as edit:  # noqa: PT012
        edit.hide([5000])
        edit.layer_names.layers["self"](stream())
        raise ZeroDivisionError


def test_a_row_that_no_text_reached_is_told_at_the_end():
    layer, x = MultiHead(WIDTH, HEADS), stream()
    edits = [{"do": "set", "heads": [0], "rows": [2, 7], "weights": [1.0]}]

    def run():
        with regard.edit(layer, edits):
            layer(x)

    with pytest.warns(UserWarning, match="the row 7 was never reached: 5 tokens at most"):
        run()


def test_every_kind_of_edit_is_tried_here():
    others = {"cut", "set_pairs"}  # in test_pair_edits.py
    assert set(EDIT_KINDS) - others == {"hide", "scale", "temperature", "set"}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"do": "temper", "heads": [0], "temperature": 2.0}, "do: the edit 'temper' is called 'temperature' now"),
        (
            {"do": "scale", "place": "self", "heads": [0], "factor": 0},
            "place: this field is called 'layer' now",
        ),
        ({"do": "hide", "places": [1]}, "places: this field is called 'positions' now"),
    ],
)
def test_an_old_word_is_refused_with_the_new_one(record, message, tmp_path):
    (tmp_path / "edits.json").write_text(json.dumps([record]))
    for edits in ([record], tmp_path / "edits.json"):
        with pytest.raises(EditError, match=rf"edits\[0\].{message}$"), regard.edit(MultiHead(WIDTH, HEADS), edits):
            pass


def test_a_saved_file_has_a_version_and_another_is_refused(tmp_path):
    model, path = MultiHead(WIDTH, HEADS), tmp_path / "edits.json"
    with regard.edit(model) as edit:
        edit.head("self", 1).off()
        edit.save(path)
    saved = json.loads(path.read_text())
    assert saved == {"version": 2, "edits": [{"layer": "self", "heads": [1], "do": "scale", "factor": 0.0}]}
    path.write_text(json.dumps(saved | {"version": 3}))
    with pytest.raises(RegardError, match="edits of version 2 expected, got version 3"), regard.edit(model, path):
        pass

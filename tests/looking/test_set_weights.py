"""Rows drawn by hand are those of their tokens, whether a text is read at once, in a batch, or written step by step."""

from functools import cache

import pytest
import torch
from decoding.test_together import END, LENGTHS, LONGEST, RULES, VOCABULARY, asked, sharpened, side
from looking.readers import HEADS, WIDTH, stream
from models import test_xl
from torch.testing import assert_close

import regard
from regard.attention import DenseMask, Padding, Pattern, Tap
from regard.attention.taps import active
from regard.decoding import decode
from regard.engine.changes import current_changes
from regard.engine.packed_model import Unsupported
from regard.errors import RegardError, ShapeError
from regard.layers import MultiHead
from regard.looking.layer_names import LayerNames
from regard.models import (
    AlignConfig,
    Aligner,
    AlignerConfig,
    Decoder,
    DecoderConfig,
    OutputConfig,
    RecurrentConfig,
    Transformer,
    TransformerConfig,
)

CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def aligner(look: str) -> Aligner:
    sides = RecurrentConfig(VOCABULARY, 8, 8), RecurrentConfig(VOCABULARY, 8, 8)
    return Aligner(AlignerConfig(*sides, AlignConfig(look=look)))


MODELS = {
    "writer": lambda: Decoder(DecoderConfig(side(), OutputConfig(tied=False))),
    "translator": lambda: Transformer(TransformerConfig(side(), side(), OutputConfig(tied=False))),
    "aligner, before": lambda: aligner("before"),
    "aligner, after": lambda: aligner("after"),
}


@cache
def made(kind: str):
    torch.manual_seed(5)
    return sharpened(MODELS[kind]())


class Drawing(Tap):
    """The plain way: sets one row of a pattern that holds a whole text and nothing else."""

    def __init__(self, row: int, weights: list[float], heads: list[int]) -> None:
        self.row, self.weights, self.heads = row, weights, heads

    def edit(self, pattern: Pattern) -> Pattern:
        if self.row >= pattern.shape[2]:
            return pattern
        weights = torch.zeros(pattern.shape[3])
        weights[: len(self.weights)] = torch.tensor(self.weights[: pattern.shape[3]])
        return pattern.set(weights, self.heads, [self.row])


def plainly(model, layer_name: str, tap: Tap, *given: list[int]) -> torch.Tensor:
    """Log-probabilities of what follows each token of one text, read at once with a tap on one layer."""
    layer = LayerNames(model).layers[layer_name]
    layer.taps = (tap,)
    with torch.no_grad(), active(tap):
        logits = model(*(torch.tensor([tokens], dtype=torch.long) for tokens in given))
    del layer.taps
    return logits[0].log_softmax(-1)


def record(layer: str, row: int, weights: list[float], heads: list[int]) -> dict:
    return {"do": "set", "layer": layer, "heads": heads, "rows": [row], "weights": [weights]}


def texts(given: dict, decoded) -> list[tuple[list[list[int]], int, list[int], tuple[float, ...]]]:
    """What a model reads to write each text, where that begins, the text, and the score of each token."""
    found = []
    for row, one in enumerate(decoded):
        for text in one.hypotheses:
            written = [*text.ids, *([END] if text.is_finished else [])]
            attention_mask = given.get("prefix_attention_mask", torch.ones_like(given["prefix"], dtype=torch.bool))[row]
            before = given["prefix"][row, attention_mask].tolist()
            read = [[*before, *written[:-1]]]
            if given["source"] is not None:
                read = [given["source"][row, given["attention_mask"][row]].tolist(), *read]
            found.append((read, len(before) - 1, written, text.scores))
    return found


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize(
    ("kind", "layer", "chosen", "row", "weights"),
    [
        ("writer", "decoder.1.self", range(len(LENGTHS)), 4, [0.5, 0.0, 0.25, 0.25, 0.0]),
        ("translator", "decoder.0.self", range(len(LENGTHS)), 2, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("translator", "decoder.1.cross", [0], 3, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        ("aligner, before", "align", [0], 2, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
        ("aligner, after", "align", [0], 2, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
    ],
)
def test_what_is_written_in_steps_is_what_is_read_at_once(kind, layer, chosen, row, weights, beam):
    model, given, heads = made(kind), asked(kind, chosen), [0] if layer == "align" else [1, 2]
    with regard.edit(model, [record(layer, row, weights, heads)]):
        found = decode(model, **given, beam=beam, num_hypotheses=beam, max_new_tokens=LONGEST, constraints=RULES)
    reached, changed = 0, 0
    for read, first, written, scores in texts(given, found):
        logs = plainly(model, layer, Drawing(row, weights, heads), *read)[first:]
        assert scores == pytest.approx(logs[range(len(written)), written].tolist(), abs=1e-4)
        reached += row > first and row < len(read[-1])
        changed += not torch.allclose(logs, plainly(model, layer, Tap(), *read)[first:], atol=1e-2)
    assert reached  # rows of tokens that were written, not given
    assert changed


def test_the_engine_leaves_such_edits_to_the_model():
    writer = made("writer")
    with regard.edit(writer, [record("decoder.1.self", 3, [1.0], [0])]), pytest.raises(Unsupported, match="'set'"):
        current_changes(writer)


@pytest.mark.parametrize("left", [True, False])
def test_a_watch_sees_the_row_that_was_drawn_and_no_other_change(left):
    writer = made("writer")
    given, drawn = asked("writer", [0, 1, 2], left), torch.tensor([0.1, 0.2, 0.3, 0.4])
    seen = []
    for edits in ([], [record("decoder.0.self", 3, drawn.tolist(), [2])]):
        with torch.no_grad(), regard.watch(writer, "decoder.0.self") as found, regard.edit(writer, edits):
            writer(given["prefix"], attention_mask=given["prefix_attention_mask"])
        seen.append(found["decoder.0.self"].weights())
    plain, edited = seen
    for member, attention_mask in enumerate(given["prefix_attention_mask"]):
        tokens_at = attention_mask.nonzero().flatten().tolist()
        if len(tokens_at) > 3:
            row = edited[member, 2, tokens_at[3]]
            assert torch.equal(row[tokens_at[:4]], drawn)
            assert row.count_nonzero() == 4
            plain[member, 2, tokens_at[3]] = edited[member, 2, tokens_at[3]]
    assert torch.equal(plain, edited)


@pytest.mark.parametrize("layer", ["decoder.1.self", "decoder.1.cross"])
def test_the_steps_that_a_watch_sees_join_to_the_whole(layer):
    translator = made("translator")
    torch.manual_seed(0)
    source, target = torch.randint(3, VOCABULARY, (2, 5)), torch.randint(3, VOCABULARY, (2, 6))
    edits = [record(layer, 4, [0.0, 0.5, 0.0, 0.5, 0.0], [0])]
    with torch.no_grad(), regard.edit(translator, edits):
        with regard.watch(translator, layer) as whole:
            translator(source, target)
        with regard.watch(translator, layer) as stepped:
            state = translator.start(source)
            for token in target.split(1, 1):
                _, state = translator.step(state, token)
    joined = Pattern.join(stepped.all(layer))
    assert_close(joined.weights(), whole[layer].weights(), **CLOSE)
    assert joined[0, 0, 4, 1] == joined[0, 0, 4, 3] == 0.5
    assert joined.query_positions.tolist() == [list(range(6))] * 2


@torch.no_grad()
def test_a_memory_of_segments_does_not_forget_what_is_edited():
    model, tokens = test_xl.model(memory=3), test_xl.text(14)
    edits = [record(f"decoder.{layer}.self", 11, [0.0] * 9 + [0.5, 0.0, 0.5], [1]) for layer in range(test_xl.LAYERS)]
    with regard.edit(model, edits):
        whole = model(tokens)
        state = model.start()
        for position, token in enumerate(tokens.split(1, 1)):
            logits, state = model.step(state, token)
            assert_close(logits[:, 0], whole[:, position], **CLOSE)
    assert not torch.allclose(whole[:, 11], model(tokens)[:, 11], atol=1e-3)
    assert torch.equal(whole[:, :11], model(tokens)[:, :11])


def test_every_row_may_be_drawn_the_same_or_each_its_own():
    layer, x = MultiHead(WIDTH, HEADS), stream()
    for weights in (
        [0.0, 0.0, 1.0, 0.0, 0.0],
        torch.softmax(torch.randn(5, 5), -1),
        torch.randn(2, 1, 5, 5).softmax(-1),
    ):
        with regard.edit(layer) as edit, regard.watch(layer) as seen:
            edit.head("self", 1).set(weights)
            layer(x)
        expected = torch.as_tensor(weights)
        expected = expected if expected.ndim == 4 else expected.expand(2, 1, 5, 5)
        assert torch.equal(seen["self"][:, 1:], expected)


def test_a_row_from_the_end_is_that_of_the_last_token_so_far():
    layer, x = MultiHead(WIDTH, HEADS), stream(length=3)
    with regard.edit(layer) as edit, regard.watch(layer) as seen:
        edit.head("self", 0).set([1.0, 0.0, 0.0, 0.0], rows=[-1])
        layer(x)
    assert torch.equal(seen["self"][:, 0, 2], torch.tensor([[1.0, 0.0, 0.0]] * 2))
    assert (seen["self"][:, 0, :2] < 1).all()


def test_a_source_in_padding_is_counted_without_it():
    layer, x, source = MultiHead(WIDTH, HEADS, source_width=WIDTH), stream(length=2), stream(length=6)
    attention_mask = torch.tensor([[True, True, False, True, False, True], [False, False, True, True, True, True]])
    model = torch.nn.ModuleDict({"cross": layer})
    with regard.edit(model) as edit, regard.watch(model) as seen:
        edit.head("cross", 1).set([0.1, 0.2, 0.3, 0.4], rows=[1])
        layer(x, source, mask=Padding(attention_mask))
    for member in range(2):
        row = seen["cross"][member, 1, 1]
        assert torch.equal(row[attention_mask[member]], torch.tensor([0.1, 0.2, 0.3, 0.4]))
        assert not row[~attention_mask[member]].any()


@pytest.mark.parametrize(
    ("layer", "row", "weights", "kind", "message"),
    [
        ("encoder.0.self", 5, [0.2] * 5, ShapeError, "there is no query 5: 5 of them, counted from 0"),
        ("encoder.0.self", 1, [0.25] * 4, ShapeError, "weights of 5 keys, one for each token of the source, expected"),
        ("decoder.0.cross", 1, [0.1] * 6, ShapeError, "weights of 5 keys, one for each token of the source, expected"),
        (
            "decoder.0.self",
            1,
            [0, 0, 1],
            RegardError,
            "decoder.0.self: a row shall look at position 2, of 2 tokens so fa",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_line(layer, row, weights, kind, message):
    model, source = made("translator"), torch.tensor([[3, 4, 5, 6, 7]])
    with regard.edit(model, [record(layer, row, weights, [0])]), pytest.raises(kind, match=message):
        decode(model, source, prefix=torch.tensor([[1]]), max_new_tokens=3)


def test_a_number_of_rows_that_does_not_fit_is_refused():
    layer, x = MultiHead(WIDTH, HEADS), stream()
    with regard.edit(layer) as edit:
        edit.head("self", 0).set(torch.rand(2, 5), rows=[0, 1, 2])
        with pytest.raises(ShapeError, match="weights of 1 row or of 3 rows expected, got 2"):
            layer(x)


@pytest.mark.parametrize("budget", [1, 1 << 20])
@pytest.mark.parametrize("size", [(1, 1), (3, 1), (1, HEADS), (3, HEADS)], ids=str)
def test_every_mask_is_asked_for_the_member_and_the_head_that_is_drawn(size, budget, monkeypatch):
    monkeypatch.setattr("regard.attention.tiles.BUDGET", budget)
    allowed = torch.ones(*size, 5, 5, dtype=torch.bool)
    allowed[-1, -1, 3, 2] = False
    layer, x = MultiHead(WIDTH, HEADS), stream(3)
    with regard.edit(layer) as edit:
        edit.head("self", 1).set(torch.eye(5)[[2, 2, 3, 4]], rows=[0, 1, 2, 4])
        edit.head("self", 0).set(torch.eye(5)[2], rows=[3] if size[1] == HEADS else [2])
        layer(x, mask=DenseMask(allowed))
        edit.head("self", 1).set(torch.eye(5)[2])
        with pytest.raises(RegardError, match="self: row 3 puts weight on key 2, which the mask forbids"):
            layer(x, mask=DenseMask(allowed))

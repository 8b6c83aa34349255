import pytest
import torch
from torch import nn
from torch.testing import assert_close

import regard
from regard.layers import MultiHead
from regard.models import (
    AttentionConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
    Transformer,
    TransformerConfig,
)

POSITIONS = {
    "sinusoidal": PositionConfig("sinusoidal", {"width": 12}),
    "learned": PositionConfig("learned", {"length": 20, "width": 12, "offset": 2}),
    "rotary": PositionConfig("rotary", {"head_width": 4}),
    "alibi": PositionConfig("alibi", {"heads": 3}),
    "buckets": PositionConfig("buckets", {"heads": 3, "buckets": 8, "reach": 6}),
}
SOURCE = torch.tensor([[5, 6, 7, 8, 9], [10, 11, 12, 0, 0]])
TARGET = torch.tensor([[1, 4, 3, 2], [1, 13, 0, 0]])
REAL, TARGET_REAL = SOURCE > 0, TARGET > 0


def transformer(position="sinusoidal", **changes):
    stack = StackConfig(2, 12, AttentionConfig(3), FeedForwardConfig(20))
    side = EmbeddedStackConfig(EmbeddingConfig(17), stack, POSITIONS[position])
    return Transformer(TransformerConfig(side, side, **changes)).eval()


def left(x, attention_mask):
    """The same texts with their padding on the left."""
    return torch.stack([row.roll(int((~mine).sum())) for row, mine in zip(x, attention_mask, strict=True)])


@pytest.mark.parametrize("position", POSITIONS)
def test_steps_give_the_logits_of_teacher_forcing(position):
    model = transformer(position)
    expected = model(SOURCE, TARGET, attention_mask=REAL)
    state = model.start(SOURCE, REAL)
    for index in range(TARGET.shape[1]):
        logits, state = model.step(state, TARGET[:, index : index + 1])
        assert_close(logits, expected[:, index : index + 1], rtol=0, atol=1e-5)
    assert state.length == TARGET.shape[1]


@pytest.mark.parametrize("position", POSITIONS)
def test_a_prompt_may_be_read_at_once_and_padded_on_the_left(position):
    model = transformer(position)
    prompt, attention_mask = left(TARGET, TARGET_REAL), left(TARGET_REAL, TARGET_REAL)
    state = model.start(SOURCE, REAL)
    logits, state = model.step(state, prompt, attention_mask)
    following, state = model.step(state, torch.tensor([[3], [4]]))
    for row, length in enumerate(TARGET_REAL.sum(1).tolist()):
        alone = torch.cat([TARGET[row : row + 1, :length], torch.tensor([[3 + row]])], 1)
        source = SOURCE[row : row + 1, : int(REAL[row].sum())]
        expected = model(source, alone)
        assert_close(logits[row, 0], expected[0, -2], rtol=0, atol=1e-5)
        assert_close(following[row, 0], expected[0, -1], rtol=0, atol=1e-5)


@pytest.mark.parametrize("position", POSITIONS)
def test_padding_on_either_side_gives_the_same_answer(position):
    model = transformer(position)
    right = model(SOURCE, TARGET, attention_mask=REAL, target_attention_mask=TARGET_REAL)
    moved = [left(x, attention_mask) for x, attention_mask in ((SOURCE, REAL), (TARGET, TARGET_REAL))]
    masks = {"attention_mask": left(REAL, REAL), "target_attention_mask": left(TARGET_REAL, TARGET_REAL)}
    found = model(*moved, **masks)
    assert_close(found[masks["target_attention_mask"]], right[TARGET_REAL], rtol=0, atol=1e-5)


def test_selected_rows_are_reordered_repeated_and_dropped():
    model = transformer()
    rows = torch.tensor([1, 0, 1])
    state = model.start(SOURCE, REAL)
    _, state = model.step(state, TARGET[:, :2])
    logits, _ = model.step(state.select(rows), TARGET[rows, 2:3])
    expected = model(SOURCE[rows], TARGET[rows], attention_mask=REAL[rows])
    assert_close(logits, expected[:, 2:3], rtol=0, atol=1e-5)


def test_keys_of_the_source_are_computed_once(monkeypatch):
    model = transformer()
    calls = []
    for name, module in model.named_modules():
        if isinstance(module, MultiHead) and module.crosses:
            monkeypatch.setattr(module.kv, "forward", counted(module.kv, name, calls))
    state = model.start(SOURCE, REAL)
    for position in range(3):
        _, state = model.step(state, TARGET[:, position : position + 1])
        state = state.select(torch.tensor([1, 0]))
    assert calls == ["decoder.stack.blocks.0.cross", "decoder.stack.blocks.1.cross"]


def counted(layer: nn.Linear, name: str, calls: list[str]):
    def forward(x):
        calls.append(name)
        return nn.functional.linear(x, layer.weight, layer.bias)

    return forward


def test_one_table_serves_both_sides_and_the_scores_unless_told_otherwise():
    model = transformer()
    assert model.decoder.embedding.table.weight is model.encoder.embedding.table.weight is model.output.weight
    apart = transformer(shared=False, output=OutputConfig(tied=False, bias=True))
    tables = {id(part) for part in (apart.decoder.embedding.table.weight, apart.encoder.embedding.table.weight)}
    assert len(tables | {id(apart.output.weight)}) == 3


def test_a_bridge_joins_sides_of_different_widths():
    wide = EmbeddedStackConfig(EmbeddingConfig(17), StackConfig(1, 16, AttentionConfig(2), FeedForwardConfig(8)))
    narrow = EmbeddedStackConfig(EmbeddingConfig(19), StackConfig(1, 6, AttentionConfig(2), FeedForwardConfig(8)))
    bridged = Transformer(TransformerConfig(wide, narrow, shared=False, bridge=True))
    assert bridged(SOURCE, TARGET).shape == (2, 4, 19)
    looking = Transformer(TransformerConfig(wide, narrow, shared=False))
    assert looking(SOURCE, TARGET).shape == (2, 4, 19)
    assert looking.decoder.stack.blocks[0].cross.source_width == 16


def test_without_an_output_the_vectors_themselves_come_out():
    assert transformer(output=None)(SOURCE, TARGET).shape == (2, 4, 12)


def test_every_layer_can_be_watched():
    model = transformer()
    with regard.watch(model) as seen:
        model(SOURCE, TARGET, attention_mask=REAL, target_attention_mask=TARGET_REAL)
    sides = {f"{side}.{layer}.self" for side in ("encoder", "decoder") for layer in range(2)}
    assert set(seen) == sides | {"decoder.0.cross", "decoder.1.cross"}
    assert seen["decoder.1.cross"].weights().shape == (2, 3, 4, 5)

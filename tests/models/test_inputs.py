"""One form for tokens and masks, however they come; what has no meaning is one line."""

import pytest
import torch
from shapes_of_engine import WORDS, made
from torch import nn

from regard.errors import ArgumentError, RegardError, ShapeError
from regard.models.inputs import INTEGERS, row_numbers, token_ids, token_mask, token_tables

TOKENS = torch.tensor([[3, 1, 4], [1, 5, 9]])
MASK = torch.tensor([[True, True, False], [True, True, True]])
FORMS = {
    "transposed": lambda x: x.t().contiguous().t(),
    "every other column": lambda x: x.repeat_interleave(2, 1)[:, ::2],
    "parameter": lambda x: nn.Parameter(x, requires_grad=False),
    "of inference mode": lambda x: torch.inference_mode()(x.clone)(),
}
NO_TENSORS = {"list": [[1, 2]], "array": TOKENS.numpy(), "number": 3, "nothing": None}


def fake():
    with torch._subclasses.FakeTensorMode():
        return torch.ones(2, 3, dtype=torch.int64)


ODD = {
    "meta": (lambda: TOKENS.to("meta"), "tokens is on the device meta"),
    "sparse": (TOKENS.to_sparse, "tokens is a torch.sparse_coo tensor"),
    "nested": (
        lambda: torch.nested.nested_tensor([TOKENS[0], TOKENS[1, :2]], layout=torch.jagged),
        "tokens is a NestedTensor",
    ),
    "fake": (fake, "tokens is a FakeTensor"),
}


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_integers_of_any_size_and_layout_are_the_same_tokens(form, dtype):
    tokens = token_ids("tokens", form(TOKENS.to(dtype)))
    assert tokens.dtype == torch.int64
    assert tokens.is_contiguous()
    assert torch.equal(tokens, TOKENS)


@pytest.mark.parametrize("dtype", [*INTEGERS, torch.bool], ids=str)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_masks_of_zeros_and_ones_are_the_same_mask(form, dtype):
    mask = token_mask("mask", form(MASK.to(dtype)), TOKENS)
    assert mask.dtype == torch.bool
    assert mask.is_contiguous()
    assert torch.equal(mask, MASK)


def test_what_is_repeated_without_memory_is_written_out():
    tokens = token_ids("tokens", TOKENS[:1].expand(5, 3))
    mask = token_mask("mask", MASK[:1].expand(5, 3), tokens)
    assert (tokens.stride(), mask.stride()) == ((3, 1), (3, 1))
    assert torch.equal(tokens, TOKENS[:1].repeat(5, 1))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bool, torch.complex64], ids=str)
def test_tokens_are_integers(dtype):
    with pytest.raises(ArgumentError, match=f"^source is of {dtype}: numbers of tokens are integers"):
        token_ids("source", TOKENS.to(dtype))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=str)
def test_masks_are_no_floats(dtype):
    with pytest.raises(ArgumentError, match=f"^attention_mask is of {dtype}: bool expected, or integers of 0 and 1"):
        token_mask("attention_mask", MASK.to(dtype), TOKENS)


@pytest.mark.parametrize("value", [2, -1, 255])
def test_masks_hold_nothing_but_zeros_and_ones(value):
    mask = MASK.long()
    mask[1, 2] = value
    with pytest.raises(ArgumentError, match=f"^attention_mask holds {value}: 1 for a token, 0 for padding"):
        token_mask("attention_mask", mask, TOKENS)


@pytest.mark.parametrize("value", NO_TENSORS.values(), ids=NO_TENSORS)
def test_what_is_no_tensor_is_named(value):
    with pytest.raises(ArgumentError, match=f"^tokens is a {type(value).__name__}, a tensor expected$"):
        token_ids("tokens", value)
    if value is not None:
        with pytest.raises(ArgumentError, match=r"^mask is a"):
            token_mask("mask", value, TOKENS)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize(("odd", "message"), ODD.values(), ids=ODD)
def test_a_tensor_without_plain_numbers_is_named(odd, message):
    with pytest.raises(ArgumentError, match=message):
        token_ids("tokens", odd())
    with pytest.raises(ArgumentError, match=message.replace("tokens", "mask")):
        token_mask("mask", odd(), TOKENS)


@pytest.mark.parametrize("shape", [(), (6,), (1, 2, 3)])
def test_tokens_are_rows(shape):
    with pytest.raises(ShapeError, match=r"^prefix is of \(batch, tokens\), got "):
        token_ids("prefix", torch.zeros(shape, dtype=torch.int64))


@pytest.mark.parametrize("shape", [(2, 4), (1, 3), (3,), (2, 1, 1, 3)])
def test_a_mask_has_the_shape_of_its_tokens(shape):
    with pytest.raises(ShapeError, match=r"^mask is of .*, the tokens it is about of \(2, 3\)$"):
        token_mask("mask", torch.ones(shape, dtype=torch.bool), TOKENS)


@pytest.mark.parametrize("shape", [(2**31, 0), (0, 2**31), (2**16, 2**16)])
def test_more_tokens_than_can_be_counted_are_refused(shape):
    tokens = torch.zeros(1, 1, dtype=torch.uint8).expand(shape) if all(shape) else torch.zeros(shape, dtype=torch.uint8)
    with pytest.raises(ShapeError, match=r"^source is of .*: at most 2147483647 tokens are read at once"):
        token_ids("source", tokens)


@pytest.mark.parametrize("token", [-1, WORDS, 2**40, -(2**63)])
def test_tokens_are_of_the_vocabulary_padding_included(token):
    table = token_tables(made("gpt2")).target
    tokens = TOKENS.clone()
    tokens[1, 1] = token
    with pytest.raises(ArgumentError, match=rf"^prefix holds the token {token}: .* 0 to {WORDS - 1}$"):
        token_ids("prefix", tokens, table)


def test_tokens_are_where_the_model_is():
    table = nn.Embedding(WORDS, 2, device="meta")
    with pytest.raises(ArgumentError, match=r"^source is on the device cpu, the model on meta$"):
        token_ids("source", TOKENS, table)


def test_nothing_is_a_text_too():
    for shape in ((0, 0), (0, 3), (2, 0)):
        tokens = token_ids("source", torch.empty(shape, dtype=torch.int32), token_tables(made("gpt2")).target)
        assert tokens.shape == shape
        assert token_mask("mask", torch.empty(shape, dtype=torch.int8), tokens).shape == shape


def test_rows_are_whole_numbers_in_a_line():
    assert row_numbers("rows", torch.tensor([2, 0], dtype=torch.int32)).tolist() == [2, 0]
    for rows in (torch.tensor([0.5]), torch.tensor([True]), torch.tensor([[1]]), torch.tensor(1), [1]):
        with pytest.raises(RegardError, match=r"^rows is "):
            row_numbers("rows", rows)


@pytest.mark.parametrize("name", ["marian", "bridge", "gpt2"])
def test_a_model_tells_what_it_reads_and_writes(name):
    model = made(name)
    tables = token_tables(model)
    assert tables.target is model.decoder.embedding.table
    assert tables.source is (model.encoder.embedding.table if name != "gpt2" else None)
    assert token_tables(nn.Linear(2, 2)) is None

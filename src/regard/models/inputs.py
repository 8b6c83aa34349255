"""Tokens and masks as models read them: checked, and put into one form, where they come in."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from regard.errors import ArgumentError, ShapeError
from regard.models.alignment import Aligner
from regard.models.decoder import Decoder
from regard.models.speech import SpeechTransformer
from regard.models.transformer import Transformer
from regard.shapes import AttentionMask, Features, Rows, Tokens

INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
MAX_TOKENS = 2**31 - 1  # of one call: the engine counts in 32 bits


class TokenTables(NamedTuple):
    """The embeddings of what a model reads, None if it reads no source, and of what it writes."""

    source: nn.Embedding | None
    target: nn.Embedding


def token_tables(model: object) -> TokenTables | None:
    """The tables of one of our models that write; None for any other."""
    if isinstance(model, Aligner):
        return TokenTables(model.source_embedding, model.target_embedding)
    if isinstance(model, Transformer):
        return TokenTables(model.encoder.embedding.table, model.decoder.embedding.table)
    writes = isinstance(model, Decoder | SpeechTransformer)
    return TokenTables(None, model.decoder.embedding.table) if writes else None


def source_of(model: object, source: object) -> Tokens | Features | None:
    """What a model is to read or to hear, checked; None for one that only writes on."""
    return features_of(model, source) if isinstance(model, SpeechTransformer) else source_ids(model, source)


def source_ids(model: object, source: object) -> Tokens | None:
    """What a model is to read, checked; None for one that only writes on."""
    tables, kind = token_tables(model), type(model).__name__
    if tables is None:
        return None if source is None else token_ids("source", source)
    if source is None and tables.source is not None:
        raise ArgumentError(f"source is None, and a {kind} reads one")
    if source is not None and tables.source is None:
        raise ArgumentError(f"source is for models that read one; a {kind} goes on from its prefix")
    return None if source is None else token_ids("source", source, tables.source)


def features_of(model: SpeechTransformer, source: object) -> Features:
    """The features that a model is to hear, as numbers of its own type."""
    features, weight = check_plain("source", source), model.decoder.embedding.table.weight
    if features.ndim != 3 or not features.is_floating_point():
        raise ShapeError(
            f"source is features of (batch, {model.config.encoder.features}, frames), got {features.dtype} of "
            f"{tuple(features.shape)}"
        )
    return features.to(weight.dtype).contiguous()


def token_ids(name: str, tokens: object, table: nn.Embedding | None = None) -> Tokens:
    """The same tokens as int64, row after row; with a table those of its vocabulary, padding included."""
    tokens = check_plain(name, tokens)
    check_integers(name, tokens, "numbers of tokens")
    if tokens.ndim != 2:
        raise ShapeError(f"{name} is of (batch, tokens), got a tensor of {tuple(tokens.shape)}")
    rows, length = tokens.shape
    if rows > MAX_TOKENS or length > MAX_TOKENS or rows * length > MAX_TOKENS:
        raise ShapeError(f"{name} is of {tuple(tokens.shape)}: at most {MAX_TOKENS} tokens are read at once")
    if table is not None:
        check_vocabulary(name, tokens, table)
    return in_rows(tokens, torch.int64)


def token_mask(name: str, mask: object, tokens: Tokens | None) -> AttentionMask:
    """The same mask as bool, row after row: of bool, or of integers that are 1 for a token and 0 for padding."""
    mask = check_plain(name, mask)
    if tokens is None or mask.shape != tokens.shape:
        shape = None if tokens is None else tuple(tokens.shape)
        raise ShapeError(f"{name} is of {tuple(mask.shape)}, the tokens it is about of {shape}")
    if mask.device != tokens.device:
        raise ArgumentError(f"{name} is on the device {mask.device}, the tokens it is about on {tokens.device}")
    if mask.dtype in INTEGERS:
        others = mask[(mask != 0) & (mask != 1)]
        if len(others):
            raise ArgumentError(f"{name} holds {int(others[0])}: 1 for a token, 0 for padding expected")
    elif mask.dtype != torch.bool:
        raise ArgumentError(f"{name} is of {mask.dtype}: bool expected, or integers of 0 and 1")
    return in_rows(mask, torch.bool)


def row_numbers(name: str, rows: object) -> Rows:
    """The same rows of a batch as int64."""
    rows = check_plain(name, rows)
    check_integers(name, rows, "numbers of rows")
    if rows.ndim != 1 or len(rows) > MAX_TOKENS:
        raise ShapeError(f"{name} is of (rows,), at most {MAX_TOKENS}, got a tensor of {tuple(rows.shape)}")
    return in_rows(rows, torch.int64)


def in_rows(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    """The same numbers in one type, row after row; a step comes by here, and `to` takes its time even for nothing."""
    return (tensor if tensor.dtype == dtype else tensor.to(dtype)).contiguous()


def check_plain(name: str, tensor: object) -> Tensor:
    """The same; raise ArgumentError unless it is a tensor whose numbers lie in memory."""
    if not isinstance(tensor, Tensor):
        raise ArgumentError(f"{name} is a {type(tensor).__name__}, a tensor expected")
    if type(tensor) not in (Tensor, nn.Parameter):
        raise ArgumentError(f"{name} is a {type(tensor).__name__}, a plain tensor expected")
    if tensor.layout != torch.strided or tensor.is_nested:
        layout = "nested" if tensor.is_nested else tensor.layout
        raise ArgumentError(f"{name} is a {layout} tensor, a plain one expected")
    if tensor.is_meta:
        raise ArgumentError(f"{name} is on the device meta, where there are no numbers")
    return tensor


def check_integers(name: str, tensor: Tensor, what: str) -> None:
    if tensor.dtype not in INTEGERS:
        raise ArgumentError(f"{name} is of {tensor.dtype}: {what} are integers, torch.int64")


def check_vocabulary(name: str, tokens: Tensor, table: nn.Embedding) -> None:
    """Raise ArgumentError unless all tokens are where the table is, and in it."""
    if tokens.device != table.weight.device:
        raise ArgumentError(f"{name} is on the device {tokens.device}, the model on {table.weight.device}")
    least, most = (int(number) for number in tokens.aminmax()) if tokens.numel() else (0, 0)
    if least < 0 or most >= table.num_embeddings:
        wrong = least if least < 0 else most
        raise ArgumentError(
            f"{name} holds the token {wrong}: the vocabulary of the model is from 0 to {table.num_embeddings - 1}"
        )

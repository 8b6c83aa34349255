"""Products of large matrices on Intel's matrix tiles: factors in bfloat16, sums in float32."""

from ctypes import byref, c_int
from typing import NamedTuple

import torch
from torch import Tensor

from regard.engine.library import EngineError, library
from regard.layers.linear import Multiply


def tile_multiply() -> Multiply | None:
    """What multiplies on tiles, where the processor has them and the engine is there; it is built if need be."""
    engine = library(wait=True)
    return tile_product if engine is not None and engine.has_tiles() else None


def tile_product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x @ weight.T + bias, for float32 on the processor; rows or columns may lie one after another in memory."""
    engine = library()
    if engine is None:
        raise EngineError("the engine's library is not there")
    left, right = straight(x.flatten(0, -2)), straight(weight)
    (rows, depth), (columns, other_depth) = left.shape, right.shape
    if depth != other_depth or (bias is not None and bias.shape != (columns,)):
        raise EngineError(f"a product of {tuple(x.shape)} and {tuple(weight.shape)}: sizes do not fit")
    for name, tensor in (("a factor", left), ("a factor", right), ("a bias", bias)):
        if tensor is not None and (tensor.dtype != torch.float32 or not tensor.is_cpu):
            raise EngineError(f"{name} is {tensor.dtype} on {tensor.device}: float32 on cpu expected")
    bias = None if bias is None else bias.contiguous()
    out = torch.empty(rows, columns)
    done = engine.tile_product(
        *(left.data_ptr(), *left.stride(), right.data_ptr(), *right.stride()),
        *(None if bias is None else bias.data_ptr(), out.data_ptr(), rows, columns, depth, torch.get_num_threads()),
    )
    engine.check(done)
    return out.view(*x.shape[:-1], columns)


class TileLoss(NamedTuple):
    """Of each row the log-sum-exp of its scores and the score of its target; gradients of what they cost together."""

    logsumexp: Tensor
    right: Tensor
    x_grad: Tensor
    table_grad: Tensor


def tile_cross_entropy(
    x: Tensor, table: Tensor, bias: Tensor | None, targets: Tensor, smoothing: float
) -> TileLoss | None:
    """logsumexp - (1 - smoothing) * right, summed over rows, and its gradients; None where tiles cannot say.

    They cannot where a row's scores are no numbers or too far apart, and with a width that is no multiple of 32.
    """
    engine = library()
    (rows, width), words = x.shape, len(table)
    if engine is None or width % 32 or not rows or not words:
        return None
    x, table, targets = x.contiguous(), table.contiguous(), targets.contiguous()
    if table.shape[1] != width or targets.shape != (rows,) or int(targets.min()) < 0 or int(targets.max()) >= words:
        raise EngineError(f"scores of {tuple(x.shape)} against {tuple(table.shape)}: sizes or targets do not fit")
    loss = TileLoss(torch.empty(rows), torch.empty(rows), torch.empty(rows, width), torch.zeros(words, width))
    is_whole = c_int(0)
    done = engine.tile_cross_entropy(
        *(address("x", x), address("the table", table)),
        None if bias is None else address("a bias", bias.contiguous()),
        *(address("targets", targets, torch.int64), rows, words, width, smoothing),
        *(tensor.data_ptr() for tensor in loss),
        byref(is_whole),
    )
    engine.check(done)
    return loss if is_whole.value else None


def address(name: str, tensor: Tensor, dtype: torch.dtype = torch.float32) -> int:
    """Where the numbers of a tensor begin."""
    if tensor.dtype != dtype or not tensor.is_cpu or not tensor.is_contiguous():
        raise EngineError(f"{name} is {tensor.dtype} on {tensor.device}: {dtype} on cpu, row after row, expected")
    return tensor.data_ptr()


def straight(matrix: Tensor) -> Tensor:
    """The matrix, its rows or its columns one after another."""
    return matrix if 1 in matrix.stride() else matrix.contiguous()

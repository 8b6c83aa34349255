"""A linear layer that learns fast on a processor.

While a model learns its products are large, and oneDNN, which torch has on board, takes those of float32 a fifth faster
with AVX-512 than the library that torch asks. The one file that knows torch's private operator for it. For a while
somebody else may take them: `products_by`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

LEAST = 64  # rows below which calling costs more than is saved

Multiply = Callable[[Tensor, Tensor, Tensor | None], Tensor]
"""x, weight, bias: x @ weight.T + bias, without gradients; neither factor needs to lie straight in memory."""

_multiply: ContextVar[Multiply | None] = ContextVar("multiply", default=None)


@contextmanager
def products_by(multiply: Multiply | None) -> Iterator[None]:
    """What takes large products of float32 in here, and those of their gradients later; None: as ever."""
    token = _multiply.set(multiply)
    try:
        yield
    finally:
        _multiply.reset(token)


class Linear(nn.Linear):
    def forward(self, input: Tensor) -> Tensor:
        if torch.is_grad_enabled() and serves(input, self.weight):
            return _Product.apply(input, self.weight, self.bias)
        return F.linear(input, self.weight, self.bias)


def current_multiply() -> Multiply | None:
    """Who takes large products here, if it is not torch."""
    return _multiply.get()


class PartlyBiased(Linear):
    """A linear layer in which some of what is put out has no bias: it counts as zero, and learns nothing."""

    unbiased: slice

    def forward(self, input: Tensor) -> Tensor:
        bias = self.bias
        zeros = torch.zeros_like(bias[self.unbiased])
        bias = torch.cat([bias[: self.unbiased.start], zeros, bias[self.unbiased.stop :]])
        if torch.is_grad_enabled() and serves(input, self.weight):
            return _Product.apply(input, self.weight, bias)
        return F.linear(input, self.weight, bias)


def without_bias(layer: Linear, unbiased: slice) -> PartlyBiased:
    """The same layer, on the same tensors, without the bias of these rows."""
    other = PartlyBiased(layer.in_features, layer.out_features, device="meta")
    other.weight, other.bias, other.unbiased = layer.weight, layer.bias, unbiased
    with torch.no_grad():
        other.bias[unbiased] = 0
    return other.train(layer.training)


def cut(layer: Linear, rows: Tensor | None = None, columns: Tensor | None = None) -> Linear:
    """The layer that puts out these of its numbers alone, or reads these alone."""
    weight, bias = layer.weight.detach(), None if layer.bias is None else layer.bias.detach()
    if rows is not None:
        weight, bias = weight[rows], None if bias is None else bias[rows]
    weight = weight if columns is None else weight[:, columns]
    small = Linear(*weight.shape[::-1], bias=bias is not None, device="meta")
    small.weight = nn.Parameter(weight.clone(), layer.weight.requires_grad)
    if bias is not None:
        small.bias = nn.Parameter(bias.clone(), layer.bias.requires_grad)
    return small.train(layer.training)


def serves(x: Tensor, weight: Tensor) -> bool:
    """Whether another than torch is asked: for many rows of float32 on a processor that it is faster on."""
    return (
        x.dtype == weight.dtype == torch.float32
        and x.device.type == "cpu"
        and x.numel() >= LEAST * x.shape[-1] > 0
        and type(weight) in (nn.Parameter, Tensor)
        and not torch.is_autocast_enabled("cpu")
        and not torch.compiler.is_compiling()
        and (_multiply.get() is not None or is_faster())
    )


@cache
def is_faster() -> bool:
    able = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    return able and bool(torch.cpu.get_capabilities().get("avx512_f"))


def product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x @ weight.T + bias, for where gradients are not asked of it; neither needs to lie straight in memory."""
    if not torch.is_grad_enabled() and serves(x, weight):
        if multiply := _multiply.get():
            return multiply(x, weight, bias)
        bias = None if bias is None else bias.contiguous()
        return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return F.linear(x, weight, bias)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.multiply = _multiply.get()
        return product(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        x, weight = ctx.saved_tensors
        needs_x, needs_weight, needs_bias = ctx.needs_input_grad
        grad = grads[0]
        rows, inputs = grad.flatten(0, -2), x.flatten(0, -2)
        with products_by(ctx.multiply):
            x_grad = product(grad, weight.t()) if needs_x else None
        weight_grad = None
        if needs_weight:
            multiply: Multiply | None = ctx.multiply
            weight_grad = multiply(rows.t(), inputs.t(), None) if multiply else rows.t() @ inputs
        return x_grad, weight_grad, rows.sum(0) if needs_bias else None

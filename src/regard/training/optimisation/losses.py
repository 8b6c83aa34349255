"""How wrong a model is, without ever holding a score for every word at every position."""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.engine.tiles import tile_cross_entropy, tile_product
from regard.layers import Output, product
from regard.layers.linear import current_multiply

ROWS = 512  # positions scored at a time: fewer would read and write the gradient of all words more often

Vectors = Float[Tensor, "positions width"]
Table = Float[Tensor, "vocabulary width"]
WordBias = Float[Tensor, " vocabulary"]
Targets = Int[Tensor, " positions"]
Numbers = Float[Tensor, ""]


def output_loss(output: Output, x: Vectors, targets: Targets, *, smoothing: float = 0.0) -> tuple[Numbers, Numbers]:
    """The cross-entropy of an output layer over some positions, summed: smoothed, and plain (no gradient)."""
    x = x if output.transform is None else output.transform(x)
    x = x if output.scale == 1 else x * output.scale
    return cross_entropy(x, output.weight, targets, bias=output.bias, smoothing=smoothing)


def cross_entropy(
    x: Vectors,
    weight: Table,
    targets: Targets,
    *,
    bias: WordBias | None = None,
    smoothing: float = 0.0,
    rows: int = ROWS,
) -> tuple[Numbers, Numbers]:
    """-log softmax(x @ weight.T + bias) at the targets, summed: smoothed (Szegedy et al. 2016, 7), and plain.

    The gradient is computed on the way forward, a few rows at a time.
    """
    return _CrossEntropy.apply(x, weight, bias, targets, smoothing, rows)


@dataclass
class _Sums:
    """The smoothed and the plain loss, and gradients of the first, as far as they are wanted."""

    total: Tensor
    plain: Tensor
    x_grad: Tensor | None
    table_grad: Tensor | None
    bias_grad: Tensor | None


class _CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor, smoothing: float, rows: int
    ) -> tuple[Tensor, Tensor]:
        needs_grad = ctx.needs_input_grad[:3]
        coarse = torch.get_autocast_dtype(x.device.type) if torch.is_autocast_enabled(x.device.type) else x.dtype
        middle = weight.to(torch.promote_types(coarse, torch.float32)).mean(0) if smoothing else None
        sums = None
        if current_multiply() is tile_product and x.dtype == weight.dtype and needs_grad == (True, True, False):
            sums = _on_tiles(x, weight, bias, targets, smoothing, middle)
        if sums is None:
            sums = _by_rows(x, weight, bias, targets, smoothing, middle, rows, coarse, needs_grad)
        if middle is not None:  # what smoothing takes from every word alike
            if sums.x_grad is not None:
                sums.x_grad -= (smoothing * middle).to(coarse)
            if sums.table_grad is not None:
                sums.table_grad -= (smoothing / len(weight)) * x.sum(0)
            if sums.bias_grad is not None:
                sums.bias_grad -= smoothing * len(x) / len(weight)
        ctx.save_for_backward(sums.x_grad, sums.table_grad, sums.bias_grad)
        ctx.kind = x.dtype
        ctx.mark_non_differentiable(sums.plain)
        return sums.total, sums.plain

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        x_grad, table_grad, bias_grad = ctx.saved_tensors
        scaled = [None if grad is None else grad * grads[0].to(grad.dtype) for grad in (x_grad, table_grad, bias_grad)]
        scaled[0] = None if scaled[0] is None else scaled[0].to(ctx.kind)
        return *scaled, None, None, None


def _on_tiles(
    x: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor, smoothing: float, middle: Tensor | None
) -> _Sums | None:
    """All rows in one call of the engine; None where it cannot."""
    loss = tile_cross_entropy(x, weight, bias, targets, smoothing)
    if loss is None:
        return None
    plain = (loss.logsumexp - loss.right).sum()
    total = plain
    if middle is not None:
        level = x @ middle + (0 if bias is None else bias.mean())
        total = (1 - smoothing) * plain + smoothing * (loss.logsumexp - level).sum()
    return _Sums(total.clone(), plain, loss.x_grad, loss.table_grad, None)


def _by_rows(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    targets: Tensor,
    smoothing: float,
    middle: Tensor | None,
    rows: int,
    coarse: torch.dtype,
    needs_grad: tuple[bool, bool, bool],
) -> _Sums:
    """Some rows at a time, each with the scores of all words."""
    fine = torch.promote_types(x.dtype, torch.float32)
    near, table = x.to(coarse), weight.to(coarse)
    x_grad = torch.empty_like(near) if needs_grad[0] else None
    table_grad = torch.zeros_like(weight.t()) if needs_grad[1] else None
    bias_grad = torch.zeros_like(bias) if bias is not None and needs_grad[2] else None
    total, plain = x.new_zeros((), dtype=fine), x.new_zeros((), dtype=fine)
    with torch.autocast(x.device.type, enabled=False):
        for start in range(0, len(x), rows):
            here = slice(start, start + rows)
            target = targets[here, None]
            scores = product(near[here], table).to(fine)
            if bias is not None:
                scores += bias
            right, top = scores.gather(-1, target), scores.amax(-1, keepdim=True)
            likely = scores.sub_(top).exp_()  # not divided by their sum: that is done where there are fewer numbers
            whole = likely.sum(-1, keepdim=True)
            size = whole.log() + top
            missed = (size - right).sum()
            plain += missed
            if middle is not None:
                level = near[here].to(fine) @ middle + (0 if bias is None else bias.mean())
                total += (1 - smoothing) * missed + smoothing * (size[:, 0] - level).sum()
            else:
                total += missed
            if not any(needs_grad):
                continue
            # What a score should change by: how likely the word is, less how likely it ought to be.
            likely.scatter_add_(-1, target, (smoothing - 1) * whole)
            if bias_grad is not None:
                bias_grad += torch.mv(likely.t(), 1 / whole[:, 0])
            change, share = likely.to(coarse), (1 / whole).to(coarse)
            if x_grad is not None:
                torch.mul(product(change, table.t()), share, out=x_grad[here])
            if table_grad is not None:
                table_grad += product((near[here] * share).t(), change.t())
    return _Sums(total, plain, x_grad, None if table_grad is None else table_grad.t(), bias_grad)

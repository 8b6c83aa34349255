"""Running a model for the sake of a number: its inputs in any form, its logits, a metric of them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from regard.errors import ShapeError

Inputs = Tensor | Sequence[Tensor] | Mapping[str, Any]
"""What a model is called with: tokens, several tensors, or arguments by name."""
Metric = Callable[[Tensor], Tensor]
"""A number, (), made of logits: a logit, a difference of logits, a loss."""


def call_model(model: nn.Module, inputs: Inputs) -> Any:
    """What a model gives, whatever that is."""
    if isinstance(inputs, Mapping):
        return model(**inputs)
    return model(inputs) if isinstance(inputs, Tensor) else model(*inputs)


def run_model(model: nn.Module, inputs: Inputs) -> Tensor:
    """The logits of a model."""
    output = call_model(model, inputs)
    logits = output if isinstance(output, Tensor) else getattr(output, "logits", None)
    if not isinstance(logits, Tensor):
        raise ShapeError(f"{type(model).__name__} gives no logits: a tensor, or an output with logits, expected")
    return logits


def measure(metric: Metric, logits: Tensor) -> Tensor:
    """The metric, which is to be one number."""
    value = torch.as_tensor(metric(logits))
    if value.numel() != 1:
        raise ShapeError(f"a metric gives one number, got {tuple(value.shape)}: take a mean or a sum")
    return value.reshape(())


def repeat_inputs(inputs: Inputs, member: int, times: int) -> Inputs:
    """One member of a batch, so many times."""

    def repeat(value: Any) -> Any:
        if not isinstance(value, Tensor) or not value.ndim:
            return value
        return value[member : member + 1].expand(times, *value.shape[1:])

    if isinstance(inputs, Tensor):
        return repeat(inputs)
    if isinstance(inputs, Mapping):
        return {name: repeat(value) for name, value in inputs.items()}
    return [repeat(value) for value in inputs]

"""Flex attention: its mask is a function, and its kernel is compiled, so that it is met before it is called."""

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from regard.attention.kernels import attention_output
from regard.errors import RegardError
from regard.looking.live.calls import LayerCall, edit, see
from regard.looking.live.patterns import argument_pattern


def is_flex(function: Callable[..., Any]) -> bool:
    """Whether transformers' function is the one of flex attention."""
    return getattr(function, "__name__", "") == "flex_attention_forward"


def attend_flex(call: LayerCall, function: Callable[[], tuple[Tensor, Any]]) -> tuple[Tensor, Any]:
    """Attend as the layer would; what is seen comes from its arguments, checked against what came out."""
    with torch._C.DisableTorchFunction(), warnings.catch_warnings():  # what is computed here is not the layer's own
        warnings.filterwarnings("ignore", "flex_attention called without torch.compile")
        return attend_plainly(call, function)


def attend_plainly(call: LayerCall, function: Callable[[], tuple[Tensor, Any]]) -> tuple[Tensor, Any]:
    arguments = call.arguments
    assert arguments is not None
    keys = arguments.key.shape[2]
    if not isinstance(arguments.attention_mask, Tensor | None):
        dense = dense_mask(
            arguments.attention_mask, len(arguments.query), arguments.query.shape[2], keys, arguments.query.device
        )
        arguments = arguments._replace(attention_mask=dense)
    pattern = argument_pattern(call, arguments)
    if pattern is None:
        return function()
    call.softmaxes += 1
    edited = edit(call, pattern)
    if edited is not pattern:
        see(call, edited)
        return attention_output(edited).transpose(1, 2).contiguous(), None
    output, others = function()
    rows = sorted({0, pattern.shape[2] // 2, pattern.shape[2] - 1})
    expected = (
        pattern[:, :, rows] @ pattern.values.repeat_interleave(pattern.shape[1] // pattern.key.shape[1], 1).float()
    )
    actual = output.transpose(1, 2)[:, :, rows].float()
    if not torch.allclose(expected, actual, atol=1e-4, rtol=1e-3):
        raise RegardError(f"{type(call.module).__name__} with flex attention computes other weights than its arguments")
    see(call, edited)
    return output, others


def dense_mask(mask: Any, batch: int, queries: int, keys: int, device: torch.device) -> Tensor:
    """The mask of flex attention as a tensor (batch, 1, queries, keys), True = may look."""
    index = (torch.arange(size, device=device) for size in (batch, 1, queries, keys))
    b, h, q, k = torch.meshgrid(*index, indexing="ij")
    return torch.vmap(mask.mask_mod)(b.flatten(), h.flatten(), q.flatten(), k.flatten()).view(batch, 1, queries, keys)

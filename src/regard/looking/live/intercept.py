"""The calls of kernel and softmax inside a layer that somebody looks at, met on their way.

What is met is what the layer really computes with. Where nobody edits, the layer gets the very result that it would
have had; where somebody does, the result of the edited pattern.
"""

from collections.abc import Callable
from dataclasses import replace
from inspect import Parameter as P
from inspect import Signature
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from regard.attention.kernels import attention_output, kernel_call
from regard.attention.normalisers import RowStatistics
from regard.attention.pattern import Pattern
from regard.errors import RegardError
from regard.looking.live.calls import LayerCall, edit, see
from regard.looking.live.patterns import FusedArguments, blind_rows, fused_pattern, softmax_pattern

SOFTMAX = (F.softmax, torch.softmax, Tensor.softmax)
FUSED = Signature(
    [P(name, P.POSITIONAL_OR_KEYWORD) for name in ("query", "key", "value")]
    + [
        P(name, P.POSITIONAL_OR_KEYWORD, default=default)
        for name, default in (("attn_mask", None), ("dropout_p", 0.0), ("is_causal", False))
    ]
    + [P("scale", P.KEYWORD_ONLY, default=None), P("enable_gqa", P.KEYWORD_ONLY, default=False)]
)
"""What torch.nn.functional.scaled_dot_product_attention takes."""


class Intercept(TorchFunctionMode):
    """Meets the calls of torch's functions in this thread while one layer runs."""

    def __init__(self, call: LayerCall) -> None:
        super().__init__()
        self.call = call

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if function is F.scaled_dot_product_attention:
            return self.fused(function, args, kwargs)
        if function in SOFTMAX and (dimensions := over_keys(args, kwargs)):
            if dimensions <= 4:
                return self.softmax(function, args, kwargs)
            self.call.obstacle = f"it attends in {dimensions} dimensions"
        return function(*args, **kwargs)

    def fused(self, function: Callable[..., Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
        """torch's fused attention: the same bits unless somebody edits."""
        bound = FUSED.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = FusedArguments(**bound.arguments)
        if arguments.query.ndim != 4:
            self.call.obstacle = f"it attends in {arguments.query.ndim} dimensions"
            return function(*args, **kwargs)
        self.call.softmaxes += 1
        pattern = fused_pattern(self.call, arguments)
        edited = edit(self.call, pattern)
        if edited is not pattern:
            output = attention_output(edited, arguments.dropout_p)
            if (
                blind := blind_rows(arguments.attn_mask)
            ) is not None:  # rows of padding stay what the kernel makes of them
                kernel_output = function(*args, **kwargs)
                kernel_output = (
                    kernel_output
                    if edited.gate is None
                    else kernel_output * edited.gate[:, :, None, None].to(kernel_output.dtype)
                )
                output = torch.where(blind, kernel_output, output)
        else:
            output, summary = run(arguments) or (function(*args, **kwargs), None)
            edited = replace(pattern, row_statistics=summary)
        see(self.call, edited)
        return output

    def softmax(self, function: Callable[..., Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
        """A softmax of scores that the layer has computed itself."""
        weights = function(*args, **kwargs)
        self.call.softmaxes += 1
        pattern = softmax_pattern(self.call, args[0] if args else kwargs["input"], weights)
        edited = edit(self.call, pattern)
        if edited.value is not pattern.value:
            raise RegardError("values are edited where torch's fused attention is called: attn_implementation='sdpa'")
        if edited is not pattern:
            weights = edited_weights(weights, pattern, edited)
        see(self.call, edited)
        return weights


def run(arguments: FusedArguments) -> tuple[Tensor, RowStatistics] | None:
    """The kernel that torch would choose, if it is one that tells its log-sum-exp."""
    if arguments.dropout_p or torch.is_autocast_enabled(arguments.query.device.type):
        return None
    return kernel_call(
        arguments.query,
        arguments.key,
        arguments.value,
        arguments.attn_mask,
        arguments.is_causal,
        arguments.scale,
        arguments.enable_gqa,
    )


def over_keys(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """The dimensions of a softmax that is one of attention scores, over the last of three or more; else 0."""
    scores = args[0] if args else kwargs.get("input")
    dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
    return scores.ndim if isinstance(scores, Tensor) and scores.ndim > 2 and dim in (-1, scores.ndim - 1) else 0


def edited_weights(weights: Tensor, pattern: Pattern, edited: Pattern) -> Tensor:
    """The weights of an edited pattern in the shape of those that a layer has computed.

    Rows of padding that see nothing stay what the layer makes of them, and so do columns behind the keys (empty
    positions of a cache, a sink), from which nobody gathers.
    """
    batch, heads, queries, keys = pattern.shape
    own = weights[..., :keys].reshape(batch, heads, queries, keys)
    blind = pattern.weights(force=True).sum(-1, keepdim=True) == 0
    new = torch.where(blind, own, edited.weights(force=True).to(weights.dtype))
    if edited.gate is not None:
        new = new * edited.gate[:, :, None, None].to(weights.dtype)
    new = new.reshape(*weights.shape[:-1], keys)
    return new if keys == weights.shape[-1] else torch.cat([new, weights[..., keys:]], -1)

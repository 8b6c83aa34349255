"""Gradients of long texts: what a block computed is computed again when the gradient comes by."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from regard.layers import TransformerBlock

_turn: ContextVar[int | None] = ContextVar("which call of its block runs here", default=None)


@contextmanager
def recomputing(model: nn.Module) -> Iterator[None]:
    """Blocks keep what goes into them and nothing else, and run twice: Chen et al. 2016.

    The backward pass belongs into the `with`, so that the second run is looked at and edited as the first was.
    """
    blocks = [module for module in model.modules() if isinstance(module, TransformerBlock)]
    calls: Counter[nn.Module] = Counter()
    for block in blocks:
        vars(block)["forward"] = partial(run_twice, block, calls)
    try:
        yield
    finally:
        for block in blocks:
            vars(block).pop("forward", None)


def run_twice(block: TransformerBlock, calls: Counter[nn.Module], *args: Any, **kwargs: Any) -> Tensor:
    """The arguments are those of the forward pass, whatever it takes; torch's `checkpoint` hands them on."""
    if not torch.is_grad_enabled():
        return TransformerBlock.forward(block, *args, **kwargs)
    calls[block] += 1
    run = partial(run_call, block, calls[block] - 1)
    answer = checkpoint(run, *args, use_reentrant=False, preserve_rng_state=block.training, **kwargs)
    assert isinstance(answer, Tensor)
    return answer


def run_call(block: TransformerBlock, number: int, *args: Any, **kwargs: Any) -> Tensor:
    token = _turn.set(number)
    try:
        return TransformerBlock.forward(block, *args, **kwargs)
    finally:
        _turn.reset(token)


def is_rerun() -> bool:
    """Whether this is activation checkpointing, which runs a layer a second time inside the backward pass."""
    return torch._C._current_graph_task_id() != -1


def call_number() -> int | None:
    """Which call of its block this is, the same in both runs; None where nothing is computed twice."""
    return _turn.get()

"""Where a model is while it runs in this thread: which stack and block, at which positions, with which stream."""

import threading
from collections.abc import Callable

import torch
from torch import Tensor, nn

from regard.attention.taps import tokens_asked
from regard.looking.activations.parts import ModelParts
from regard.looking.activations.token_history import TokenHistory, cache_of, unknown
from regard.looking.live import pretrained
from regard.looking.live.calls import is_cache
from regard.looking.live.hooks import by_name
from regard.positions import positions_of

Inputs = dict[str, object]


class Where(threading.local):
    """What runs now. Set by hooks on stacks and blocks while somebody has sites open."""

    def __init__(self) -> None:
        self.stack: nn.Module | None = None
        self.block: str = ""
        self.calls: dict[nn.Module, int] = {}
        self.stream: Tensor | None = None
        self.find_positions: Callable[[], Tensor | None] = lambda: None
        self.tokens: Callable[[], Tensor] = unknown  # of the texts that the stack reads, by position
        self.history: TokenHistory = TokenHistory()

    def enter_stack(self, stack: nn.Module, inputs: Inputs) -> None:
        """A stack begins: its blocks are counted from the first."""
        self.stack, self.block, self.stream = stack, "", None
        self.calls.clear()
        self.find_positions = live_positions(inputs) if isinstance(stack, pretrained()) else lambda: None
        self.tokens = self.history.read(inputs) if tokens_asked() else unknown

    def enter_block(self, parts: ModelParts, block: nn.Module, x: Tensor, inputs: Inputs) -> None:
        """A block begins; one that serves several depths goes by its names in turn."""
        names = parts.names_of(block)
        count = self.calls.get(block, 0)
        self.block, self.stream, self.calls[block] = names[count % len(names)], x, count + 1
        if tokens_asked():
            self.history.meet(cache_of(inputs))
        positions = inputs.get("positions")
        if isinstance(positions, Tensor):
            self.find_positions = lambda: positions

    def leave(self) -> None:
        """Nobody has sites open: let go of what ran last."""
        self.stack, self.block, self.stream = None, "", None
        self.calls.clear()
        self.find_positions, self.tokens, self.history.without_cache = lambda: None, unknown, None

    def positions(self, length: int, device: torch.device) -> Tensor:
        """Where the last `length` vectors stand in their texts: (batch or 1, length)."""
        positions = self.find_positions()
        if positions is None or positions.shape[-1] < length:
            return torch.arange(length, device=device)[None]
        return positions[:, positions.shape[-1] - length :].to(device)


where: Where = Where()


def live_positions(inputs: Inputs) -> Callable[[], Tensor | None]:
    """Where the tokens of a call of transformers' stack stand: by its mask and what its cache holds already."""
    cache = next((value for value in inputs.values() if is_cache(value) or hasattr(value, "get_seq_length")), None)
    past = int(cache.get_seq_length()) if cache is not None else 0  # type: ignore[attr-defined]  # it has one
    tokens = next((x for name in ("input_ids", "inputs_embeds") if isinstance(x := inputs.get(name), Tensor)), None)
    if tokens is None:
        return lambda: None
    length, mask, device = tokens.shape[1], inputs.get("attention_mask"), tokens.device

    def find() -> Tensor:
        if isinstance(mask, Tensor) and mask.ndim == 2 and mask.shape[1] >= past + length:
            return positions_of(mask[:, : past + length].bool(), length)
        return positions_of(None, length, start=past, device=device)

    return find


def inputs_of(module: nn.Module, args: tuple[object, ...], kwargs: dict[str, object]) -> Inputs:
    return by_name(module, args) | kwargs

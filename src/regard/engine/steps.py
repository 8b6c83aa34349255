"""The compiled step: the same answers as the model's own, sooner."""

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from regard.engine.changes import WRITING, Change, changes
from regard.engine.packed import DECODER, ENCODER, Packed
from regard.engine.parts import Unsupported
from regard.shapes import AttentionMask, Tokens


class Engine:
    """Steps of a model through the compiled library; where it cannot serve, `start` hands out the model's own state.

    Logits are good until the next step. `packed` gives the weights as they are when a text begins; `told` is called
    with the reason when the model itself has to serve.
    """

    def __init__(self, model: Any, packed: Callable[[], Packed], told: Callable[[str], None]) -> None:
        self.model, self.packed, self.told = model, packed, told

    def start(self, source: Tokens | None = None, attention_mask: AttentionMask | None = None) -> Any:
        try:
            return EngineState(self.packed(), source, attention_mask, changes(self.model))
        except Unsupported as problem:
            self.told(str(problem))
            return self.model.start(source, attention_mask)

    def step(self, state: Any, tokens: Tokens, attention_mask: AttentionMask | None = None) -> tuple[Tensor, Any]:
        if isinstance(state, EngineState):
            return state.step(tokens, attention_mask)[:, None], state
        return self.model.step(state, tokens, attention_mask)


class EngineState:
    """What the engine knows in the middle of a text. `select` changes it in place: only numbers of rows move."""

    def __init__(
        self, packed: Packed, source: Tokens | None, attention_mask: AttentionMask | None, edits: list[Change]
    ) -> None:
        self.packed, self.library = packed, packed.library
        self.threads = torch.get_num_threads()
        self.address = self.library.made(self.library.state(packed.address))
        weakref.finalize(self, freed, packed, self.address)
        self.length = self.tokens = 0  # with padding, and without
        self.taps = [tap for change in edits for tap in change.taps]
        self._logits = torch.empty(0, packed.vocabulary)
        for change in edits:
            self._change(change, source, attention_mask)
        if packed.has_source:
            assert source is not None
            packed.reach(ENCODER, source.shape[1])
            tokens, mask = addressed(source, attention_mask)
            done = self.library.read(self.address, tokens.data_ptr(), pointer(mask), *source.shape, self.threads)
            self.library.check(done)

    def step(self, tokens: Tokens, attention_mask: AttentionMask | None) -> Tensor:
        """The scores of the word that follows each row's last token."""
        self.length += tokens.shape[1]
        self.packed.reach(DECODER, self.length)
        rows, length = tokens.shape
        if len(self._logits) < rows:
            self._logits = torch.empty(rows, self.packed.vocabulary)
            self.library.large_pages(self._logits.data_ptr(), self._logits.numel())  # rows lie far apart
        logits = self._logits[:rows]
        tokens, mask = addressed(tokens, attention_mask)
        done = self.library.step(
            self.address, tokens.data_ptr(), pointer(mask), rows, length, logits.data_ptr(), self.threads
        )
        self.library.check(done)
        self.tokens += length if attention_mask is None else int(attention_mask[:, -length:].sum(-1).max())
        for tap in self.taps:
            tap.text_length(self.tokens)
        return logits

    def select(self, rows: Tensor | np.ndarray) -> "EngineState":
        chosen = np.ascontiguousarray(rows, dtype=np.int64)
        self.library.check(self.library.select(self.address, chosen.ctypes.data, len(chosen)))
        return self

    @property
    def bytes(self) -> int:
        """What keys and values take: those of the source once, those of the text for each row that is written."""
        return self.library.state_bytes(self.address)

    def _change(self, change: Change, source: Tokens | None, attention_mask: AttentionMask | None) -> None:
        hidden = torch.zeros(max(change.hidden, default=-1) + 1, dtype=torch.uint8)
        hidden[list(change.hidden)] = 1
        if change.kind != WRITING and source is not None and len(source):
            shortest = source.shape[1] if attention_mask is None else int(attention_mask.sum(-1).min())
            if len(hidden) > shortest:
                raise Unsupported("a hidden place is past the end of a source")
        done = self.library.change(
            self.address,
            change.kind,
            change.layer,
            change.gates.data_ptr(),
            change.sharpness.data_ptr(),
            len(change.gates),
            hidden.data_ptr(),
            len(hidden),
        )
        self.library.check(done)


def freed(packed: Packed, address: int) -> None:
    """Free a state; the model that it belongs to is alive until then."""
    packed.library.state_free(address)


def addressed(tokens: Tokens, attention_mask: AttentionMask | None) -> tuple[Tensor, Tensor | None]:
    """The same as plain rows of numbers."""
    return tokens.contiguous().long(), None if attention_mask is None else attention_mask.contiguous()


def pointer(tensor: Tensor | None) -> int | None:
    return None if tensor is None else tensor.data_ptr()

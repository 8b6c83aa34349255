"""The compiled step: the same answers as the model's own, sooner."""

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from regard.engine.changes import WRITING, LayerChange, current_changes
from regard.engine.packed_model import DECODER, ENCODER, PackedModel
from regard.engine.parts import Unsupported
from regard.shapes import AttentionMask, Tokens


class Engine:
    """Steps of a model through the compiled library; where it cannot serve, `start` hands out the model's own state.

    Logits are good until the next step. `packed` gives the weights as they are when a text begins; `told` is called
    with the reason when the model itself has to serve.
    """

    def __init__(self, model: Any, packed: Callable[[], PackedModel], on_fallback: Callable[[str], None]) -> None:
        self.model, self.packed, self.on_fallback = model, packed, on_fallback

    def start(self, source: Tokens | None = None, attention_mask: AttentionMask | None = None) -> Any:
        try:
            return EngineState(self.packed(), source, attention_mask, current_changes(self.model))
        except Unsupported as problem:
            self.on_fallback(str(problem))
            return self.model.start(source, attention_mask)

    def step(self, state: Any, tokens: Tokens, attention_mask: AttentionMask | None = None) -> tuple[Tensor, Any]:
        if isinstance(state, EngineState):
            return state.step(tokens, attention_mask)[:, None], state
        return self.model.step(state, tokens, attention_mask)


class EngineState:
    """What the engine knows in the middle of a text. `select` changes it in place: only numbers of rows move."""

    def __init__(
        self, packed: PackedModel, source: Tokens | None, attention_mask: AttentionMask | None, edits: list[LayerChange]
    ) -> None:
        self.packed, self.library = packed, packed.library
        self.threads = torch.get_num_threads()
        self.address = self.library.check_new(self.library.state(packed.address))
        weakref.finalize(self, free_state, packed, self.address)
        self.length = self.tokens = 0  # with padding, and without
        self.taps = [tap for change in edits for tap in change.taps]
        self._logits = torch.empty(0, packed.vocabulary)
        for change in edits:
            self._change(change, source, attention_mask)
        if packed.has_source:
            assert source is not None
            packed.ensure_positions(ENCODER, source.shape[1])
            tokens, mask = contiguous(source, attention_mask)
            done = self.library.read(self.address, tokens.data_ptr(), pointer(mask), *source.shape, self.threads)
            self.library.check(done)

    def step(self, tokens: Tokens, attention_mask: AttentionMask | None) -> Tensor:
        """The scores of the word that follows each row's last token."""
        self.length += tokens.shape[1]
        self.packed.ensure_positions(DECODER, self.length)
        rows, length = tokens.shape
        if len(self._logits) < rows:
            self._logits = torch.empty(rows, self.packed.vocabulary)
            self.library.large_pages(self._logits.data_ptr(), self._logits.numel())  # rows lie far apart
        logits = self._logits[:rows]
        tokens, mask = contiguous(tokens, attention_mask)
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

    def _change(self, change: LayerChange, source: Tokens | None, attention_mask: AttentionMask | None) -> None:
        hidden = torch.zeros(max(change.hidden, default=-1) + 1, dtype=torch.uint8)
        hidden[list(change.hidden)] = 1
        if change.kind != WRITING and source is not None and len(source):
            shortest_source = source.shape[1] if attention_mask is None else int(attention_mask.sum(-1).min())
            if len(hidden) > shortest_source:
                raise Unsupported("a hidden position is past the end of a source")
        done = self.library.change(
            self.address,
            change.kind,
            change.layer,
            change.gates.data_ptr(),
            change.inverse_temperatures.data_ptr(),
            len(change.gates),
            hidden.data_ptr(),
            len(hidden),
        )
        self.library.check(done)


def free_state(packed: PackedModel, address: int) -> None:
    """Free a state; the model that it belongs to is alive until then."""
    packed.library.state_free(address)


def contiguous(tokens: Tokens, attention_mask: AttentionMask | None) -> tuple[Tensor, Tensor | None]:
    """The same as plain rows of numbers."""
    return tokens.contiguous().long(), None if attention_mask is None else attention_mask.contiguous()


def pointer(tensor: Tensor | None) -> int | None:
    return None if tensor is None else tensor.data_ptr()

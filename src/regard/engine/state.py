"""A text in the engine: read, and written on step by step. Arrays in, arrays out."""

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from regard.engine.layer_changes import WRITING, LayerChange
from regard.engine.library import Library, address
from regard.engine.packed_model import DECODER, ENCODER, PackedModel
from regard.engine.parts import Unsupported
from regard.engine.threads import thread_count
from regard.errors import ArgumentError, lookup

if TYPE_CHECKING:
    from regard.attention.taps import Tap

MAX_HIDDEN = 1_000_000  # positions, counted up to the last that is hidden


class EngineState:
    """What the engine knows in the middle of a text. `select` changes it in place: only numbers of rows move.

    Tokens are int64 and masks bool, row after row; logits are good until the next step.
    """

    packed: PackedModel
    library: Library
    threads: int
    address: int
    taps: "list[Tap]"
    rows: int
    length: int
    tokens: int
    source_length: int

    def __init__(
        self,
        packed: PackedModel,
        source: np.ndarray | None,
        attention_mask: np.ndarray | None,
        edits: Sequence[LayerChange] = (),
        watched: Sequence[str] = (),
    ) -> None:
        self.packed, self.library = packed, packed.library
        self.threads = thread_count()
        self.address = self.library.check_new(self.library.state(packed.address))
        weakref.finalize(self, free_state, packed, self.address)
        self.length = self.tokens = 0  # with padding, and without
        self.taps = [tap for change in edits for tap in change.taps]
        self._logits: np.ndarray = np.empty((0, packed.vocabulary), np.float32)
        for change in edits:
            self._change(change, source, attention_mask)
        for layer in watched:
            shape = lookup(packed.layers, layer, "layer")
            self.library.check(self.library.watch(self.address, shape.kind, shape.number))
        self.rows = self.source_length = 0
        if packed.has_source:
            assert source is not None
            packed.ensure_positions(ENCODER, source.shape[1])
            addresses = address("source", source, np.int64), mask_address(attention_mask)
            self.library.check(self.library.read(self.address, *addresses, *source.shape, self.threads))
            self.rows, self.source_length = source.shape

    def step(self, tokens: np.ndarray, attention_mask: np.ndarray | None = None) -> np.ndarray:
        """The scores of the word that follows each row's last token: (rows, vocabulary)."""
        rows, length = tokens.shape
        self.packed.ensure_positions(DECODER, self.length + length)
        if len(self._logits) < rows:
            self._logits = np.empty((rows, self.packed.vocabulary), np.float32)
            numbers = address("logits", self._logits, np.float32)
            self.library.large_pages(numbers, self._logits.size)  # rows lie far apart
        logits = self._logits[:rows]
        addresses = address("tokens", tokens, np.int64), mask_address(attention_mask)
        logits_address = address("logits", logits, np.float32)
        done = self.library.step(self.address, *addresses, rows, length, logits_address, self.threads)
        self.library.check(done)
        self.rows = rows
        self.length += length
        self.tokens += length if attention_mask is None or not rows else int(attention_mask.sum(-1).max())
        for tap in self.taps:
            tap.text_length(self.tokens)
        return logits

    def select(self, rows: object) -> "EngineState":
        """Reorder, repeat and drop rows: numbers of them, as an array or a tensor."""
        numbers = rows if isinstance(rows, np.ndarray) else tensor_numbers(rows)
        self.library.check(self.library.select(self.address, address("rows", numbers, np.int64), len(numbers)))
        self.rows = len(numbers)
        return self

    def join(self, other: "EngineState") -> None:
        """The rows of another text of the same model, begun or not, go on here after the own ones; the other has none
        then. Both answer as they would alone. Texts that are watched, or edited otherwise, are refused."""
        if not isinstance(other, EngineState):
            raise ArgumentError(f"a text of the engine can join another, got {type(other).__name__}")
        length = np.zeros(1, np.int32)
        self.library.check(self.library.join(self.address, other.address, address("length", length, np.int32)))
        self.rows += other.rows
        self.length = int(length[0])
        self.tokens, self.source_length = max(self.tokens, other.tokens), max(self.source_length, other.source_length)
        other.rows = other.length = other.tokens = other.source_length = 0

    @property
    def bytes(self) -> int:
        """What keys and values take: those of the source once, those of the text for each row that is written."""
        return self.library.state_bytes(self.address)

    def _change(self, change: LayerChange, source: np.ndarray | None, attention_mask: np.ndarray | None) -> None:
        count = max(change.hidden, default=-1) + 1
        if count > MAX_HIDDEN:
            raise Unsupported(f"position {count - 1} is hidden, and it keeps a table of {MAX_HIDDEN}")
        if change.kind != WRITING and source is not None and len(source):
            shortest_source = source.shape[1] if attention_mask is None else int(attention_mask.sum(-1).min())
            if count > shortest_source:
                raise Unsupported("a hidden position is past the end of a source")
        hidden = np.zeros(count, np.uint8)
        hidden[list(change.hidden)] = 1
        done = self.library.change(
            self.address,
            change.kind,
            change.layer,
            address("gates", change.gates, np.float32),
            address("inverse_temperatures", change.inverse_temperatures, np.float32),
            len(change.gates),
            address("hidden", hidden, np.uint8),
            len(hidden),
        )
        self.library.check(done)


def free_state(packed: PackedModel, address: int) -> None:
    """Free a state; the model that it belongs to is alive until then."""
    packed.library.state_free(address)


def mask_address(attention_mask: np.ndarray | None) -> int | None:
    return None if attention_mask is None else address("attention_mask", attention_mask, np.bool_)


def tensor_numbers(rows: object) -> np.ndarray:
    """Numbers of rows that somebody gives as a tensor, checked."""
    from regard.models.inputs import row_numbers

    return row_numbers("rows", rows).numpy()

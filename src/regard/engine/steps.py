"""The compiled step: the same answers as the model's own, sooner."""

import weakref
from collections.abc import Callable

import torch
from torch import Tensor

from regard.attention.taps import Tap
from regard.engine.changes import WRITING, LayerChange, current_changes
from regard.engine.library import Library, address
from regard.engine.packed_model import DECODER, ENCODER, PackedModel
from regard.engine.parts import Unsupported
from regard.errors import ShapeError
from regard.models import Decoder, Transformer
from regard.models.decoder_state import DecoderState
from regard.models.inputs import check_vocabulary, row_numbers, source_ids, token_ids, token_mask, token_tables
from regard.shapes import AttentionMask, Tokens

MAX_HIDDEN = 1_000_000  # positions, counted up to the last that is hidden


class Engine:
    """Steps of a model through the compiled library; where it cannot serve, `start` hands out the model's own state.

    Logits are good until the next step. `packed` gives the weights as they are when a text begins; `told` is called
    with the reason when the model itself has to serve.
    """

    model: Transformer | Decoder
    packed: Callable[[], PackedModel]
    on_fallback: Callable[[str], None]

    def __init__(
        self, model: Transformer | Decoder, packed: Callable[[], PackedModel], on_fallback: Callable[[str], None]
    ) -> None:
        self.model, self.packed, self.on_fallback = model, packed, on_fallback

    def start(self, source: Tensor | None = None, attention_mask: Tensor | None = None) -> "EngineState | DecoderState":
        source = source_ids(self.model, source)
        attention_mask = None if attention_mask is None else token_mask("attention_mask", attention_mask, source)
        try:
            return EngineState(self.packed(), source, attention_mask, current_changes(self.model))
        except Unsupported as problem:
            self.on_fallback(str(problem))
            # source_ids saw to it that a model which reads has a source
            return self.model.start(source, attention_mask)  # type: ignore[arg-type]

    def step(
        self, state: "EngineState | DecoderState", tokens: Tensor, attention_mask: Tensor | None = None
    ) -> "tuple[Tensor, EngineState | DecoderState]":
        tokens = token_ids("tokens", tokens)
        if not tokens.shape[1]:
            raise ShapeError("tokens has no columns, at least one token in each row expected")
        attention_mask = None if attention_mask is None else token_mask("attention_mask", attention_mask, tokens)
        if isinstance(state, EngineState):
            return state.step(tokens, attention_mask)[:, None], state
        if (tables := token_tables(self.model)) is not None:  # of what the library reads it knows itself
            check_vocabulary("tokens", tokens, tables.target)
        return self.model.step(state, tokens, attention_mask)


class EngineState:
    """What the engine knows in the middle of a text. `select` changes it in place: only numbers of rows move."""

    packed: PackedModel
    library: Library
    threads: int
    address: int
    taps: list[Tap]
    length: int
    tokens: int

    def __init__(
        self, packed: PackedModel, source: Tokens | None, attention_mask: AttentionMask | None, edits: list[LayerChange]
    ) -> None:
        self.packed, self.library = packed, packed.library
        self.threads = torch.get_num_threads()
        self.address = self.library.check_new(self.library.state(packed.address))
        weakref.finalize(self, free_state, packed, self.address)
        self.length = self.tokens = 0  # with padding, and without
        self.taps = [tap for change in edits for tap in change.taps]
        self._logits = torch.empty(0, packed.vocabulary, dtype=torch.float32, device="cpu")
        for change in edits:
            self._change(change, source, attention_mask)
        if packed.has_source:
            assert source is not None
            packed.ensure_positions(ENCODER, source.shape[1])
            addresses = address("source", source, torch.int64), mask_address(attention_mask)
            self.library.check(self.library.read(self.address, *addresses, *source.shape, self.threads))

    def step(self, tokens: Tokens, attention_mask: AttentionMask | None) -> Tensor:
        """The scores of the word that follows each row's last token."""
        rows, length = tokens.shape
        self.packed.ensure_positions(DECODER, self.length + length)
        if len(self._logits) < rows:
            self._logits = torch.empty(rows, self.packed.vocabulary, dtype=torch.float32, device="cpu")
            numbers = address("logits", self._logits, torch.float32)
            self.library.large_pages(numbers, self._logits.numel())  # rows lie far apart
        logits = self._logits[:rows]
        addresses = address("tokens", tokens, torch.int64), mask_address(attention_mask)
        logits_address = address("logits", logits, torch.float32)
        done = self.library.step(self.address, *addresses, rows, length, logits_address, self.threads)
        self.library.check(done)
        self.length += length
        self.tokens += length if attention_mask is None or not rows else int(attention_mask.sum(-1).max())
        for tap in self.taps:
            tap.text_length(self.tokens)
        return logits

    def select(self, rows: Tensor) -> "EngineState":
        rows = row_numbers("rows", rows)
        self.library.check(self.library.select(self.address, address("rows", rows, torch.int64), len(rows)))
        return self

    @property
    def bytes(self) -> int:
        """What keys and values take: those of the source once, those of the text for each row that is written."""
        return self.library.state_bytes(self.address)

    def _change(self, change: LayerChange, source: Tokens | None, attention_mask: AttentionMask | None) -> None:
        count = max(change.hidden, default=-1) + 1
        if count > MAX_HIDDEN:
            raise Unsupported(f"position {count - 1} is hidden, and it keeps a table of {MAX_HIDDEN}")
        if change.kind != WRITING and source is not None and len(source):
            shortest_source = source.shape[1] if attention_mask is None else int(attention_mask.sum(-1).min())
            if count > shortest_source:
                raise Unsupported("a hidden position is past the end of a source")
        hidden = torch.zeros(count, dtype=torch.uint8, device="cpu")
        hidden[list(change.hidden)] = 1
        done = self.library.change(
            self.address,
            change.kind,
            change.layer,
            address("gates", change.gates, torch.float32),
            address("inverse_temperatures", change.inverse_temperatures, torch.float32),
            len(change.gates),
            address("hidden", hidden, torch.uint8),
            len(hidden),
        )
        self.library.check(done)


def free_state(packed: PackedModel, address: int) -> None:
    """Free a state; the model that it belongs to is alive until then."""
    packed.library.state_free(address)


def mask_address(attention_mask: AttentionMask | None) -> int | None:
    return None if attention_mask is None else address("attention_mask", attention_mask, torch.bool)

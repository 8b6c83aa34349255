"""The compiled step of a model of torch: the same answers as the model's own, sooner."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from regard.engine.changes import current_changes
from regard.engine.packed_model import PackedModel
from regard.engine.parts import Unsupported
from regard.engine.state import EngineState
from regard.errors import ArgumentError, ShapeError
from regard.models import Decoder, Transformer
from regard.models.decoder_state import DecoderState
from regard.models.inputs import check_vocabulary, source_ids, token_ids, token_mask, token_tables
from regard.shapes import AttentionMask, Tokens


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
        """A text before its first step."""
        try:
            return self.start_watched((), source, attention_mask)
        except Unsupported as problem:
            self.on_fallback(str(problem))
            source, attention_mask = self._checked(source, attention_mask)
            # source_ids saw to it that a model which reads has a source
            return self.model.start(source, attention_mask)  # type: ignore[arg-type]

    def start_watched(
        self, layers: Sequence[str], source: Tensor | None = None, attention_mask: Tensor | None = None
    ) -> EngineState:
        """The same, with what these layers look from kept, for `looks.py`. Raises Unsupported where only the model can
        serve."""
        source, attention_mask = self._checked(source, attention_mask)
        packed, edits = self.packed(), current_changes(self.model)
        arrays = numbers("source", source), numbers("attention_mask", attention_mask)
        return EngineState(packed, *arrays, edits, layers)

    def _checked(
        self, source: Tensor | None, attention_mask: Tensor | None
    ) -> tuple[Tokens | None, AttentionMask | None]:
        source = source_ids(self.model, source)
        return source, None if attention_mask is None else token_mask("attention_mask", attention_mask, source)

    def step(
        self, state: "EngineState | DecoderState", tokens: Tensor, attention_mask: Tensor | None = None
    ) -> "tuple[Tensor, EngineState | DecoderState]":
        tokens = token_ids("tokens", tokens)
        if not tokens.shape[1]:
            raise ShapeError("tokens has no columns, at least one token in each row expected")
        attention_mask = None if attention_mask is None else token_mask("attention_mask", attention_mask, tokens)
        if isinstance(state, EngineState):
            ids = numbers("tokens", tokens)
            assert ids is not None
            logits = state.step(ids, numbers("attention_mask", attention_mask))
            return torch.from_numpy(logits)[:, None], state
        if (tables := token_tables(self.model)) is not None:  # of what the library reads it knows itself
            check_vocabulary("tokens", tokens, tables.target)
        return self.model.step(state, tokens, attention_mask)


def numbers(name: str, tensor: Tensor | None) -> np.ndarray | None:
    """A tensor's numbers as the engine reads them."""
    if tensor is None:
        return None
    if not tensor.is_cpu:
        raise ArgumentError(f"{name} is on the device {tensor.device}, the engine on cpu")
    return tensor.numpy()

"""A model of torch as a search over arrays takes it, and what a caller gives it in tensors."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from regard.decoding.request import RequestInputs
from regard.engine import serve
from regard.engine.state import EngineState
from regard.errors import ArgumentError, ShapeError, expect
from regard.models.inputs import source_of, token_ids, token_mask, token_tables


class TensorSteps:
    """Tensors at the edge: numbers share their memory where the model is on the processor."""

    def __init__(self, model: Any, device: Any) -> None:  # a StepModel; any library's device
        self.model = model
        self.device: torch.device = torch.device("cpu") if device is None else device

    def with_precision(self, precision: str) -> "TensorSteps":
        return TensorSteps(serve(self.model, precision), self.device)

    def start(self, source: Tensor | None, attention_mask: Tensor | None) -> Any:
        with torch.no_grad():
            return self.model.start(source, attention_mask)

    def next_scores(self, state: Any, tokens: np.ndarray, attention_mask: np.ndarray | None) -> tuple[np.ndarray, Any]:
        if isinstance(state, EngineState):
            return state.step(tokens, attention_mask), state
        mask = None if attention_mask is None else self.tensor(attention_mask)
        with torch.no_grad():
            logits, state = self.model.step(state, self.tensor(tokens), mask)
            return np.ascontiguousarray(logits[:, -1].float().cpu().numpy()), state

    def select_rows(self, state: Any, rows: np.ndarray) -> Any:
        if isinstance(state, EngineState):
            return state.select(rows)
        with torch.no_grad():
            return state.select(self.tensor(rows))

    def tensor(self, numbers: np.ndarray) -> Tensor:
        tensor = torch.from_numpy(numbers)
        return tensor if self.device.type == "cpu" else tensor.to(self.device)


def tensor_inputs(
    model: object, source: object, prefix: object, attention_mask: object, prefix_attention_mask: object
) -> RequestInputs:
    """What a caller gives a model of torch, checked; tokens that texts begin with as arrays."""
    source, prefix, attention_mask, prefix_attention_mask = (
        numbers if not isinstance(numbers, np.ndarray) else torch.from_numpy(numbers).to(device_of(model))
        for numbers in (source, prefix, attention_mask, prefix_attention_mask)
    )
    source = source_of(model, source)
    if prefix is None:
        raise ShapeError("prefix is None: at least one token to begin with expected")
    tables = token_tables(model)
    tokens = token_ids("prefix", prefix, tables and tables.target)
    if not tokens.shape[1]:
        raise ShapeError(f"prefix is of {tuple(tokens.shape)}: at least one token to begin with expected")
    if source is not None:
        expect("prefix", "rows", len(tokens), len(source))
    if attention_mask is not None:
        attention_mask = token_mask("attention_mask", attention_mask, source)
    mask = None
    if prefix_attention_mask is not None:
        mask = token_mask("prefix_attention_mask", prefix_attention_mask, tokens)
        if not (has_tokens := mask.any(1)).all():
            row = int(has_tokens.int().argmin())
            raise ArgumentError(f"prefix_attention_mask hides every token of row {row}: one to begin with expected")
        mask = mask.cpu().numpy()
    return RequestInputs(source, attention_mask, tokens.cpu().numpy(), mask, tokens.device)


def device_of(model: object) -> torch.device:
    """Where a model is, as far as it can be told."""
    tables = token_tables(model)
    return torch.device("cpu") if tables is None else tables.target.weight.device

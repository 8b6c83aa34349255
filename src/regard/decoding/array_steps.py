"""Steps over arrays, whoever takes them: a model of torch, the engine for it, or the engine with a folder's weights."""

from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class ArraySteps(Protocol):
    """What every search steps through. States are the model's own affair."""

    def with_precision(self, precision: str) -> "ArraySteps":
        """The same with weights of a precision."""
        ...

    def start(self, source: Any, attention_mask: Any) -> Any:
        """A text before its first step; a source as the model takes it, or None."""
        ...

    def next_scores(self, state: Any, tokens: np.ndarray, attention_mask: np.ndarray | None) -> tuple[np.ndarray, Any]:
        """Scores of the word that follows, (rows, vocabulary), float32: good until the next step, and free to be
        written over. Several tokens are a prompt."""
        ...

    def select_rows(self, state: Any, rows: np.ndarray) -> Any:
        """Reorder, repeat and drop members of the batch."""
        ...


def array_steps(model: object, device: object = None) -> ArraySteps:
    """A model as a search takes it."""
    if isinstance(model, ArraySteps):
        return model
    from regard.decoding.tensor_steps import TensorSteps

    return TensorSteps(model, device)

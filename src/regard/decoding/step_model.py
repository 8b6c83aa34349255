"""What a model has to offer in order to write."""

from typing import Any, Protocol, runtime_checkable

from torch import Tensor

from regard.shapes import AttentionMask, Tokens


@runtime_checkable
class StepModel(Protocol):
    """A model that reads a source, if there is one, and writes on from some tokens.

    A state has `select(rows)`, which reorders, repeats and drops members of the batch.
    """

    def start(self, source: Tokens, attention_mask: AttentionMask | None = None) -> Any:
        """Nothing written yet. A model that only reads on takes no source: None."""
        ...

    def step(self, state: Any, tokens: Tokens, attention_mask: AttentionMask | None = None) -> tuple[Tensor, Any]:
        """Scores of the word that follows: (batch, 1, vocabulary). Several tokens are a prompt."""
        ...

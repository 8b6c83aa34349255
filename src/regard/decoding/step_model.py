"""What a model has to offer in order to write."""

from typing import Protocol, TypeVar, runtime_checkable

from torch import Tensor

from regard.shapes import AttentionMask, Tokens

Own = TypeVar("Own")


@runtime_checkable
class StepState(Protocol):
    """What a model knows in the middle of a text: what else is in it is the model's own affair."""

    def select(self: Own, rows: Tensor) -> Own:
        """Reorder, repeat and drop members of the batch."""
        ...


State = TypeVar("State", bound=StepState)


@runtime_checkable
class StepModel(Protocol[State]):
    """A model that reads a source, if there is one, and writes on from some tokens."""

    def start(self, source: Tokens, attention_mask: AttentionMask | None = None) -> State:
        """Nothing written yet. A model that only reads on takes no source: None."""
        ...

    def step(self, state: State, tokens: Tokens, attention_mask: AttentionMask | None = None) -> tuple[Tensor, State]:
        """Scores of the word that follows: (batch, 1, vocabulary). Several tokens are a prompt."""
        ...

"""What is asked of a model, checked once for every search."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from regard.decoding.array_steps import ArraySteps
from regard.decoding.constraints import Constraints, Ids
from regard.decoding.limits import MAX_NEW_TOKENS, check_whole
from regard.errors import expect

DEFAULT_MAX_NEW_TOKENS = 256  # tokens, where nobody says how long a text may become


class RequestInputs(NamedTuple):
    """What a model reads, as it takes it; what texts begin with, as arrays; and the device of a model of torch."""

    source: Any
    attention_mask: Any
    prefix: Ids
    prefix_attention_mask: np.ndarray | None
    device: object = None


@dataclass(frozen=True, eq=False)
class DecodeRequest:
    """Sources, if the model reads any, what the texts begin with, and how long each may become."""

    source: Any
    attention_mask: Any
    prefix: Ids
    prefix_attention_mask: np.ndarray | None
    max_new_tokens: np.ndarray
    constraints: Constraints
    device: object = None

    @classmethod
    def of(
        cls,
        model: object,
        source: object,
        prefix: object,
        *,
        attention_mask: object = None,
        prefix_attention_mask: object = None,
        max_new_tokens: int | Sequence[int] | None = None,
        constraints: Constraints = Constraints(),
    ) -> "DecodeRequest":
        """What a caller asks of a model, whatever takes its steps: from here on it is trusted."""
        if isinstance(model, ArraySteps):
            from regard.decoding.array_inputs import array_inputs as check_inputs
        else:
            from regard.decoding.tensor_steps import tensor_inputs as check_inputs
        inputs = check_inputs(model, source, prefix, attention_mask, prefix_attention_mask)
        limits = new_token_limits(max_new_tokens, len(inputs.prefix))
        return cls(*inputs[:4], limits, constraints, inputs.device)

    @property
    def longest(self) -> int:
        """Steps that are taken at most."""
        return max(1, int(self.max_new_tokens.max(initial=0)))

    def begin(self, model: ArraySteps) -> "FirstStep":
        """The sources read. Texts that may have no token at all are not begun."""
        state = model.start(self.source, self.attention_mask)
        rows, tokens, attention_mask = np.flatnonzero(self.max_new_tokens > 0), self.prefix, self.prefix_attention_mask
        if len(rows) < len(tokens):
            tokens, attention_mask = tokens[rows], None if attention_mask is None else attention_mask[rows]
            if len(rows) and self.source is not None:  # without one there are no rows before the first step
                state = model.select_rows(state, rows)
        return FirstStep(rows, state, tokens, attention_mask, self.history(rows))

    def history(self, rows: np.ndarray) -> Ids | None:
        """What the texts begin with, if a rule looks back at it."""
        if not self.constraints.look_back:
            return None
        prefix = self.prefix
        if self.prefix_attention_mask is not None:  # packed to the left, as a model reads it
            order = self.prefix_attention_mask.argsort(axis=1, kind="stable")
            prefix = np.take_along_axis(np.where(self.prefix_attention_mask, prefix, -1), order, 1)
        return prefix[rows]


def new_token_limits(max_new_tokens: int | Sequence[int] | None, rows: int) -> np.ndarray:
    """How many tokens may be written in each row."""
    most = DEFAULT_MAX_NEW_TOKENS if max_new_tokens is None else max_new_tokens
    limits = cast("Sequence[int]", most) if np.ndim(most) else [most] * rows
    expect("max_new_tokens", "numbers", len(limits), rows)
    return np.array([check_whole("max_new_tokens", limit, 0, MAX_NEW_TOKENS) for limit in limits], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class FirstStep:
    """The texts that are to be written, by their rows, and what a model is told first."""

    rows: np.ndarray
    state: Any
    tokens: Ids
    attention_mask: np.ndarray | None
    history: Ids | None

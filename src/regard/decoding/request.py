"""What is asked of a model, checked once for every search."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, cast

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from regard.decoding.constraints import Constraints, Ids
from regard.decoding.limits import MAX_NEW_TOKENS, check_whole
from regard.decoding.step_model import State, StepModel
from regard.errors import ArgumentError, ShapeError, expect
from regard.models.inputs import source_ids, token_ids, token_mask, token_tables
from regard.shapes import AttentionMask, Tokens

DEFAULT_MAX_NEW_TOKENS = 256  # tokens, where nobody says how long a text may become


@dataclass(frozen=True, eq=False)
class DecodeRequest:
    """Sources, if the model reads any, what the texts begin with, and how long each may become."""

    source: Tokens | None
    attention_mask: AttentionMask | None
    prefix: Int[Tensor, "batch prefix"]
    prefix_attention_mask: Bool[Tensor, "batch prefix"] | None
    max_new_tokens: np.ndarray
    constraints: Constraints

    @classmethod
    def of(
        cls,
        model: object,
        source: Tensor | None,
        prefix: Tensor | None,
        *,
        attention_mask: Tensor | None = None,
        prefix_attention_mask: Tensor | None = None,
        max_new_tokens: int | Sequence[int] | None = None,
        constraints: Constraints = Constraints(),
    ) -> "DecodeRequest":
        """What a caller asks of a model, whatever takes its steps: from here on it is trusted."""
        source = source_ids(model, source)
        if prefix is None:
            raise ShapeError("prefix is None: at least one token to begin with expected")
        tables = token_tables(model)
        prefix = token_ids("prefix", prefix, tables and tables.target)
        if not prefix.shape[1]:
            raise ShapeError(f"prefix is of {tuple(prefix.shape)}: at least one token to begin with expected")
        if source is not None:
            expect("prefix", "rows", len(prefix), len(source))
        if attention_mask is not None:
            attention_mask = token_mask("attention_mask", attention_mask, source)
        if prefix_attention_mask is not None:
            prefix_attention_mask = token_mask("prefix_attention_mask", prefix_attention_mask, prefix)
            if not (has_tokens := prefix_attention_mask.any(1)).all():
                row = int(has_tokens.int().argmin())
                raise ArgumentError(f"prefix_attention_mask hides every token of row {row}: one to begin with expected")
        limits = new_token_limits(max_new_tokens, len(prefix))
        return cls(source, attention_mask, prefix, prefix_attention_mask, limits, constraints)

    @property
    def device(self) -> torch.device:
        return self.prefix.device

    @property
    def longest(self) -> int:
        """Steps that are taken at most."""
        return max(1, int(self.max_new_tokens.max(initial=0)))

    def begin(self, model: StepModel[State]) -> "FirstStep[State]":
        """The sources read. Texts that may have no token at all are not begun."""
        state = model.start(self.source, self.attention_mask)  # type: ignore[arg-type]  # None: it takes no source
        rows, tokens, attention_mask = np.flatnonzero(self.max_new_tokens > 0), self.prefix, self.prefix_attention_mask
        if len(rows) < len(tokens):
            chosen = self.tensor(rows)
            tokens, attention_mask = tokens[chosen], None if attention_mask is None else attention_mask[chosen]
            state = state.select(chosen) if len(rows) else state
        return FirstStep(rows, state, tokens, attention_mask, self.history(rows))

    def history(self, rows: np.ndarray) -> Ids | None:
        """What the texts begin with, if a rule looks back at it."""
        if not self.constraints.look_back:
            return None
        prefix = self.prefix
        if self.prefix_attention_mask is not None:  # packed to the left, as a model reads it
            order = self.prefix_attention_mask.int().argsort(dim=1, stable=True)
            prefix = torch.where(self.prefix_attention_mask, prefix, -1).gather(1, order)
        return prefix.cpu().numpy()[rows]

    def tensor(self, numbers: np.ndarray) -> Tensor:
        """Numbers as a tensor where the model is."""
        tensor = torch.from_numpy(np.ascontiguousarray(numbers))
        return tensor if self.device.type == "cpu" else tensor.to(self.device)


def new_token_limits(max_new_tokens: int | Sequence[int] | None, rows: int) -> np.ndarray:
    """How many tokens may be written in each row."""
    most = DEFAULT_MAX_NEW_TOKENS if max_new_tokens is None else max_new_tokens
    limits = cast("Sequence[int]", most) if np.ndim(most) else [most] * rows
    expect("max_new_tokens", "numbers", len(limits), rows)
    return np.array([check_whole("max_new_tokens", limit, 0, MAX_NEW_TOKENS) for limit in limits], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class FirstStep(Generic[State]):
    """The texts that are to be written, by their rows, and what a model is told first."""

    rows: np.ndarray
    state: State
    tokens: Tensor
    attention_mask: Tensor | None
    history: Ids | None

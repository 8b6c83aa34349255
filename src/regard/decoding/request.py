"""What is asked of a model, checked once for every search."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from regard.decoding.constraints import Constraints, Ids
from regard.decoding.step_model import StepModel
from regard.errors import RegardError, ShapeError, expect
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
        source: Tokens | None,
        prefix: Tensor | None,
        *,
        attention_mask: AttentionMask | None = None,
        prefix_attention_mask: Tensor | None = None,
        max_new_tokens: int | Sequence[int] | None = None,
        constraints: Constraints = Constraints(),
    ) -> "DecodeRequest":
        if prefix is None or prefix.ndim != 2 or not prefix.shape[1]:
            came = "none" if prefix is None else f"a tensor of {tuple(prefix.shape)}"
            raise ShapeError(f"a prefix of (batch, tokens) expected, at least one token to begin with, got {came}")
        if source is not None:
            expect("the prefix", "rows", len(prefix), len(source))
        for name, mask, tokens in (
            ("attention_mask", attention_mask, source),
            ("prefix_attention_mask", prefix_attention_mask, prefix),
        ):
            if mask is not None and (tokens is None or mask.shape != tokens.shape):
                shape = None if tokens is None else tuple(tokens.shape)
                raise ShapeError(f"{name} is of {tuple(mask.shape)}, the tokens it is about of {shape}")
        most = DEFAULT_MAX_NEW_TOKENS if max_new_tokens is None else max_new_tokens
        if not isinstance(most, int):
            expect("max_new_tokens", "numbers", len(most), len(prefix))
        limits = np.full(len(prefix), most) if isinstance(most, int) else np.asarray(most, dtype=np.int64)
        if (limits < 0).any():
            raise RegardError(f"max_new_tokens is 0 or more, got {limits.min()}")
        return cls(source, attention_mask, prefix, prefix_attention_mask, limits, constraints)

    @property
    def device(self) -> torch.device:
        return self.prefix.device

    @property
    def longest(self) -> int:
        """Steps that are taken at most."""
        return max(1, int(self.max_new_tokens.max(initial=0)))

    def begin(self, model: StepModel) -> "FirstStep":
        """The sources read. Texts that may have no token at all are not begun."""
        state = model.start(self.source, self.attention_mask)  # type: ignore[arg-type]
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


@dataclass(frozen=True, eq=False)
class FirstStep:
    """The texts that are to be written, by their rows, and what a model is told first."""

    rows: np.ndarray
    state: Any
    tokens: Tensor
    attention_mask: Tensor | None
    history: Ids | None

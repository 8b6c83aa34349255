"""What a model is to the engine, whoever holds its weights: plain numbers, and weights that are read when packed.

Nobody compares or prints these: classes without the means for it are made in a fraction of the time.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from regard.engine.positions import EndlessTable

ACTIVATIONS = {"relu": 1, "gelu": 2, "gelu-tanh": 3, "silu": 4, "tanh": 5}
"""The engine's numbers of activations."""


class Unsupported(Exception):
    """Why the engine cannot run a model, in a few words."""


@runtime_checkable
class Weight(Protocol):
    """Learned numbers, wherever they are."""

    @property
    def key(self) -> Hashable:
        """The same for weights that are one."""
        ...

    def array(self) -> np.ndarray:
        """The numbers, float32, row after row."""
        ...


@dataclass(eq=False, repr=False)
class LinearPart:
    """A linear layer: what it gives is multiplied by `scale`."""

    weight: Weight
    bias: Weight | None
    scale: float = 1.0


@dataclass(eq=False, repr=False)
class NormPart:
    """A norm; with `is_offset` its gain is learned as the difference from 1."""

    weight: Weight | None
    bias: Weight | None
    width: int
    is_rms: bool
    epsilon: float
    is_offset: bool = False


@dataclass(eq=False, repr=False)
class AttentionPart:
    """An attention layer. `kv` is of a source, and `qkv` then of queries alone; `numbers` are those that its heads had
    before pruning."""

    qkv: LinearPart
    kv: LinearPart | None
    output: LinearPart
    heads: int
    kv_heads: int
    width: int
    scale: float
    kv_head_of: Sequence[int]
    numbers: Sequence[int]


@dataclass(eq=False, repr=False)
class BlockPart:
    """A block of a stack."""

    self: AttentionPart
    self_norm: NormPart
    cross: AttentionPart | None
    cross_norm: NormPart | None
    widen: LinearPart
    narrow: LinearPart
    feed_forward_norm: NormPart


@dataclass(eq=False, repr=False)
class PositionPart:
    """Where order enters: by what is added to words (`added`, from the row `offset` on), by tables that are written out
    as far as they are needed (`growing`), by a bias for every distance, or by slopes."""

    added: Weight | None = None
    offset: int = 0
    growing: EndlessTable | None = None
    bias: np.ndarray | None = None
    slopes: np.ndarray | None = None
    rotates_neighbours: bool = False


@dataclass(eq=False, repr=False)
class StackPart:
    """Tokens in, vectors out."""

    table: Weight
    scale: float
    segments: Weight | None
    embedding_norm: NormPart | None
    embedding_widen: LinearPart | None
    position: PositionPart
    width: int
    feed_forward_width: int
    activation: int
    is_gated: bool
    pre_norm: bool
    window: int
    final_norm: NormPart | None
    blocks: Sequence[BlockPart]


@dataclass(eq=False, repr=False)
class OutputPart:
    """How words are scored."""

    output: LinearPart
    dense: LinearPart | None = None
    dense_activation: int = 0
    dense_norm: NormPart | None = None
    bridge: LinearPart | None = None


@dataclass(eq=False, repr=False)
class EngineParts:
    """All of a model."""

    encoder: StackPart | None
    decoder: StackPart
    output: OutputPart

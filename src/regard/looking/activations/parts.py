"""What a model is made of, as far as one may look and edit there: the same few words for every library's models.

A block is a row of sublayers, each of which reads the stream, computes something and writes it back. What differs
between libraries is which module stands for which step: own_parts.py, torch_parts.py and live_parts.py say so.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from torch import nn

End = Literal["input", "output"]
SublayerKind = Literal["self", "cross", "feed_forward"]


@dataclass(frozen=True)
class Access:
    """What goes into a module, or what comes out of it."""

    module: nn.Module
    end: End


@dataclass(frozen=True)
class Sublayer:
    """A step of a block that adds to the stream: attention or feed-forward."""

    kind: SublayerKind
    reads: Access  # after the norm, if that comes first
    inner: Access | None  # what the last projection is given: the heads side by side, or the activations, if known
    projection: nn.Module
    writes: Access  # what is added to the stream
    norm_after: nn.Module | None = None  # post-norm: of the sum
    stream: Access | None = None  # post-norm: what the stream is then; None: the sum
    norm_of_write: nn.Module | None = None  # of what is added, before it is
    heads: int = 0  # of attention
    head_width: int = 0  # of values
    query_width: int = 0
    kv_heads: int = 0
    layer: nn.Module | None = None  # the attention layer, where patterns come by
    width: int = 0  # of the activations of a feed-forward layer


@dataclass(frozen=True)
class BlockParts:
    """A block of a stack, its sublayers in order; side by side (`is_parallel`) they all read what comes in."""

    block: nn.Module
    sublayers: tuple[Sublayer, ...]
    is_parallel: bool = False

    def sublayer(self, kind: str) -> Sublayer | None:
        return next((sublayer for sublayer in self.sublayers if sublayer.kind == kind), None)


@dataclass(frozen=True)
class StackParts:
    """A stack: who calls its blocks, the table its tokens come from and the norm at its end."""

    module: nn.Module
    embedding: nn.Module | None = None
    final_norm: nn.Module | None = None


@dataclass(frozen=True)
class ModelParts:
    """A model: blocks and stacks by name, and what puts out its scores."""

    width: int
    blocks: dict[str, BlockParts] = field(default_factory=dict)
    stacks: dict[str, StackParts] = field(default_factory=dict)
    logits: Access | None = None
    vocabulary: int = 0
    batch_first: bool = True

    def names_of(self, block: nn.Module) -> list[str]:
        """All names of a block: one that serves several depths has several."""
        return [name for name, parts in self.blocks.items() if parts.block is block]

    def side(self, name: str) -> list[tuple[str, BlockParts]]:
        """The blocks of a stack, in order."""
        return [(block, parts) for block, parts in self.blocks.items() if block.rpartition(".")[0] == name]

    def tapped(self) -> list[nn.Module]:
        """Who has to know that somebody is at work at a site: the blocks, and layers of torch.nn that else would not
        call their parts."""
        layers = [sublayer.layer for _, block in self for sublayer in block.sublayers]
        torch_layers = [layer for layer in layers if isinstance(layer, nn.MultiheadAttention)]
        return list(dict.fromkeys([*(block.block for _, block in self), *torch_layers]))

    def __iter__(self) -> Iterator[tuple[str, BlockParts]]:
        return iter(self.blocks.items())

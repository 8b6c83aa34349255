"""A site: a named place inside a model where something can be watched and edited, and how it is reached."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from regard.looking.activations.parts import Access

Size = int | str
View = Literal["whole", "heads", "contribution", "stream", "query", "key", "value", "pattern", "check"]
ORDER: tuple[View, ...] = ("check", "heads", "contribution", "whole", "stream")
"""The views of what passes one end of a module, in the order in which they are edited and seen."""


@dataclass(frozen=True, eq=False)
class Site:
    """A named place. Sizes of `shape` are numbers, or "batch", "length" and "source" for what a call decides.

    `view` says what the numbers there stand for: as they are ("whole"), head by head ("heads"), what each head writes
    ("contribution"), or the sum of the stream with what is written ("stream").
    """

    name: str
    shape: tuple[Size, ...]
    access: Access | None  # None: in the pattern of an attention layer
    view: View = "whole"
    heads: int = 0
    layer: nn.Module | None = None  # whose pattern holds it
    projection: nn.Module | None = None
    stack: nn.Module | None = None  # whose biases a pattern has

    @property
    def block(self) -> str:
        """The block that it is part of, "" where it is part of none."""
        steps = self.name.split(".")
        numbers = [index for index, step in enumerate(steps) if step.isdigit()]
        return ".".join(steps[: numbers[0] + 1]) if numbers else ""

    @property
    def layer_name(self) -> str:
        """The layer or block that it belongs to: `decoder.0.self` of `decoder.0.self.query`."""
        return self.name.rpartition(".")[0]

    @property
    def has_heads(self) -> bool:
        return len(self.shape) == 4

    def __repr__(self) -> str:
        return f"{self.name}  {' x '.join(map(str, self.shape))}"


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(batch, length, heads x width) becomes (batch, heads, length, width)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def join_heads(x: Tensor) -> Tensor:
    """The other way round."""
    return x.transpose(1, 2).flatten(2)


def contributions(projection: nn.Module, inner: Tensor, heads: int) -> Tensor:
    """What each head writes, (batch, heads, length, width), without the bias of the projection."""
    split, weight = split_heads(inner, heads), getattr(projection, "weight", None)
    if isinstance(projection, nn.Linear):
        return torch.matmul(split, projection.weight.T.unflatten(0, (heads, -1)).to(split.dtype))
    if isinstance(weight, Tensor) and hasattr(projection, "nf"):  # GPT-2's, whose matrix lies on its side
        return torch.matmul(split, weight.unflatten(0, (heads, -1)))
    return by_linearity(projection, split, inner)


def by_linearity(projection: nn.Module, split: Tensor, inner: Tensor) -> Tensor:
    """The same of a projection whose layout is not known: one head at a time, the others zero."""
    alone = torch.diag_embed(split.movedim(1, -1)).movedim(-1, 1)  # batch, heads, length, head width, heads
    return unhooked(projection, alone.transpose(-1, -2).flatten(-2)) - projection_bias(projection, inner)[:, None]


def unhooked(module: nn.Module, x: Tensor) -> Tensor:
    """What a module computes, unseen by those who look there."""
    return type(module).forward(module, x)


def projection_bias(projection: nn.Module, inner: Tensor) -> Tensor:
    """What a projection writes where it is given nothing."""
    return unhooked(projection, torch.zeros_like(inner[:1, :1]))

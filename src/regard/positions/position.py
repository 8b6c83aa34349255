"""Where order enters: in the vectors, in queries and keys, or in the score."""

from collections.abc import Mapping
from typing import ClassVar

import torch
from jaxtyping import Int
from torch import Tensor, nn

from regard.attention import Bias
from regard.config.part_sizes import PartSizes
from regard.shapes import AttentionMask, Heads, Positions, Stream


class Position(nn.Module):
    """No position at all: a set. A scheme overrides one of the three ways to bring order in."""

    is_absolute: ClassVar[bool] = False
    """Whether it counts where in its text a token stands, and not only how far from the others."""
    example_settings: ClassVar[Mapping[str, object]] = {}
    """What a recipe would say of a small example, beside the sizes that follow from the model."""

    @classmethod
    def example(cls, width: int = 8, heads: int = 2, length: int = 24) -> "Position":
        """A small one, for tests and pages."""
        return cls(**PartSizes(width, heads, width // heads, length).arguments(cls), **cls.example_settings)

    def embed(self, x: Stream, positions: Positions) -> Stream:
        """Word vectors with their positions in them."""
        return x

    def rotate(self, x: Heads, positions: Positions) -> Heads:
        """Queries or keys with their positions in them."""
        return x

    def bias(self, heads: Tensor | None = None) -> Bias | None:
        """What distance adds to the scores of these heads, or of all."""
        return None


def positions_of(
    attention_mask: AttentionMask | None, length: int, *, start: int = 0, device: torch.device | str = "cpu"
) -> Int[Tensor, "_ {length}"]:
    """The position of each of the last `length` tokens, counted from the first token: padding moves nothing.

    `attention_mask` covers all that was read so far; without it nothing is padded, and the tokens begin at `start`.
    Padding before the first token stands at 0, padding after one counts on from it.
    """
    if attention_mask is None:
        return torch.arange(start, start + length, device=device)[None]
    column = torch.arange(attention_mask.shape[1], device=attention_mask.device)
    last = torch.where(attention_mask, column, -1).cummax(-1).values  # the nearest real token, here or before
    positions = torch.where(last < 0, 0, attention_mask.long().cumsum(-1) - 1 + column - last)
    return positions[:, -length:]

"""Where order enters: in the vectors, in queries and keys, or in the score."""

import torch
from torch import Tensor, nn

from regard.attention import Bias
from regard.shapes import Heads, Real, Stream, TokenPlaces


class Position(nn.Module):
    """No position at all: a set. A scheme overrides one of the three ways to bring order in."""

    def embed(self, x: Stream, places: TokenPlaces) -> Stream:
        """Word vectors with their places in them."""
        return x

    def turn(self, x: Heads, places: TokenPlaces) -> Heads:
        """Queries or keys with their places in them."""
        return x

    def bias(self, heads: Tensor | None = None) -> Bias | None:
        """What distance adds to the scores of these heads, or of all."""
        return None


def places_of(real: Real | None, length: int, *, start: int = 0, device: torch.device | str = "cpu") -> TokenPlaces:
    """The place of every token, counted from the first real one: padding on either side moves nothing.

    Padded tokens get the place of the nearest real one before them, or the first.
    """
    if real is None:
        return torch.arange(start, start + length, device=device)[None]
    return (real.long().cumsum(-1) - 1).clamp(min=0)[:, -length:]

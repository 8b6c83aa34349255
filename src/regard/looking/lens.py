"""The logit lens: what a model would say if it stopped after each layer. nostalgebraist 2020."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.looking.unembed import Unembed
from regard.looking.watch import watch
from regard.pictures import Picture

ROWS = 1 << 22  # scores of words that are held at once


@dataclass(frozen=True, eq=False)
class Lens:
    """The likeliest words after every layer, and how likely the model's own choice was by then.

    `places` are blocks, in order; the last layer says what the model says.
    """

    places: tuple[str, ...]
    words: Int[Tensor, "layers batch length k"]
    chances: Float[Tensor, "layers batch length k"]
    choice: Float[Tensor, "layers batch length"]

    def settled(self) -> Int[Tensor, "batch length"]:
        """The first layer from which on the likeliest word is the one that the model ends with."""
        agrees = self.words[..., 0] == self.words[-1, ..., 0]
        return len(self.places) - agrees.flip(0).int().cumprod(0).sum(0)

    def picture(self, tokens: Sequence[str], names: Any, batch: int = 0, title: str = "logit lens") -> Picture:
        """Layers from the last down, a column for each token; a cell is how likely its word is, and says which.

        `names(ids)` spells words: a tokeniser's `tokens`.
        """
        likeliest = self.words[:, batch, : len(tokens), 0].flip(0)
        chances = self.chances[:, batch, : len(tokens), 0].flip(0)
        notes = [list(names(row)) for row in likeliest.tolist()]
        return Picture(chances.tolist(), self.places[::-1], list(tokens), title, notes=notes)


@torch.no_grad()
def lens(model: nn.Module, *inputs: Tensor, k: int = 5, **given: Any) -> Lens:
    """Run a model and read every layer as if it were the last one.

    `inputs` and `given` are what the model is called with. Only the `k` best words of every place are kept.
    """
    last = Unembed(model)
    with watch(model, *last.blocks) as seen:
        model(*inputs, **given)
    best = _best(last, seen.stream([*last.blocks][-1]), 1)[0].squeeze(-1)
    found = [_best(last, seen.stream(place), k, best) for place in last.blocks]
    words, chances, choice = (torch.stack(parts) for parts in zip(*found, strict=True))
    return Lens(tuple(last.blocks), words, chances, choice)


def _best(last: Unembed, x: Tensor, k: int, follow: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The k likeliest words of every place, their chances, and the chance of those that are followed."""
    vocabulary = len(last.output.weight)
    flat = x.flatten(0, 1)
    wanted = torch.zeros(len(flat), dtype=torch.long, device=x.device) if follow is None else follow.flatten()
    parts = []
    for rows, ids in zip(*(some.split(max(1, ROWS // vocabulary)) for some in (flat, wanted)), strict=True):
        chances = last.stream(rows).softmax(-1)
        best = chances.topk(min(k, vocabulary))
        parts.append((best.indices, best.values, chances.gather(-1, ids[:, None])[:, 0]))
    ids, values, chosen = (torch.cat(some) for some in zip(*parts, strict=True))
    return ids.view(*x.shape[:2], -1), values.view(*x.shape[:2], -1), chosen.view(x.shape[:2])

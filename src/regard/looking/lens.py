"""The logit lens: what a model would say if it stopped after each layer. nostalgebraist 2020."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.looking.unembed import Unembedding
from regard.looking.watch import watch
from regard.pictures import Picture

ROWS = 1 << 22  # scores of words that are held at once

Spell = Callable[[list[int]], Iterable[str]]
"""How words are spelled: a tokeniser's `tokens`."""


@dataclass(frozen=True, eq=False)
class Lens:
    """The likeliest words after every layer, and how likely the model's own choice was by then.

    `blocks` are the layers, in order; the last one says what the model says.
    """

    blocks: tuple[str, ...]
    words: Int[Tensor, "layers batch length k"]
    probabilities: Float[Tensor, "layers batch length k"]
    final_probability: Float[Tensor, "layers batch length"]

    def settling_layer(self) -> Int[Tensor, "batch length"]:
        """The first layer from which on the likeliest word is the one that the model ends with."""
        agrees = self.words[..., 0] == self.words[-1, ..., 0]
        return len(self.blocks) - agrees.flip(0).int().cumprod(0).sum(0)

    def picture(
        self,
        tokens: Sequence[str],
        names: Spell,
        batch: int = 0,
        title: str = "logit lens",
    ) -> Picture:
        """Layers from the last down, a column for each token; a cell is how likely its word is, and says which.

        `names(ids)` spells words.
        """
        likeliest = self.words[:, batch, : len(tokens), 0].flip(0)
        chances = self.probabilities[:, batch, : len(tokens), 0].flip(0)
        notes = [list(names(row)) for row in likeliest.tolist()]
        return Picture(chances.tolist(), self.blocks[::-1], list(tokens), title, notes=notes)


@torch.no_grad()
def lens(model: nn.Module, *inputs: Tensor, k: int = 5, **kwargs: object) -> Lens:
    """Run a model and read every layer as if it were the last one.

    `inputs` and `kwargs` are what the model is called with. Only the `k` best words of every position are kept.
    """
    unembedding = Unembedding(model)
    with watch(model, *unembedding.blocks) as seen:
        model(*inputs, **kwargs)
    best = _best(unembedding, seen.stream([*unembedding.blocks][-1]), 1)[0].squeeze(-1)
    layers = [_best(unembedding, seen.stream(layer), k, best) for layer in unembedding.blocks]
    words, chances, choice = (torch.stack(parts) for parts in zip(*layers, strict=True))
    return Lens(tuple(unembedding.blocks), words, chances, choice)


def _best(
    unembedding: Unembedding, x: Tensor, k: int, target_ids: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """The k likeliest words of every position, their chances, and the chance of those that are followed."""
    vocabulary = len(unembedding.output.weight)
    flat = x.flatten(0, 1)
    followed_ids = (
        torch.zeros(len(flat), dtype=torch.long, device=x.device) if target_ids is None else target_ids.flatten()
    )
    parts = []
    for rows, ids in zip(*(columns.split(max(1, ROWS // vocabulary)) for columns in (flat, followed_ids)), strict=True):
        chances = unembedding.stream(rows).softmax(-1)
        best = chances.topk(min(k, vocabulary))
        parts.append((best.indices, best.values, chances.gather(-1, ids[:, None])[:, 0]))
    ids, values, chosen = (torch.cat(columns) for columns in zip(*parts, strict=True))
    return ids.view(*x.shape[:2], -1), values.view(*x.shape[:2], -1), chosen.view(x.shape[:2])

"""The logit lens: what a model would say if it stopped after each layer. nostalgebraist 2020."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.looking.runs import Inputs
from regard.looking.token_labels import Speller, spell, token_labels
from regard.looking.unembed import LiveUnembedding, Unembedding, unembedding_of
from regard.looking.watch import watch
from regard.pictures import Picture
from regard.pictures.labelled import LabelledNumbers, LabelledResult, NamedAxis, numbered

ROWS = 1 << 22  # scores of words that are held at once

Spell = Callable[[list[int]], Iterable[str]]
"""How words are spelled: a tokeniser's `tokens`."""


@dataclass(frozen=True, eq=False, repr=False)
class Lens(LabelledResult):
    """The likeliest words after every layer, and how likely the model's own choice was by then.

    `blocks` are the layers, in order; the last one says what the model says. `tokens` are those of the first text that
    was read, spelled, where a tokeniser was there.
    """

    blocks: tuple[str, ...]
    words: Int[Tensor, "layers batch length k"]
    probabilities: Float[Tensor, "layers batch length k"]
    final_probability: Float[Tensor, "layers batch length"]
    tokens: tuple[str, ...] = ()
    tokenizer: Speller | None = None

    def labelled(self) -> LabelledNumbers:
        _, batch, length, k = self.probabilities.shape
        tokens = self.tokens if batch == 1 else ()
        counted = (numbered("batch", batch), numbered("token", length, tokens), numbered("rank", k))
        return LabelledNumbers(self.probabilities, (NamedAxis("layer", self.blocks), *counted))

    def to_pandas(self) -> Any:
        """A row for every layer, text, token and rank: the word, spelled if a tokeniser was there, and its chance."""
        frame = super().to_pandas().to_frame("probability")
        frame.insert(0, "word", list(self.spelled(self.words.flatten().tolist())))
        return frame

    def spelled(self, ids: list[int]) -> tuple[str | int, ...]:
        return tuple(ids) if self.tokenizer is None else spell(self.tokenizer, ids)

    def __repr__(self) -> str:
        _, batch, length, k = self.probabilities.shape
        last = self.spelled(self.words[:, 0, -1, 0].tolist()) if length else ()
        says = f"; after the last token: {' '.join(map(str, last))}" if last else ""
        return f"Lens({len(self.blocks)} layers, {batch} x {length} tokens, {k} words each{says})"

    def settling_layer(self) -> Int[Tensor, "batch length"]:
        """The first layer from which on the likeliest word is the one that the model ends with."""
        agrees = self.words[..., 0] == self.words[-1, ..., 0]
        return len(self.blocks) - agrees.flip(0).int().cumprod(0).sum(0)

    def picture(
        self,
        tokens: Sequence[str] | None = None,
        names: Spell | None = None,
        batch: int = 0,
        title: str = "logit lens",
    ) -> Picture:
        """Layers from the last down, a column for each token; a cell is how likely its word is, and says which.

        `names(ids)` spells words; neither is needed where the lens was given a tokeniser.
        """
        tokens = tokens or self.tokens or [str(number) for number in range(self.words.shape[2])]
        names = names or (lambda ids: map(str, self.spelled(ids)))
        likeliest = self.words[:, batch, : len(tokens), 0].flip(0)
        chances = self.probabilities[:, batch, : len(tokens), 0].flip(0)
        notes = [list(names(row)) for row in likeliest.tolist()]
        return Picture(chances.tolist(), self.blocks[::-1], list(tokens), title, notes=notes)

    def show(self) -> Picture:
        """The picture, for a notebook or the terminal."""
        return self.picture()


Translate = Callable[[str, Tensor], Tensor]
"""What a block put out, by its name, as vectors that the last layer would put out: a tuned lens."""


@torch.no_grad()
def lens(
    model: nn.Module,
    *inputs: Tensor,
    k: int = 5,
    tokenizer: Speller | None = None,
    translate: Translate | None = None,
    **kwargs: object,
) -> Lens:
    """Run a model and read every layer as if it were the last one: the logit lens, nostalgebraist 2020.

    `inputs` and `kwargs` are what the model, ours or a live one of transformers, is called with. Only the `k` best
    words of every position are kept. Of a live model of another family the last norm and the head are used as they are,
    if they are all there is. `tokenizer` spells them. With `translate=regard.tuned_lens(…)`, the tuned lens.
    """
    unembedding = unembedding_of(model)
    with watch(model, *unembedding.blocks) as seen:
        output = model(*inputs, **kwargs)
    last = [*unembedding.blocks][-1]
    unembedding.check(seen.stream(last), output)
    best = _best(unembedding, seen.stream(last), 1)[0].squeeze(-1)
    streams = {layer: seen.stream(layer) for layer in unembedding.blocks}
    if translate is not None:
        streams = {layer: x if layer == last else translate(layer, x) for layer, x in streams.items()}
    layers = [_best(unembedding, x, k, best) for x in streams.values()]
    words, chances, choice = (torch.stack(parts) for parts in zip(*layers, strict=True))
    sides = ["encoder", "decoder"] if len(inputs) > 1 or "decoder_input_ids" in kwargs else [unembedding.name]
    read: Inputs = {**kwargs} if not inputs else [x for x in inputs if isinstance(x, Tensor)]
    labels = token_labels(tokenizer, read, sides).get(unembedding.name, ())
    return Lens(tuple(unembedding.blocks), words, chances, choice, labels, tokenizer)


def _best(
    unembedding: Unembedding | LiveUnembedding, x: Tensor, k: int, target_ids: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """The k likeliest words of every position, their chances, and the chance of those that are followed."""
    vocabulary = unembedding.vocabulary
    flat = x.flatten(0, 1)
    followed_ids = (
        torch.zeros(len(flat), dtype=torch.long, device=x.device) if target_ids is None else target_ids.flatten()
    )
    parts = []
    for rows, ids in zip(*(columns.split(max(1, ROWS // vocabulary)) for columns in (flat, followed_ids)), strict=True):
        chances = unembedding.stream(rows).float().softmax(-1)
        best = chances.topk(min(k, vocabulary))
        parts.append((best.indices, best.values, chances.gather(-1, ids[:, None])[:, 0]))
    ids, values, chosen = (torch.cat(columns) for columns in zip(*parts, strict=True))
    return ids.view(*x.shape[:2], -1), values.view(*x.shape[:2], -1), chosen.view(x.shape[:2])

"""Words that were hidden, from those around them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from regard.families.recipe import DataSizes
from regard.models import Encoder, Model
from regard.training.objectives.objective import DeviceBatch, LossSums, ObjectiveExample, Row, pad_rows
from regard.training.optimisation.losses import output_loss


@dataclass(frozen=True, eq=False)
class MaskedBatch(DeviceBatch):
    """Texts with words hidden at `positions`, which were `answers`; `is_next`: the second half is the next text."""

    inputs: Tensor
    attention_mask: Tensor | None
    segments: Tensor | None
    positions: Tensor
    answers: Tensor
    is_next: Tensor | None
    count: int
    tokens: int


class MaskedObjective:
    """Of the words to be guessed 80 % are replaced by a mask, 10 % by any word, 10 % stay: Devlin et al. 2019, A.1.

    `frame` are the tokens that go before a text and after it. `whole` says of every token of the vocabulary whether it
    goes on with a word: then the pieces of a word are hidden together. With `pairs` a text is cut in two, and in half
    of the cases its second part is that of another: does it follow? Rows are (tokens,).
    """

    name: ClassVar[str] = "masked"
    kinds: ClassVar[tuple[str, ...]] = ("encoder",)
    metrics: ClassVar[tuple[str, ...]] = ("loss", "perplexity")

    def __init__(
        self,
        *,
        mask: int,
        frame: tuple[int, int],
        vocabulary: int,
        special: Collection[int],
        share: float = 0.15,
        pad: int = 0,
        continues_word: Tensor | None = None,
        next_sentence: bool = False,
    ) -> None:
        self.mask = mask
        self.frame = frame
        self.vocabulary = vocabulary
        self.share = share
        self.pad = pad
        self.continues_word = continues_word
        self.next_sentence = next_sentence
        self.special: Tensor = torch.zeros(vocabulary, dtype=torch.bool)
        self.special[[number for number in special if number < vocabulary]] = True

    @classmethod
    def example(cls, kind: str) -> ObjectiveExample:
        rows = [(np.array(text),) for text in ([5, 6, 7, 8, 9], [9, 8, 7], [6, 7, 8, 9])]
        objective = cls(mask=3, frame=(1, 2), vocabulary=10, special=range(5), share=0.4)
        return ObjectiveExample(objective, rows, DataSizes(vocabulary=10))

    def batch(self, rows: Sequence[Row], generator: torch.Generator) -> MaskedBatch:
        texts = [row[0].astype(np.int64) for row in rows]
        framed, segments, follows = (
            self.make_pairs(texts, generator) if self.next_sentence else (self.add_frame(texts), None, None)
        )
        tokens, attention_mask = pad_rows(framed, self.pad)
        hides = self.choose_positions(tokens, generator)
        positions = hides.flatten().nonzero()[:, 0]
        answers = tokens.flatten()[positions]
        fate = torch.rand(len(positions), generator=generator)
        any_word = torch.randint(self.vocabulary, (len(positions),), generator=generator)
        shown = torch.where(fate < 0.8, self.mask, torch.where(fate < 0.9, any_word, answers))
        inputs = tokens.flatten().index_copy(0, positions, shown).view_as(tokens)
        size = sum(len(text) for text in framed)
        return MaskedBatch(inputs, attention_mask, segments, positions, answers, follows, len(positions), size)

    def add_frame(self, texts: Sequence[np.ndarray]) -> list[np.ndarray]:
        before, after = self.frame
        return [np.concatenate([[before], text, [after]]) for text in texts]

    def make_pairs(
        self, texts: Sequence[np.ndarray], generator: torch.Generator
    ) -> tuple[list[np.ndarray], Tensor, Tensor]:
        """Texts of two parts, which part each token is in, and whether the second follows the first (1) or not (0)."""
        before, after = self.frame
        follows = (torch.rand(len(texts), generator=generator) < 0.5).long()
        if len(texts) == 1:
            follows[:] = 1  # there is no other
        firsts = [text[: max(1, len(text) // 2)] for text in texts]
        seconds = [text[len(first) :] for text, first in zip(texts, firsts, strict=True)]
        framed, parts = [], []
        for number, first in enumerate(firsts):
            second = seconds[number if follows[number] else (number + 1) % len(texts)]
            framed.append(np.concatenate([[before], first, [after], second, [after]]))
            parts.append(np.repeat([0, 1], [len(first) + 2, len(second) + 1]))
        return framed, pad_rows(parts)[0], follows

    def choose_positions(self, tokens: Tensor, generator: torch.Generator) -> Tensor:
        """Which tokens are to be guessed: each word with the same chance, at least one in a batch."""
        open_to = ~self.special[tokens]
        chance = torch.rand(tokens.shape, generator=generator)
        if self.continues_word is not None:
            is_word_start = ~self.continues_word[tokens]
            is_word_start[:, 0] = True
            word = is_word_start.int().cumsum(-1) - 1
            chance = chance.gather(-1, word)  # every piece has the number that was drawn for its word
        chance = chance.masked_fill(~open_to, 2.0)
        hides = chance < self.share
        if not hides.any() and open_to.any():
            hides = chance == chance.min()
        return hides

    def loss(self, model: Model, batch: MaskedBatch, smoothing: float = 0.0) -> LossSums:
        assert isinstance(model, Encoder)
        assert model.output is not None
        x = model.hidden(batch.inputs, segments=batch.segments, attention_mask=batch.attention_mask)
        guessed = x.flatten(0, 1).index_select(0, batch.positions)
        total, plain = output_loss(model.output, guessed, batch.answers, smoothing=smoothing)
        if batch.is_next is not None and model.follows is not None:
            # One question a text, as heavy as all its words together: the mean of one, times the count of the other.
            scores = model.follows(model.pooled_output(x, batch.attention_mask))
            total = total + batch.count * F.cross_entropy(scores.float(), 1 - batch.is_next)
        return LossSums(total, plain)

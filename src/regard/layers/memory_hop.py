"""Sentences that are remembered, and one look at them."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Dot, Mask, attend
from regard.attention.biases import Bias
from regard.attention.normalisers import Normaliser
from regard.attention.taps import Taps, active_taps
from regard.shapes import AttentionOutput, Keys, Queries, Values


def sentence_vectors(
    words: Int[Tensor, "sentences words"],
    table: Float[Tensor, "vocabulary *several width"],
    *,
    max_words: int = 0,
    pad: int = 0,
) -> Float[Tensor, "sentences *several width"]:
    """A vector per sentence: the sum of its words' vectors, each weighted by its position: Sukhbaatar et al. 2015, 4.1.

    Of a word at position j of `max_words`, number k of `width` counts 1 + 4 (k/width - 1/2) (j/max_words - 1/2),
    positions and numbers measured at their middles: as their code has it, twice what the paper prints. With `max_words`
    0 every word counts the same, in whatever order. Word `pad` is none. Several tables side by side are read at once.
    """
    is_word = (words != pad).to(table.dtype)
    flat, shape = table.flatten(1), table.shape[1:]
    if not max_words:
        return F.embedding_bag(words, flat, mode="sum", per_sample_weights=is_word).unflatten(-1, shape)
    late = is_word * middles(words.shape[1], max_words, like=table)
    both = F.embedding_bag(words.repeat(2, 1), flat, mode="sum", per_sample_weights=torch.cat([is_word, late]))
    total, bent = both.unflatten(-1, shape).chunk(2)
    return total.addcmul(bent, middles(shape[-1], shape[-1], like=table), value=4)


def middles(count: int, size: int, *, like: Tensor) -> Float[Tensor, "count"]:
    """How far each of `count` positions is along a line of `size` of them, from -1/2 to 1/2."""
    return (torch.arange(count, dtype=like.dtype, device=like.device) + 0.5) / size - 0.5


class MemoryHop(nn.Module):
    """One look at everything that is remembered."""

    taps: Taps = ()

    def forward(
        self,
        query: Queries,
        key: Keys,
        value: Values,
        *,
        mask: Mask | None = None,
        bias: Bias | None = None,
        normaliser: Normaliser | None = None,
    ) -> AttentionOutput:
        taps = active_taps(self.taps) if self.taps else ()
        return attend(query, key, value, score=Dot(1.0), mask=mask, bias=bias, normaliser=normaliser, taps=taps)

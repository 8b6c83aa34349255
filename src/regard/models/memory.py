"""Reads a story several times before it answers: end-to-end memory networks."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.attention import DenseBias, Padding
from regard.attention.normalisers import Normaliser
from regard.config import MemoryNetworkConfig
from regard.config.tying import TYINGS, Tying
from regard.errors import lookup
from regard.layers.memory_hop import MemoryHop, sentence_vectors

Story = Int[Tensor, "batch memories words"]
"""Sentences, oldest first; words and whole sentences may be padding."""
Ages = Int[Tensor, "batch memories"]
"""How many sentences ago each was told; 0 is the last."""
Remembered = Float[Tensor, "batch keys tables copies width"]
"""Every sentence, and nothing, as each of the tables has it."""


class MemoryNetwork(nn.Module):
    """A question looks at a story, takes up what it found, and looks again: Sukhbaatar et al. 2015.

    A memory is found by one vector of its sentence, its key, and gives another, its value. Copies of the net are to
    attention what heads are elsewhere; nothing ever mixes them. They are the last dimension but one of every weight.
    """

    config: MemoryNetworkConfig
    tying: Tying
    embedding: nn.Parameter
    when: nn.Parameter | None
    project: nn.Parameter | None
    hop: nn.ModuleList

    def __init__(self, config: MemoryNetworkConfig) -> None:
        super().__init__()
        self.config = config
        self.tying = tying = lookup(TYINGS, config.tying, "tying")(config.hops)
        each = (config.copies, config.width)
        self.embedding = nn.Parameter(torch.empty(config.vocabulary, tying.tables, *each))
        self.when = nn.Parameter(torch.empty(config.memories, tying.remembering, *each)) if config.memories else None
        self.project = nn.Parameter(torch.empty(config.width, *each)) if config.projects else None
        self.hop = nn.ModuleList(MemoryHop() for _ in range(config.hops))
        for weight in self.parameters():
            nn.init.normal_(weight, std=0.1)

    def forward(
        self,
        story: Story,
        question: Int[Tensor, "batch question_words"],
        *,
        ages: Ages | None = None,
        normaliser: Normaliser | None = None,
    ) -> Float[Tensor, "batch copies vocabulary"]:
        """A score for every word as the answer. Without `ages`, sentences follow each other without a gap.

        `normaliser` is another than softmax, for all hops: a linear start.
        """
        is_sentence = (story != self.config.pad).any(-1)
        mask = Padding(F.pad(is_sentence, (0, int(self.config.empty)), value=True))
        bias = self.empty_bias(is_sentence) if self.config.fills else None
        # Unbound, not indexed: the gradients of all tables are then put together once.
        tables = self.embedding.unbind(1)
        memory = self.memory_vectors(story, is_sentence, ages).transpose(1, 3).unbind(2)
        state = self.encode_sentences(question, tables[self.tying.question])[:, :, None]
        for hop, key, value in zip(self.hop, self.tying.keys, self.tying.values, strict=True):
            output = hop(state, memory[key], memory[value], mask=mask, bias=bias, normaliser=normaliser)
            if self.project is not None:
                state = torch.einsum("bcqi, ico -> bcqo", state, self.project)
            state = state + output
        return torch.einsum("bcqw, vcw -> bcv", state, tables[self.tying.answer])

    def memory_vectors(
        self, story: Story, is_sentence: Bool[Tensor, "batch memories"], ages: Ages | None
    ) -> Remembered:
        """The story, read by all tables at once; what is padding is not read, and is zeros, as nothing is."""
        room = F.pad(is_sentence, (0, int(self.config.empty)))
        vectors = self.encode_sentences(story[is_sentence], self.embedding[:, : self.tying.remembering])
        if self.when is not None:
            if ages is None:
                ages = is_sentence.long().flip(-1).cumsum(-1).flip(-1) - 1
            vectors = vectors + self.when[ages[is_sentence].clamp(0, len(self.when) - 1)]
        everywhere = vectors.new_zeros(room.numel(), *vectors.shape[1:])
        return everywhere.index_copy(0, room.flatten().nonzero()[:, 0], vectors).unflatten(0, room.shape)

    def empty_bias(self, is_sentence: Bool[Tensor, "batch memories"]) -> DenseBias:
        """What the memory of nothing counts more by: with the logarithm on its score, it is so many memories."""
        left = (self.config.memories - is_sentence.sum(-1, keepdim=True)).clamp(min=0).to(self.embedding.dtype).log()
        return DenseBias(torch.cat([torch.zeros_like(is_sentence, dtype=left.dtype), left], -1)[:, None, None])

    def encode_sentences(self, words: Int[Tensor, "sentences words"], table: Tensor) -> Tensor:
        return sentence_vectors(words, table, max_words=self.config.max_words, pad=self.config.pad)

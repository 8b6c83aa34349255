"""Says which words of two texts belong together."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn

from regard.attention import Mask, Padding, Pattern, Window
from regard.config import MaskedAlignerConfig, NormConfig, StackConfig
from regard.layers import Dropout, Embedding, FeedForward, MixtureOfExperts, MultiHead, Output
from regard.models.embedded_stack import EmbeddedStack
from regard.models.parts import build_attention, build_embedding, build_feed_forward, build_norm, build_output
from regard.positions import Position, positions_of
from regard.shapes import AttentionMask, Stream, Tokens


class Guess(NamedTuple):
    """Vectors from which the words of a text are guessed, (batch, length, width), and how much each looked at each word
    of the other text, (batch, length, source length): the rest of a row, up to 1, is at nothing."""

    x: Tensor
    weights: Tensor


class GuessingBlock(nn.Module):
    """Positions ask, and the words themselves answer: no layer puts into a key what others found out about a word.

    With `looks_across` they ask the other text, too.
    """

    words: MultiHead
    words_norm: nn.Module
    cross: MultiHead | None
    cross_norm: nn.Module | None
    feed_forward: FeedForward | MixtureOfExperts
    feed_forward_norm: nn.Module
    dropout: Dropout

    def __init__(self, config: StackConfig, *, looks_across: bool) -> None:
        super().__init__()
        width, norm = config.width, config.norm
        self.words = build_attention(config.attention, width, source_width=width, norm=norm)
        self.words_norm = build_norm(norm, width)
        self.cross = build_attention(config.attention, width, source_width=width, norm=norm) if looks_across else None
        self.cross_norm = build_norm(norm, width) if looks_across else None
        feed_forward = build_feed_forward(config.feed_forward, width)
        assert feed_forward is not None
        self.feed_forward, self.feed_forward_norm = feed_forward, build_norm(norm, width)
        self.dropout = Dropout(config.dropout)

    def forward(self, x: Stream, words: Stream, mask: Mask) -> Stream:
        return self.think(self.ask_words(x, words, mask))

    def ask_words(self, x: Stream, words: Stream, mask: Mask) -> Stream:
        return self.words_norm(x + self.dropout(self.words(x, words, mask=mask)))

    def ask_source(self, x: Stream, source: Tensor, mask: Mask | None) -> tuple[Stream, Tensor]:
        """The stream after a look at the other text, and the weights of that look: the mean of the heads."""
        assert self.cross is not None
        assert self.cross_norm is not None
        query, key, _ = self.cross.projections(x, source, None)
        assert key is not None
        weights = Pattern(query, key, mask=mask).weights().mean(1)
        return self.cross_norm(x + self.dropout(self.cross(x, source, mask=mask))), weights

    def think(self, x: Stream) -> Stream:
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))


class AligningSide(nn.Module):
    """One direction: each word of a text from its other words, and from the other text by one look at the end.

    `nothing` is a key and a value beside those of the other text, for words that have no partner there.
    """

    encoder: EmbeddedStack
    embedding: Embedding
    position: Position
    blocks: nn.ModuleList
    nothing: nn.Parameter
    output: Output

    def __init__(self, config: MaskedAlignerConfig) -> None:
        super().__init__()
        stack, norm = config.reader.stack, config.reader.stack.norm
        self.encoder = EmbeddedStack(config.reader, is_causal=False)
        self.embedding = build_embedding(config.reader.embedding, stack.width, norm)
        self.embedding.table = self.encoder.embedding.table
        self.position = self.encoder.position
        last = config.layers - 1
        self.blocks = nn.ModuleList(GuessingBlock(stack, looks_across=layer == last) for layer in range(config.layers))
        self.nothing = nn.Parameter(torch.zeros(stack.width))
        self.output = build_output(config.output, self.embedding, stack.width, NormConfig())

    def forward(
        self,
        source: Tokens,
        target: Int[Tensor, "batch written"],
        attention_mask: AttentionMask | None = None,
        target_attention_mask: Bool[Tensor, "batch written"] | None = None,
    ) -> Guess:
        """Guess each word of `target`, all at once; padding is guessed like anything else, and means nothing."""
        positions = positions_of(target_attention_mask, target.shape[1], device=target.device)
        words = self.embedding(target, self.position, positions)
        x = self.position.embed(torch.zeros_like(words), positions)
        mask: Mask = ~Window(0, 0)
        mask = mask if target_attention_mask is None else mask & Padding(target_attention_mask)
        nothing = self.nothing.expand(len(source), 1, -1)
        read = torch.cat([nothing, self.encoder(source, attention_mask=attention_mask)], 1)
        source_mask = None
        if attention_mask is not None:
            source_mask = Padding(torch.cat([torch.ones_like(attention_mask[:, :1]), attention_mask], 1))
        *first, last = self.guessing_blocks()
        for block in first:
            x = block(x, words, mask)
        x, weights = last.ask_source(last.ask_words(x, words, mask), read, source_mask)
        return Guess(last.think(x), weights[:, :, 1:])

    def guessing_blocks(self) -> list[GuessingBlock]:
        return [block for block in self.blocks if isinstance(block, GuessingBlock)]


class MaskedAligner(nn.Module):
    """Two directions that learn to agree; where both look at each other, words belong together: Chen et al. 2021."""

    config: MaskedAlignerConfig
    there: AligningSide
    back: AligningSide

    def __init__(self, config: MaskedAlignerConfig) -> None:
        super().__init__()
        self.config = config
        self.there, self.back = AligningSide(config), AligningSide(config)
        if config.shared:
            for embedding in (self.back.encoder.embedding, self.back.embedding):
                embedding.table = self.there.embedding.table
            if config.output.tied:
                self.back.output.weight = self.there.output.weight

    def forward(
        self,
        source: Tokens,
        target: Int[Tensor, "batch written"],
        *,
        attention_mask: AttentionMask | None = None,
        target_attention_mask: Bool[Tensor, "batch written"] | None = None,
    ) -> tuple[Guess, Guess]:
        """The words of the target, guessed with the source in sight, and those of the source with the target."""
        masks = attention_mask, target_attention_mask
        return self.there(source, target, *masks), self.back(target, source, *reversed(masks))

    def agreement(
        self,
        source: Tokens,
        target: Int[Tensor, "batch written"],
        *,
        attention_mask: AttentionMask | None = None,
        target_attention_mask: Bool[Tensor, "batch written"] | None = None,
    ) -> Tensor:
        """How far both directions say that two words belong together, (batch, target, source): the harmonic mean."""
        there, back = self(source, target, attention_mask=attention_mask, target_attention_mask=target_attention_mask)
        one, other = there.weights, back.weights.mT
        return 2 * one * other / (one + other).clamp(min=torch.finfo(one.dtype).tiny)

"""What a model knows in the middle of a text."""

import math
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool
from torch import Tensor, nn

from regard.layers import BlockCache
from regard.shapes import AttentionMask, Stream, Tokens


@dataclass(frozen=True, eq=False)
class DecoderState:
    """The tokens read so far, as keys and values, and the source that is being looked at.

    The caches grow and move in place: a state that was stepped on or selected from is not for use again. Keys and
    values of a source are there once for as many members of the batch in a row as `shared` says: its beams.
    """

    caches: tuple[BlockCache, ...]
    attention_mask: Bool[Tensor, "batch keys"] | None = None  # of the tokens read so far
    source: Stream | None = None  # until its keys and values are in the caches
    source_attention_mask: AttentionMask | None = None
    beams: int = 1

    @property
    def length(self) -> int:
        if not self.caches:  # a model without layers remembers nothing but how much it read
            return 0 if self.attention_mask is None else self.attention_mask.shape[1]
        return self.caches[0].self.length

    def read(self, count: int, attention_mask: AttentionMask | None) -> "DecoderState":
        """The same with `count` more tokens, of which `attention_mask` says which are no padding."""
        either = self.attention_mask if attention_mask is None else attention_mask
        if either is None:
            return self
        rows, device = len(either), either.device
        old = (
            torch.ones(rows, self.length, dtype=torch.bool, device=device)
            if self.attention_mask is None
            else self.attention_mask
        )
        new = torch.ones(rows, count, dtype=torch.bool, device=device) if attention_mask is None else attention_mask
        return replace(self, attention_mask=torch.cat([old, new], 1))

    def without_source(self) -> "DecoderState":
        """The same after the first look at the source: what is needed of it is remembered."""
        return self if self.source is None else replace(self, source=None)

    def select(self, rows: Tensor) -> "DecoderState":
        """Reorder, repeat and drop members of the batch at once."""
        sources, shared = None, self.beams
        if self.caches and (key := self.caches[0].cross.key) is not None:
            sources, shared = source_groups(rows, self.beams, len(key))
        for cache in self.caches:
            cache.select(rows, sources)
        return DecoderState(
            self.caches,
            None if self.attention_mask is None else self.attention_mask[rows],
            None if self.source is None else self.source[rows],
            None if self.source_attention_mask is None else self.source_attention_mask[rows],
            shared,
        )


def source_groups(rows: Tensor, shared: int, count: int) -> tuple[Tensor | None, int]:
    """The sources of these members and how many in a row share each; None: all there are, in their order."""
    sources = rows.cpu() // shared
    _, runs = torch.unique_consecutive(sources, return_counts=True)
    many = math.gcd(*runs.tolist()) or 1
    sources = sources[::many]
    same = len(sources) == count and torch.equal(sources, torch.arange(count))
    return None if same else sources.to(rows.device), many


def pad_left(tokens: Tokens, attention_mask: AttentionMask | None) -> tuple[Tokens, AttentionMask | None]:
    """The same texts with all padding on their left, so that each ends at the last column."""
    if attention_mask is None:
        return tokens, None
    order = attention_mask.int().argsort(dim=-1, stable=True)
    return tokens.gather(-1, order), attention_mask.gather(-1, order)


def decode_step(
    decoder: nn.Module, output: nn.Module, state: DecoderState, tokens: Tokens, attention_mask: AttentionMask | None
) -> tuple[Tensor, DecoderState]:
    """A decoder that looks at a source writes on: the scores of the word that follows, (batch, 1, vocabulary)."""
    tokens, attention_mask = pad_left(tokens, attention_mask)
    state = state.read(tokens.shape[1], attention_mask)
    x = decoder(
        tokens,
        attention_mask=state.attention_mask,
        source=state.source,
        source_attention_mask=state.source_attention_mask,
        caches=state.caches,
    )
    return output(x[:, -1:]), state.without_source()


def empty_caches(layers: int) -> tuple[BlockCache, ...]:
    return tuple(BlockCache() for _ in range(layers))

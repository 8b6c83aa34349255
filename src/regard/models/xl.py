"""A decoder that remembers what it read before: Transformer-XL."""

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.taps import active_taps
from regard.config import XLConfig
from regard.errors import expect
from regard.layers import BlockCache, TransformerBlock
from regard.models.decoder import Decoder
from regard.models.decoder_state import DecoderState
from regard.positions import positions_of
from regard.shapes import AttentionMask, Stream, Tokens

SegmentStates = Float[Tensor, "layers batch _ width"]
"""What went into every layer at the last positions that were read, without a gradient."""


class TransformerXL(Decoder):
    """Segments are read one after the other, each with a memory of those before it: Dai et al. 2019, 3.2 and 3.3.

    A token sees as many positions back as are remembered, no more and no less, wherever segments begin. So reading a
    text whole, in segments, or token by token is the same, and what reaches a token through all layers lies as many
    times further back as there are layers.
    """

    config: XLConfig

    def read(self, tokens: Tokens, memory: SegmentStates | None = None) -> tuple[Stream, SegmentStates]:
        """A vector for every token of the next segment, and what to remember when reading the one after it.

        The gradient ends at the memory, and reaches the weights that make keys and values of it.
        """
        side, most = self.decoder, self.config.memory
        if memory is not None:
            expect("the memory", "layers", len(memory), len(side.stack.blocks))
            expect("the memory", "texts", memory.shape[1], len(tokens))
        x = side.embedding(tokens, side.position, positions_of(None, tokens.shape[1], device=tokens.device))
        mask, states = side.mask(None, side.window), []
        for number, block in enumerate(side.stack.blocks):
            assert isinstance(block, TransformerBlock)
            here = x.detach()
            before = here[:, :0] if memory is None else memory[number].to(x.dtype)
            states.append(torch.cat([before, here], 1)[:, -most:] if most else here[:, :0])
            x = block(x, mask=mask, cache=recalled(block, before))
        return x if side.stack.norm is None else side.stack.norm(x), torch.stack(states)

    def step(
        self, state: DecoderState, tokens: Tokens, attention_mask: AttentionMask | None = None
    ) -> tuple[Tensor, DecoderState]:
        """Read on; what is too far back to be seen again is forgotten, now and then."""
        scores, state = super().step(state, tokens, attention_mask)
        most = self.config.memory
        blocks = (block for block in self.decoder.stack.blocks if isinstance(block, TransformerBlock))
        is_edited = any(active_taps(block.self.taps) for block in blocks)  # by positions in the whole text
        if not most or state.length < 2 * most or is_edited:
            return scores, state
        for cache in state.caches:
            cache.self.keep_last(most)
        return scores, replace(
            state, attention_mask=None if state.attention_mask is None else state.attention_mask[:, -most:]
        )


def recalled(block: TransformerBlock, before: Stream) -> BlockCache | None:
    """Keys and values of what a block is to remember, made with the weights that it has now."""
    if not before.shape[1]:
        return None
    look, cache = block.self, BlockCache()
    _, key, value = look.projections(block.self_norm(before) if block.pre_norm else before, None, None)
    assert key is not None
    assert value is not None
    cache.self.extend(key if look.score is None else look.score.key(key), value)
    return cache

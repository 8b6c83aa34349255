"""One side of a model: tokens in, vectors out."""

from collections.abc import Sequence

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.attention import Causal, Mask, Padding, Window
from regard.config import EmbeddedStackConfig
from regard.errors import ShapeError
from regard.layers import BlockCache, DistanceVectors, Embedding, LocalView, Stack
from regard.models.parts import build_distances, build_embedding, build_position, build_stack
from regard.positions import Position, positions_of
from regard.shapes import Stream, Tokens


class EmbeddedStack(nn.Module):
    """Words with their positions, through a stack. An encoder reads both ways, a decoder (`is_causal`) only back."""

    embedding: Embedding
    position: Position
    local_position: Position | None
    distances: DistanceVectors | None
    stack: Stack
    window: int | None
    is_causal: bool

    def __init__(self, config: EmbeddedStackConfig, *, is_causal: bool, source_width: int | None = None) -> None:
        super().__init__()
        self.embedding = build_embedding(config.embedding, config.stack.width, config.stack.norm)
        self.position = build_position(config.position)
        local = config.local_position
        self.local_position = None if local is None else build_position(local)
        stack, distances = config.stack, config.distances
        self.distances = None if distances is None else build_distances(distances, stack.width, stack.norm)
        self.stack = build_stack(stack, source_width)
        self.window = config.stack.window
        self.is_causal = is_causal

    def forward(
        self,
        tokens: Tokens,
        *,
        attention_mask: Bool[Tensor, "batch keys"] | None = None,
        segments: Int[Tensor, "batch length"] | None = None,
        source: Float[Tensor, "batch source_length source_width"] | None = None,
        source_attention_mask: Bool[Tensor, "batch source_length"] | None = None,
        caches: Sequence[BlockCache] | None = None,
        piece: int | None = None,
    ) -> Stream:
        """`attention_mask` says which tokens are no padding, those in the caches included. With `piece` each block
        reads so many tokens of a text at a time, and needs less memory."""
        if piece is not None and not self.reads_in_pieces(attention_mask, source, caches):
            raise ShapeError("only whole texts without padding are read in pieces, by a decoder that sees no distances")
        cached = caches[0].self.length if caches else 0
        positions = positions_of(attention_mask, tokens.shape[1], start=cached, device=tokens.device)
        has_local = self.window is not None and bool(self.stack.global_layers or self.local_position is not None)
        return self.stack(
            self.embedding(tokens, self.position, positions, segments),
            source,
            mask=self.mask(attention_mask, None if has_local else self.window),
            source_mask=None if source_attention_mask is None else Padding(source_attention_mask),
            bias=self.position.bias(),
            position=self.position,
            positions=positions,
            caches=caches,
            local=self.local_view(attention_mask) if has_local else None,
            distances=None if self.distances is None else self.distances(),
            piece=piece,
        )

    def reads_in_pieces(
        self, attention_mask: Tensor | None, source: Tensor | None, caches: Sequence[BlockCache] | None
    ) -> bool:
        """Whether what comes later can be left for later: nothing looks ahead, and nothing else is looked at."""
        return self.is_causal and self.distances is None and attention_mask is source is caches is None

    def local_view(self, attention_mask: Tensor | None) -> LocalView:
        """What layers with a window see, where some have none."""
        position = self.position if self.local_position is None else self.local_position
        return LocalView(self.mask(attention_mask, self.window), position, position.bias())

    def mask(self, attention_mask: Tensor | None, window: int | None) -> Mask | None:
        """Who may look at whom on this side."""
        parts: list[Mask] = [Causal()] if self.is_causal else []
        parts += [] if window is None else [Window(window - 1, 0 if self.is_causal else window - 1)]
        parts += [] if attention_mask is None else [Padding(attention_mask)]
        mask = None
        for part in parts:
            mask = part if mask is None else mask & part
        return mask

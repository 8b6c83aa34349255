"""Layers of a stack: look around, look at the source, think alone."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from torch import Tensor, nn

from regard.attention import Bias, Cache, Mask
from regard.attention.taps import Taps, active_taps
from regard.attention.tiles import pieces
from regard.errors import ShapeError
from regard.layers.distances import Distances
from regard.layers.dropout import Dropout
from regard.layers.experts import MixtureOfExperts
from regard.layers.feedforward import FeedForward
from regard.layers.multihead import MultiHead, Source
from regard.positions import Position
from regard.shapes import Positions, Stream


@dataclass
class BlockCache:
    """What a block remembers of its own sequence and of the source."""

    self: Cache = field(default_factory=Cache)
    cross: Cache = field(default_factory=Cache)

    def select(self, rows: Tensor, sources: Tensor | None) -> None:
        """From now on these members of the batch, and these sources of theirs; None: the sources stay as they are."""
        self.self.select(rows)
        if sources is not None:
            self.cross.select(sources)


class TransformerBlock(nn.Module):
    """One layer: self-attention, attention to a source if there is one, and a feed-forward layer.

    Each adds to the stream, or takes its place (`is_residual=False`). Post-norm normalises the sum (Vaswani et al.
    2017), pre-norm what goes in (`pre_norm`), and with `output_norm` what comes out is normalised before it is added:
    beside what goes in, by norms of its own, or instead of the sum. `is_parallel`: attention and the feed-forward layer
    read the same stream. Without a feed-forward layer a block is attention alone.
    """

    taps: Taps = ()

    self: MultiHead
    self_norm: nn.Module
    cross: MultiHead | None
    cross_norm: nn.Module | None
    feed_forward: FeedForward | MixtureOfExperts | None
    feed_forward_norm: nn.Module | None
    self_output_norm: nn.Module | None
    cross_output_norm: nn.Module | None
    feed_forward_output_norm: nn.Module | None
    pre_norm: bool
    output_norm: bool
    is_residual: bool
    is_parallel: bool
    dropout: Dropout

    def __init__(
        self,
        attention: MultiHead,
        feed_forward: FeedForward | MixtureOfExperts | None,
        norm: Callable[[], nn.Module],
        *,
        cross: MultiHead | None = None,
        pre_norm: bool = True,
        is_residual: bool = True,
        output_norm: bool = False,
        is_parallel: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.self, self.self_norm = attention, norm()
        self.cross, self.cross_norm = (cross, norm()) if cross is not None else (None, None)
        self.feed_forward, self.feed_forward_norm = (feed_forward, norm()) if feed_forward is not None else (None, None)
        if is_parallel and (cross is not None or not pre_norm or not is_residual):
            raise ShapeError(
                "parts side by side have a norm before each and add to the stream, and none looks at a source"
            )
        has_both = pre_norm and output_norm
        self.self_output_norm = norm() if has_both else None
        self.cross_output_norm = norm() if has_both and cross is not None else None
        self.feed_forward_output_norm = norm() if has_both and feed_forward is not None else None
        self.pre_norm, self.output_norm = pre_norm, output_norm
        self.is_residual, self.is_parallel = is_residual, is_parallel
        self.dropout = Dropout(dropout)

    def forward(
        self,
        x: Stream,
        source: Source | None = None,
        *,
        mask: Mask | None = None,
        source_mask: Mask | None = None,
        bias: Bias | None = None,
        position: Position | None = None,
        positions: Positions | None = None,
        cache: BlockCache | None = None,
        distances: Distances | None = None,
    ) -> Stream:
        if source is not None and self.cross is None:
            raise ShapeError("this block has no attention to a source: give it cross=MultiHead(…), or no source")
        own, across = (cache.self, cache.cross) if cache else (None, None)

        def look(x: Tensor) -> Tensor:
            return self.self(
                x,
                mask=mask,
                bias=bias,
                position=position,
                positions=positions,
                cache=own,
                distances=distances,
            )

        def look_across(x: Tensor) -> Tensor:
            assert self.cross is not None
            return self.cross(x, source, mask=source_mask, positions=positions, cache=across)

        before = x
        x = self.residual(x, look, self.self_norm, self.self_output_norm)
        if self.cross is not None and self.cross_norm is not None:
            x = self.residual(x, look_across, self.cross_norm, self.cross_output_norm)
        if self.feed_forward is not None and self.feed_forward_norm is not None:
            norms = self.feed_forward_norm, self.feed_forward_output_norm
            x = self.residual(x, self.feed_forward, *norms, reads=before if self.is_parallel else None)
        for tap in active_taps(self.taps) if self.taps else ():
            tap.block_output(x)
        return x

    def in_pieces(
        self,
        x: Stream,
        size: int,
        *,
        mask: Mask | None,
        bias: Bias | None,
        position: Position | None,
        positions: Positions | None,
    ) -> Stream:
        """The same for a text that is read from left to right, so many positions at a time: keys and values are as long
        as the text, whatever else is computed as long as a piece. `x` is written over."""
        assert positions is not None
        cache = BlockCache(Cache(capacity=x.shape[1]))
        for rows in pieces(x.shape[1], size):
            here = positions[:, rows]
            x[:, rows] = self(x[:, rows], mask=mask, bias=bias, position=position, positions=here, cache=cache)
        return x

    def residual(
        self,
        x: Tensor,
        part: Callable[[Tensor], Tensor],
        norm: nn.Module,
        output_norm: nn.Module | None = None,
        reads: Tensor | None = None,
    ) -> Tensor:
        """The stream after a part, which reads it, or `reads` instead."""
        reads = x if reads is None else reads
        change = part(norm(reads) if self.pre_norm else reads)
        if self.output_norm:
            change = norm(change) if output_norm is None else output_norm(change)
        change = self.dropout(change)
        x = x + change if self.is_residual else change
        return x if self.pre_norm or self.output_norm else norm(x)


@dataclass(frozen=True)
class LocalView:
    """What layers with a window see, where others see more: a mask, and positions of their own if they have them."""

    mask: Mask | None
    position: Position | None
    bias: Bias | None


class Stack(nn.Module):
    """Blocks on top of each other, and a norm at the end if there is one.

    All layers see the same, unless there is a `local` view, which all but the `global_layers` have.
    """

    blocks: nn.ModuleList
    norm: nn.Module | None
    global_layers: frozenset[int]

    def __init__(
        self, blocks: Sequence[TransformerBlock], norm: nn.Module | None = None, global_layers: Iterable[int] = ()
    ) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(blocks)
        self.norm = norm
        self.global_layers = frozenset(global_layers)

    def forward(
        self,
        x: Stream,
        source: Source | None = None,
        *,
        mask: Mask | None = None,
        source_mask: Mask | None = None,
        bias: Bias | None = None,
        position: Position | None = None,
        positions: Positions | None = None,
        caches: Sequence[BlockCache] | None = None,
        local: LocalView | None = None,
        distances: Distances | None = None,
        piece: int | None = None,
    ) -> Stream:
        """`piece`: each block reads so many positions at a time, see `TransformerBlock.in_pieces`."""
        everywhere = LocalView(mask, position, bias)
        for number, block in enumerate(self.blocks):
            view = everywhere if local is None or number in self.global_layers else local
            if piece is not None:
                assert isinstance(block, TransformerBlock)
                where = {"position": view.position, "positions": positions}
                x = block.in_pieces(x, piece, mask=view.mask, bias=view.bias, **where)
                continue
            x = block(
                x,
                source,
                mask=view.mask,
                source_mask=source_mask,
                bias=view.bias,
                position=view.position,
                positions=positions,
                cache=caches[number] if caches else None,
                distances=distances,
            )
        return x if self.norm is None else self.norm(x)

"""Reductions over the weights, tile by tile. Each takes the tiles of whole rows in any order."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from regard.attention.tiles import Tile
from regard.errors import ShapeError

TEETH = 16  # keys whose maximum stands for them while the best are sought


class TopKeys(NamedTuple):
    """The keys that each query looks at most; -1 where fewer are visible."""

    weights: Tensor  # (batch, heads, queries, k)
    positions: Tensor  # (batch, heads, queries, k)


def top(tiles: Iterable[Tile], out: TopKeys, absent: float) -> TopKeys:
    """Fill in the largest numbers of every row, largest first; `absent` stands where there is no key."""
    k = out.weights.shape[-1]
    out.weights.fill_(-torch.inf)
    for (batch, heads, rows, columns), weights in tiles:
        best, where = largest(weights, min(k, weights.shape[-1]))
        where = torch.where(best != absent, where + columns.start, -1)
        if columns.start:  # strips of the same rows came before
            best = torch.cat([out.weights[batch, heads, rows], best], -1)
            where = torch.cat([out.positions[batch, heads, rows], where], -1)
            best, index = best.topk(k, dim=-1)
            where = where.gather(-1, index)
        out.weights[batch, heads, rows, : best.shape[-1]] = best
        out.positions[batch, heads, rows, : best.shape[-1]] = where
    return TopKeys(out.weights.masked_fill(out.weights == -torch.inf, absent), out.positions)


def largest(weights: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """topk along the last dimension; looks at the maxima of combs of keys first, which spares most of the sorting.

    A comb is every n-th key, so that its maximum is taken number by number over rows of memory.
    """
    size = weights.shape[-1]
    if size < 4 * TEETH * max(k, 1):
        return weights.topk(k, dim=-1)
    combs = size // TEETH
    whole = combs * TEETH
    table = weights[..., :whole].unflatten(-1, (TEETH, combs))
    chosen = table.amax(-2).topk(k, dim=-1, sorted=False).indices  # the k best keys lie in the k best combs
    chosen = chosen[..., None, :].expand(*chosen.shape[:-1], TEETH, k)
    candidates = table.gather(-1, chosen).flatten(-2)
    positions = (chosen + combs * torch.arange(TEETH, device=weights.device)[:, None]).flatten(-2)
    if whole < size:
        rest = torch.arange(whole, size, device=weights.device).expand(*weights.shape[:-1], -1)
        candidates, positions = torch.cat([candidates, weights[..., whole:]], -1), torch.cat([positions, rest], -1)
    best, index = candidates.topk(k, dim=-1)
    return best, positions.gather(-1, index)


How = Literal["mean", "max"]


def pool(tiles: Iterable[Tile], out: Tensor, queries: int, keys: int, how: How) -> Tensor:
    """Fill in a grid of cells (batch, heads, rows, columns), each the mean or the maximum of its region."""
    if how not in ("mean", "max"):
        raise ShapeError(f"cells are pooled by 'mean' or 'max', got {how!r}")
    row_edges, column_edges = edges(queries, out.shape[-2]), edges(keys, out.shape[-1])
    for (batch, heads, rows, columns), weights in tiles:
        inside, where = reduce_cells(weights, column_edges, columns, -1, how)
        inside, lines = reduce_cells(inside, row_edges, rows, -2, how)
        cells = out[batch, heads, lines, where]
        cells.copy_(torch.maximum(cells.clone(), inside) if how == "max" else cells + inside)
    if how == "mean":
        out /= (row_edges.diff()[:, None] * column_edges.diff()).to(out)
    return out


def edges(size: int, cells: int) -> Tensor:
    """Where cells of nearly equal size begin and end."""
    if not 1 <= cells <= size:
        raise ShapeError(f"from 1 to {size} cells can be had of {size} positions, got {cells}")
    return torch.arange(cells + 1) * size // cells


def reduce_cells(weights: Tensor, cuts: Tensor, run: slice, dim: int, how: How) -> tuple[Tensor, slice]:
    """Sums or maxima of the cells that a run of positions touches, and which cells those are."""
    first = int(torch.searchsorted(cuts, run.start, right=True)) - 1
    stop = int(torch.searchsorted(cuts, run.stop))
    bounds = cuts[first : stop + 1].clamp(run.start, run.stop) - run.start
    sizes = bounds.diff()
    size = int(sizes.max())
    if not bool((sizes == size).all()):
        # Shorter cells repeat their last position; a sum takes it once.
        indices = torch.arange(size) + bounds[:-1, None]
        short = indices >= bounds[1:, None]
        index = indices.minimum(bounds[1:, None] - 1).flatten()
        weights = weights.index_select(dim, index.to(weights.device))
        if how == "mean":
            shape = (-1, 1) if dim == -2 else (-1,)
            weights = weights.masked_fill(short.flatten().view(shape).to(weights.device), 0)
    cells = weights.unflatten(dim, (len(sizes), size))
    inner = dim if dim == -1 else -2
    return (cells.amax(inner) if how == "max" else cells.sum(inner)), slice(first, stop)


def entropy(tiles: Iterable[Tile], out: Tensor) -> Tensor:
    """Fill in how widely each query looks, in nats: (batch, heads, queries)."""
    for (batch, heads, rows, _), weights in tiles:
        if weights.requires_grad:  # the gradient of entr is infinite at 0, where a masked weight stands
            each = -weights * torch.where(weights > 0, weights, 1).log()
        else:
            each = torch.special.entr(weights)
        out[batch, heads, rows] += each.sum(-1)
    return out


def received(tiles: Iterable[Tile], out: Tensor) -> Tensor:
    """Add up what each key is given by all queries: (batch, heads, keys)."""
    for (batch, heads, _, columns), weights in tiles:
        out[batch, heads, columns] += weights.sum(-2)
    return out

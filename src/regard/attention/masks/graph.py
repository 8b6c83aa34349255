"""Attention as message passing: a node hears its neighbours."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.attention.masks.mask import Mask
from regard.errors import ShapeError, expect
from regard.shapes import Allowed, Columns, Rows


@dataclass(frozen=True, eq=False, repr=False, init=False)
class GraphMask(Mask):
    """Node i looks at node j where there is an edge from i to j; held as lists of neighbours, not as N x N.

    A node sees itself only if the graph says so.
    """

    starts: Tensor  # (nodes + 1,): where each node's neighbours begin
    neighbours: Tensor  # (edges,)

    def __init__(self, adjacency: Tensor) -> None:
        """From a matrix (nodes, nodes), dense or sparse, that is not zero where there is an edge."""
        if adjacency.ndim != 2 or adjacency.shape[0] != adjacency.shape[1]:
            raise ShapeError(f"GraphMask takes an adjacency of (nodes, nodes), got {tuple(adjacency.shape)}")
        sparse = adjacency if adjacency.layout == torch.sparse_coo else adjacency.to_sparse_coo()
        sparse = sparse.coalesce()
        who, whom = sparse.indices()[:, sparse.values() != 0]
        degrees = torch.bincount(who, minlength=len(adjacency))
        object.__setattr__(self, "starts", torch.cat([degrees.new_zeros(1), degrees.cumsum(0)]))
        object.__setattr__(self, "neighbours", whom)

    @classmethod
    def from_edges(cls, edges: Iterable[tuple[int, int]], nodes: int) -> "GraphMask":
        """From pairs (who looks, at whom)."""
        pairs = torch.tensor(list(edges), dtype=torch.long).reshape(-1, 2)
        outside = ((pairs < 0) | (pairs >= nodes)).any(-1)
        if outside.any():
            raise ShapeError(f"edges join nodes from 0 to {nodes - 1}, got {tuple(pairs[outside][0].tolist())}")
        there = torch.ones(len(pairs), dtype=torch.bool)
        return cls(torch.sparse_coo_tensor(pairs.T, there, (nodes, nodes), check_invariants=True))

    @classmethod
    def example(cls, batch: int = 2, heads: int = 2, queries: int = 5, keys: int = 7) -> "GraphMask":
        """A ring: each node sees itself and the next one."""
        return cls.from_edges([(node, other % keys) for node in range(keys) for other in (node, node + 1)], keys)

    @property
    def nodes(self) -> int:
        return len(self.starts) - 1

    def tile(self, rows: Rows, columns: Columns) -> Allowed:
        starts, stops = self.starts[rows], self.starts[rows + 1]
        counts = stops - starts
        row = torch.repeat_interleave(torch.arange(len(rows), device=rows.device), counts)
        # The n-th edge of the tile is the (n - edges before its row)-th neighbour of that row.
        before = torch.repeat_interleave(starts - (counts.cumsum(0) - counts), counts)
        node = self.neighbours[torch.arange(len(row), device=rows.device) + before]
        column = rows.new_full((self.nodes,), -1)
        column[columns] = torch.arange(len(columns), device=rows.device)
        inside = column[node] >= 0
        allowed = torch.zeros(len(rows), len(columns), dtype=torch.bool, device=rows.device)
        allowed[row[inside], column[node][inside]] = True
        return allowed[None, None]

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        expect("GraphMask", "nodes", self.nodes, keys)
        if queries > self.nodes:
            raise ShapeError(f"GraphMask has {self.nodes} nodes, expected one for each of {queries} queries")

    def __repr__(self) -> str:
        return f"GraphMask({self.nodes} nodes, {len(self.neighbours)} edges)"

"""A graph as a mask, and how far news travels on it."""

from typing import Annotated

import torch
from pydantic import Field

from regard.attention import GraphMask, Pattern, attend
from regard.errors import RegardError
from regard.viewer.learn.lesson import BY_HAND, Lesson, LessonResult, Word, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

Node = Annotated[int, Field(ge=0, lt=8, strict=True)]
Edge = Annotated[tuple[Node, Node], Field(strict=False)]  # JSON has no tuples
CODE = """import torch
from regard.attention import GraphMask, attend

graph = GraphMask.from_edges({edges}, nodes=len({nodes}))
x = torch.eye(len({nodes}))[None, None]  # each node knows only itself
for _ in range({steps}):
    x = attend(torch.zeros_like(x), x, x, mask=graph)
print(x[0, 0])
"""


class GraphRequest(RequestModel):
    nodes: list[Word] = Field(["hub", "a", "b", "c", "alone"], min_length=2, max_length=8)
    edges: list[Edge] = Field(
        [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 0), (2, 2), (2, 0), (3, 3), (3, 2), (4, 4)], max_length=64
    )
    steps: int = Field(1, ge=1, le=6)


def compute(request: GraphRequest, model_store: ModelStore) -> LessonResult:
    count, names = len(request.nodes), request.nodes
    if any(max(edge) >= count for edge in request.edges):
        raise RegardError(f"edges between nodes 0 to {count - 1} expected")
    edges, positions = sorted(set(request.edges)), torch.arange(count)
    graph = GraphMask.from_edges(edges, nodes=count)
    x = start = torch.eye(count)[None, None]  # each node knows only itself
    for _ in range(request.steps):
        x = attend(torch.zeros_like(x), x, x, mask=graph)
    allowed = graph.tile(positions, positions).float().expand(1, 1, count, count)
    weights = Pattern(torch.zeros_like(start), start, mask=graph).weights()
    grids = [
        grid("mask", allowed, names, names, "mask"),
        grid("weights", weights, names, names, "weights"),
        grid("reach", x, names, names, "weights"),
    ]
    return LessonResult(BY_HAND, grids, [])


LESSON = Lesson(GraphRequest, compute, CODE)

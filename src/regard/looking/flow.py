"""How much of every word could reach a token, if weights were pipes."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

import torch

from regard.attention import Pattern
from regard.attention.regions import numbers
from regard.errors import RegardError, TooLarge
from regard.looking.maxflow import Network
from regard.looking.rollout import Rollout, last_side, layers_downwards

LONGEST = 64  # words that are read; a network grows with their square, and is solved once for each


def flow(
    seen: Mapping[str, Pattern], queries: Sequence[int] | None = None, *, residual: float = 0.5, member: int = 0
) -> Rollout:
    """The most that can flow from each word to the last vectors, weights taken as capacities: Abnar, Zuidema 2020, 3.

    The same layers as in `rollout`; shares do not add up to 1, because each word is asked about alone. A network is
    solved for every query and word: for texts of up to 64 words, one member of the batch at a time.
    """
    side, length, _, _ = last_side(seen)
    pipes = Pipes(seen, member, residual)
    last, own, source = pipes.add_side(side, length)
    chosen = numbers(None if queries is None else list(queries), length, "query")
    network = Network(pipes.nodes, pipes.pipes)

    def most(words: Sequence[int]) -> torch.Tensor:
        return torch.tensor([[network.most(last[query], word) for word in words] for query in chosen])[None]

    return Rollout(most(own), most(source) if source else None)


class Pipes:
    """Tokens at every layer as nodes, and who can be reached from whom."""

    def __init__(self, seen: Mapping[str, Pattern], member: int, residual: float) -> None:
        self.seen = seen
        self.member = member
        self.residual = residual
        self.numbers: Iterator[int] = count()
        self.nodes: int = 0
        self.pipes: list[tuple[int, int, float]] = []

    def row(self, length: int) -> list[int]:
        """New nodes, one for each token."""
        if length > LONGEST:
            raise TooLarge(f"flow is for texts of up to {LONGEST} tokens, got {length}: rollout takes any length")
        self.nodes += length
        return [next(self.numbers) for _ in range(length)]

    def add_side(self, side: str, length: int) -> tuple[list[int], list[int], list[int]]:
        """All pipes below the last vectors of a side: the nodes of those, of its words, and of the source's words."""
        last = above = self.row(length)
        source_nodes: list[int] = []
        for pattern, kind in layers_downwards(self.seen, side):
            below = self.row(length)
            if kind == "self":
                self.join(pattern, above, below, below)
            else:
                source_nodes = source_nodes or self.row(pattern.shape[3])
                self.join(pattern, above, below, source_nodes)
            above = below
        source = self.add_encoder(source_nodes) if source_nodes else []
        return last, above, source

    def add_encoder(self, above: list[int]) -> list[int]:
        """The encoder's pipes, below its last vectors."""
        for pattern, _ in layers_downwards(self.seen, "encoder"):
            below = self.row(len(above))
            self.join(pattern, above, below, below)
            above = below
        return above

    def join(self, pattern: Pattern, above: list[int], below: list[int], key_nodes: list[int]) -> None:
        if pattern.shape[2:] != (len(above), len(key_nodes)):
            raise RegardError(f"a look of {pattern.shape[2]} tokens at {pattern.shape[3]} is a step of many")
        weights = (1 - self.residual) * pattern[self.member].mean(0)
        stays = (1 - weights.sum(-1)).tolist()
        for node, same, left, row in zip(above, below, stays, weights.tolist(), strict=True):
            pipes = dict(zip(key_nodes, row, strict=True))
            pipes[same] = pipes.get(same, 0.0) + left
            self.pipes += [(node, end, size) for end, size in pipes.items()]

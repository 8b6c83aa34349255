"""The most that can flow through a network of pipes."""

from collections import deque
from collections.abc import Iterable

TINY = 1e-12  # capacity that is none: what is left of a pipe after sums of floating-point numbers


class Network:
    """Pipes between numbered nodes. Dinic 1970: shortest ways are filled together, then longer ones."""

    def __init__(self, nodes: int, pipes: Iterable[tuple[int, int, float]]) -> None:
        """Pipes are (from, to, capacity)."""
        self.ends: list[int] = []
        self.sizes: list[float] = []
        self.leaving: list[list[int]] = [[] for _ in range(nodes)]
        for begin, end, size in pipes:
            if size > TINY:
                for node, other, capacity in ((begin, end, size), (end, begin, 0.0)):  # the way back is empty
                    self.leaving[node].append(len(self.ends))
                    self.ends.append(other)
                    self.sizes.append(capacity)

    def most(self, source: int, sink: int) -> float:
        """How much flows from one node to another at most."""
        capacity, total = list(self.sizes), 0.0
        if source == sink:
            return float("inf")
        while (levels := self.levels(capacity, source, sink)) is not None:
            tried = [0] * len(self.leaving)
            while pushed := self.push(capacity, levels, tried, source, sink):
                total += pushed
        return total

    def levels(self, capacity: list[float], source: int, sink: int) -> list[int] | None:
        """How many pipes each node is away from the source; None where the sink cannot be reached."""
        distances = [-1] * len(self.leaving)
        distances[source] = 0
        waiting = deque([source])
        while waiting:
            node = waiting.popleft()
            for pipe in self.leaving[node]:
                end = self.ends[pipe]
                if distances[end] < 0 and capacity[pipe] > TINY:
                    distances[end] = distances[node] + 1
                    waiting.append(end)
        return distances if distances[sink] >= 0 else None

    def push(self, capacity: list[float], levels: list[int], tried: list[int], source: int, sink: int) -> float:
        """Fill one shortest way; 0 where there is none left. Pipes that lead nowhere are not tried again."""
        path: list[int] = []
        node = source
        while node != sink:
            pipes = self.leaving[node]
            while tried[node] < len(pipes):
                pipe = pipes[tried[node]]
                if capacity[pipe] > TINY and levels[self.ends[pipe]] == levels[node] + 1:
                    break
                tried[node] += 1
            if tried[node] < len(pipes):
                path.append(pipes[tried[node]])
                node = self.ends[path[-1]]
            elif path:
                node = self.ends[path.pop() ^ 1]
                tried[node] += 1
            else:
                return 0.0
        least = min(capacity[pipe] for pipe in path)
        for pipe in path:
            capacity[pipe] -= least
            capacity[pipe ^ 1] += least
        return least

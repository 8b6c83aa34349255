"""How a beam search came to its answer, for pictures."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class BeamTree:
    """Every token that was in the beam or ended a text, as nodes in the order in which they were written.

    `parents` are numbers of nodes, -1 at the beginning; `scores` the log-probability of all up to the node.
    `leaves` are the nodes at which the hypotheses end, the best first.
    """

    tokens: tuple[int, ...]
    scores: tuple[float, ...]
    parents: tuple[int, ...]
    leaves: tuple[int, ...]

    def path(self, node: int) -> tuple[int, ...]:
        """The nodes from the beginning to this one."""
        nodes = []
        while node >= 0:
            nodes.append(node)
            node = self.parents[node]
        return tuple(reversed(nodes))

    @property
    def winner(self) -> tuple[int, ...]:
        """The nodes of the best hypothesis."""
        return self.path(self.leaves[0]) if self.leaves else ()


@dataclass
class BeamTreeBuilder:
    """A tree while it grows."""

    tokens: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)

    def add(self, parent: int, token: int, score: float) -> int:
        """The number of the new node."""
        self.tokens.append(token)
        self.scores.append(score)
        self.parents.append(parent)
        return len(self.tokens) - 1

    def build(self, leaves: list[int]) -> BeamTree:
        return BeamTree(tuple(self.tokens), tuple(self.scores), tuple(self.parents), tuple(leaves))

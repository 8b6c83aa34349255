"""A number for every head of a model, by one of several judges."""

from collections.abc import Callable
from dataclasses import dataclass

from regard.errors import lookup
from regard.looking import Scores, ablation, confidence, importance, learned_gates
from regard.looking.layer_names import LayerNames
from regard.looking.prune import head_numbers
from regard.pictures import Picture
from regard.tasks.heads.head_data import HeadData
from regard.tasks.task import Task


def by_importance(task: Task, head_data: HeadData, keep: float, by_layer: bool) -> Scores:
    return importance(task.model, head_data.evaluation_set(), by_layer=by_layer)


def by_ablation(task: Task, head_data: HeadData, keep: float, by_layer: bool) -> Scores:
    return ablation(task.model, head_data.evaluation_set())


def by_confidence(task: Task, head_data: HeadData, keep: float, by_layer: bool) -> Scores:
    return confidence(task.model, head_data.evaluation_set(), eos_layers=head_data.eos_layers)


def by_gates(task: Task, head_data: HeadData, keep: float, by_layer: bool) -> Scores:
    return learned_gates(task.model, head_data.evaluation_set(), keep)


JUDGES: dict[str, Callable[[Task, HeadData, float, bool], Scores]] = {
    "importance": by_importance,
    "ablation": by_ablation,
    "confidence": by_confidence,
    "gates": by_gates,
}
SAYS = {
    "importance": "how fast the loss changes as a head is turned down",
    "ablation": "how much the loss rises without a head",
    "confidence": "the mean of a head's largest weight",
    "gates": "how likely a head is to stay where not all may",
}
"""What the numbers of each judge are."""


@dataclass(frozen=True)
class HeadScores:
    """A number for every head: `scores[layer][number]`, by the numbers that heads have in the whole model."""

    by: str
    scores: dict[str, dict[int, float]]

    def ranked(self) -> list[tuple[str, int, float]]:
        """All heads, the highest first."""
        every = [(layer, head, one) for layer, row in self.scores.items() for head, one in row.items()]
        return sorted(every, key=lambda entry: -entry[2])

    def picture(self) -> Picture:
        """Layers from top to bottom, heads from left to right; heads that were taken out are left blank."""
        count = 1 + max(head for row in self.scores.values() for head in row)
        grid = [[row.get(head, float("nan")) for head in range(count)] for row in self.scores.values()]
        title = f"{self.by}: {SAYS[self.by]}"
        return Picture(grid, list(self.scores), [str(head) for head in range(count)], title=title, scale="largest")

    def plain(self) -> dict[str, object]:
        """For JSON."""
        return {"by": self.by, "scores": {layer: [*map(list, row.items())] for layer, row in self.scores.items()}}


def score_heads(
    task: Task, head_data: HeadData, by: str = "importance", *, keep: float = 0.5, by_layer: bool = False
) -> tuple[HeadScores, Scores]:
    """The judge's numbers, for people and as they came. `keep` is for gates alone: the share that may stay."""
    scores = lookup(JUDGES, by, "judge of heads")(task, head_data, keep, by_layer)
    layers = LayerNames(task.model).layers
    named = {
        layer: dict(zip(head_numbers(layers[layer], len(row)), row.tolist(), strict=True))
        for layer, row in scores.items()
    }
    return HeadScores(by, named), scores

"""What changed in where a model looks: between two checkpoints, two texts, or the steps of a training."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import torch

from regard.attention import Pattern
from regard.attention.taps import only_active
from regard.errors import RegardError
from regard.looking import PatternDifference, watch
from regard.looking.diff import require_same_layers, select_heads
from regard.looking.layer_names import LayerNames, attends_to_source, reads_source
from regard.looking.prune import head_numbers
from regard.pictures import Picture
from regard.tasks.evaluation.measures import EvaluationConfig
from regard.tasks.evaluation.translators import TranslationReader
from regard.tasks.inputs import Reading
from regard.tasks.loading import load
from regard.tasks.replay import replay
from regard.tasks.spelling import token_texts
from regard.tasks.task import Task
from regard.tasks.translate import TranslateTask
from regard.training.run.state import CheckpointStore

MISSING = float("nan")


@dataclass(frozen=True)
class WatchedText:
    """A text as a model read it, and what its layers attended to.

    `tokens` are those of the source and the target; `heads` are the numbers that heads have in the whole model.
    """

    seen: Mapping[str, Pattern]
    tokens: tuple[tuple[str, ...], tuple[str, ...]]
    heads: dict[str, tuple[int, ...]]

    def labels(self, layer: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The tokens that ask and those that are looked at."""
        source, target = self.tokens
        if not source:
            return target, target
        return source if reads_source(layer) else target, source if attends_to_source(layer) else target


def watch_text(task: Task, text: str, target: str | None = None) -> WatchedText:
    """Read a text with every layer watched; a translator is given the target, too, or writes it first."""
    reading, names = read(task, text, target)
    with only_active(), watch(task.model) as seen:
        replay(task.model, [reading], task.device)
    layers = LayerNames(task.model).layers
    return WatchedText(seen, names, {layer: head_numbers(layers[layer], seen[layer].shape[1]) for layer in seen})


def read(task: Task, text: str, target: str | None) -> tuple[Reading, tuple[tuple[str, ...], tuple[str, ...]]]:
    """The token numbers of a text, and of what is written about it; and those tokens as text."""
    words = task.tokenizer
    if not isinstance(task, TranslateTask):
        if target is not None:
            raise RegardError(f"{task.checkpoint.folder}: a model that can {task.name} reads one text, and no target")
        ids = words.encode(text, bare=True).ids if task.name == "generate" else task.processor.encode(text).ids
        return Reading((), ids), ((), token_texts(words, ids))
    reader = TranslationReader(task, EvaluationConfig())
    source, out = reader.row(text, task(text).text if target is None else target, "the text")
    reading = Reading(source.tolist(), (task.processor.start(), *out[:-1].tolist()))
    return reading, (token_texts(words, reading.source), token_texts(words.target, reading.target))


@dataclass(frozen=True)
class ReadingDifference:
    """Two readings, layer by layer, of the heads that both models have. What they are called is for pictures."""

    first: WatchedText
    second: WatchedText
    title: str = ""

    def __post_init__(self) -> None:
        require_same_layers(self.first.seen, self.second.seen)

    def heads(self, layer: str) -> list[int]:
        """The heads that there are on both sides, by their numbers in the whole model."""
        return [head for head in self.first.heads[layer] if head in self.second.heads[layer]]

    def difference(self, layer: str) -> PatternDifference:
        """What changed in a layer, for those heads."""
        if layer not in self.first.seen or layer not in self.second.seen:
            raise RegardError(f"no layer {layer!r}: known: {', '.join(self.first.seen)}")
        sides = (
            select_heads(side.seen[layer], [side.heads[layer].index(head) for head in self.heads(layer)])
            for side in (self.first, self.second)
        )
        return PatternDifference(*sides)

    def divergences(self) -> dict[str, list[float | None]]:
        """The divergence of every head in bits, from 0 (nothing changed) to 1 (nothing stayed); None: it is gone."""
        result: dict[str, list[float | None]] = {}
        for layer in self.first.seen:
            by_head = dict(zip(self.heads(layer), self.difference(layer).divergence()[0].tolist(), strict=True))
            count = 1 + max(*self.first.heads[layer], *self.second.heads[layer])
            result[layer] = [by_head.get(head) for head in range(count)]
        return result

    def picture(self) -> Picture:
        """Layers from top to bottom, heads from left to right."""
        rows = self.divergences()
        count = max(map(len, rows.values()))
        grid = [
            [MISSING if divergence is None else divergence for divergence in (*row, *[None] * (count - len(row)))]
            for row in rows.values()
        ]
        return Picture(grid, list(rows), [*map(str, range(count))], title=f"divergence: {self.title}", scale="largest")

    def tile(self, layer: str, head: int) -> Picture:
        """The other's weights less the one's, for one head."""
        difference = self.difference(layer)
        if head not in self.heads(layer):
            raise RegardError(f"{layer} has no head {head} on both sides: {', '.join(map(str, self.heads(layer)))}")
        grid = difference[0, self.heads(layer).index(head)].tolist()
        rows, columns = self.first.labels(layer)
        return Picture(grid, rows, columns, title=layer, part=f"head {head}, {self.title}", scale="difference")


def of_models(first_task: Task, second_task: Task, text: str, target: str | None = None) -> ReadingDifference:
    """One text, read by two models of one tokeniser; a translator's target is what the first one writes, or yours."""
    if target is None and isinstance(first_task, TranslateTask):
        target = first_task(text).text
    first, second = watch_text(first_task, text, target), watch_text(second_task, text, target)
    if first.tokens != second.tokens:
        raise RegardError(
            f"{first_task.checkpoint.folder} and {second_task.checkpoint.folder} cut the text into other tokens: "
            "nothing to compare"
        )
    return ReadingDifference(
        first, second, f"{first_task.checkpoint.folder.name} → {second_task.checkpoint.folder.name}"
    )


def of_texts(task: Task, first_text: str, second_text: str, target: str | None = None) -> ReadingDifference:
    """Two texts of as many tokens, read by one model; both get the same target, what is written about the first."""
    if target is None and isinstance(task, TranslateTask):
        target = task(first_text).text
    readings = watch_text(task, first_text, target), watch_text(task, second_text, target)
    counts = [len(reading.tokens[0] or reading.tokens[1]) for reading in readings]
    if counts[0] != counts[1]:
        raise RegardError(
            f"texts of as many tokens expected, got {counts[0]} and {counts[1]}: change words, not lengths"
        )
    return ReadingDifference(*readings, f"{first_text} → {second_text}")


@dataclass(frozen=True)
class TrainingDrift:
    """How far each layer moved from one saved step of a training to the next: the divergence of every head."""

    steps: tuple[int, ...]
    divergences: tuple[dict[str, list[float | None]], ...]

    def picture(self) -> Picture:
        """Layers from top to bottom, steps from left to right; a cell is the mean of a layer's heads."""
        layers = list(self.divergences[0])
        grid = [
            [
                mean([divergence for divergence in step_divergences[layer] if divergence is not None])
                for step_divergences in self.divergences
            ]
            for layer in layers
        ]
        names = [str(step) for step in self.steps[1:]]
        return Picture(grid, layers, names, title="divergence from the step before", scale="largest")


def of_steps(run: str | Path, text: str, target: str | None = None, *, device: str | None = None) -> TrainingDrift:
    """One text, read by a training run as it was at every step that it kept; one model is in memory at a time."""
    store = CheckpointStore(Path(run) / "checkpoints")
    steps = store.steps()
    if len(steps) < 2:
        raise RegardError(f"{run}: two saved steps or more expected in {store.folder}, got {len(steps)}")
    divergences: list[dict[str, list[float | None]]] = []
    previous: WatchedText | None = None
    for current in readings(store, steps, text, target, device):
        if previous is not None:
            divergences.append(ReadingDifference(previous, current).divergences())
        previous = current
    return TrainingDrift(tuple(steps), tuple(divergences))


def readings(
    store: CheckpointStore, steps: Sequence[int], text: str, target: str | None, device: str | None
) -> Iterator[WatchedText]:
    """The text as read at each step; a translator's target is what the last of them writes."""
    last = load(store.path(steps[-1]), device=device)
    if target is None and isinstance(last, TranslateTask):
        target = last(text).text
    for step in steps:
        with torch.no_grad():
            yield watch_text(load(store.path(step), device=device), text, target)

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
from regard.tasks.load import load
from regard.tasks.replay import Reading, replay
from regard.tasks.spelling import token_texts
from regard.tasks.task import Task
from regard.tasks.translate import TranslateTask
from regard.text import Tokenizer
from regard.training.state import CheckpointStore

MISSING = float("nan")


@dataclass(frozen=True)
class WatchedText:
    """A text as a model read it, and what its layers attended to.

    `tokens` are those of the source and the target; `heads` are the numbers that heads have in the whole model.
    """

    seen: Mapping[str, Pattern]
    tokens: tuple[tuple[str, ...], tuple[str, ...]]
    heads: dict[str, tuple[int, ...]]

    def labels(self, place: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The tokens that ask and those that are looked at."""
        source, target = self.tokens
        if not source:
            return target, target
        return source if reads_source(place) else target, source if attends_to_source(place) else target


def watch_text(task: Task, text: str, target: str | None = None) -> WatchedText:
    """Read a text with every layer watched; a translator is given the target, too, or writes it first."""
    reading, names = read(task, text, target)
    with only_active(), watch(task.model) as seen:
        replay(task.model, [reading], task.device)
    layers = LayerNames(task.model).layers
    return WatchedText(seen, names, {place: head_numbers(layers[place], seen[place].shape[1]) for place in seen})


def read(task: Task, text: str, target: str | None) -> tuple[Reading, tuple[tuple[str, ...], tuple[str, ...]]]:
    """The token numbers of a text, and of what is written about it; and those tokens as text."""
    words = task.tokenizer
    if not isinstance(task, TranslateTask):
        if target is not None:
            raise RegardError(f"{task.checkpoint.folder}: a model that can {task.name} reads one text, and no target")
        ids = words.encode(text, bare=True).ids if task.name == "generate" else task.read(text).ids
        return ((), ids), ((), token_names(words, ids))
    reader = TranslationReader(task, EvaluationConfig())
    source, out = reader.row(text, task(text).text if target is None else target, "the text")
    fed = [reader.start, *out[:-1].tolist()]
    return (source.tolist(), fed), (token_names(words, source.tolist()), token_names(words.target, fed))


def token_names(tokenizer: Tokenizer, ids: Sequence[int]) -> tuple[str, ...]:
    """Token numbers as text."""
    return token_texts(tokenizer, ids)


@dataclass(frozen=True)
class ReadingDifference:
    """Two readings, place by place, of the heads that both models have. What they are called is for pictures."""

    first: WatchedText
    second: WatchedText
    title: str = ""

    def __post_init__(self) -> None:
        require_same_layers(self.first.seen, self.second.seen)

    def heads(self, place: str) -> list[int]:
        """The heads that there are on both sides, by their numbers in the whole model."""
        return [head for head in self.first.heads[place] if head in self.second.heads[place]]

    def difference(self, place: str) -> PatternDifference:
        """What changed at a place, for those heads."""
        if place not in self.first.seen or place not in self.second.seen:
            raise RegardError(f"no place {place!r}: known: {', '.join(self.first.seen)}")
        sides = (
            select_heads(side.seen[place], [side.heads[place].index(head) for head in self.heads(place)])
            for side in (self.first, self.second)
        )
        return PatternDifference(*sides)

    def divergences(self) -> dict[str, list[float | None]]:
        """The divergence of every head in bits, from 0 (nothing changed) to 1 (nothing stayed); None: it is gone."""
        found: dict[str, list[float | None]] = {}
        for place in self.first.seen:
            known = dict(zip(self.heads(place), self.difference(place).divergence()[0].tolist(), strict=True))
            count = 1 + max(*self.first.heads[place], *self.second.heads[place])
            found[place] = [known.get(head) for head in range(count)]
        return found

    def picture(self) -> Picture:
        """Layers from top to bottom, heads from left to right."""
        rows = self.divergences()
        count = max(map(len, rows.values()))
        grid = [
            [MISSING if one is None else one for one in (*row, *[None] * (count - len(row)))] for row in rows.values()
        ]
        return Picture(grid, list(rows), [*map(str, range(count))], title=f"divergence: {self.title}", scale="largest")

    def tile(self, place: str, head: int) -> Picture:
        """The other's weights less the one's, for one head."""
        found = self.difference(place)
        if head not in self.heads(place):
            raise RegardError(f"{place} has no head {head} on both sides: {', '.join(map(str, self.heads(place)))}")
        grid = found[0, self.heads(place).index(head)].tolist()
        rows, columns = self.first.labels(place)
        return Picture(grid, rows, columns, title=place, part=f"head {head}, {self.title}", scale="difference")


def of_models(one: Task, other: Task, text: str, target: str | None = None) -> ReadingDifference:
    """One text, read by two models of one tokeniser; a translator's target is what the first one writes, or yours."""
    if target is None and isinstance(one, TranslateTask):
        target = one(text).text
    first, second = watch_text(one, text, target), watch_text(other, text, target)
    if first.tokens != second.tokens:
        raise RegardError(
            f"{one.checkpoint.folder} and {other.checkpoint.folder} cut the text into other tokens: nothing to compare"
        )
    return ReadingDifference(first, second, f"{one.checkpoint.folder.name} → {other.checkpoint.folder.name}")


def of_texts(task: Task, one: str, other: str, target: str | None = None) -> ReadingDifference:
    """Two texts of as many tokens, read by one model; both get the same target, what is written about the first."""
    if target is None and isinstance(task, TranslateTask):
        target = task(one).text
    readings = watch_text(task, one, target), watch_text(task, other, target)
    counts = [len(reading.tokens[0] or reading.tokens[1]) for reading in readings]
    if counts[0] != counts[1]:
        raise RegardError(
            f"texts of as many tokens expected, got {counts[0]} and {counts[1]}: change words, not lengths"
        )
    return ReadingDifference(*readings, f"{one} → {other}")


@dataclass(frozen=True)
class TrainingDrift:
    """How far each layer moved from one saved step of a training to the next: the divergence of every head."""

    steps: tuple[int, ...]
    divergences: tuple[dict[str, list[float | None]], ...]

    def picture(self) -> Picture:
        """Layers from top to bottom, steps from left to right; a cell is the mean of a layer's heads."""
        places = list(self.divergences[0])
        grid = [
            [mean([one for one in found[place] if one is not None]) for found in self.divergences] for place in places
        ]
        names = [str(step) for step in self.steps[1:]]
        return Picture(grid, places, names, title="divergence from the step before", scale="largest")


def of_steps(run: str | Path, text: str, target: str | None = None, *, device: str | None = None) -> TrainingDrift:
    """One text, read by a training run as it was at every step that it kept; one model is in memory at a time."""
    kept = CheckpointStore(Path(run) / "checkpoints")
    steps = kept.steps()
    if len(steps) < 2:
        raise RegardError(f"{run}: two saved steps or more expected in {kept.folder}, got {len(steps)}")
    moved: list[dict[str, list[float | None]]] = []
    before: WatchedText | None = None
    for now in readings(kept, steps, text, target, device):
        if before is not None:
            moved.append(ReadingDifference(before, now).divergences())
        before = now
    return TrainingDrift(tuple(steps), tuple(moved))


def readings(
    kept: CheckpointStore, steps: Sequence[int], text: str, target: str | None, device: str | None
) -> Iterator[WatchedText]:
    """The text as read at each step; a translator's target is what the last of them writes."""
    last = load(kept.path(steps[-1]), device=device)
    if target is None and isinstance(last, TranslateTask):
        target = last(text).text
    for step in steps:
        with torch.no_grad():
            yield watch_text(load(kept.path(step), device=device), text, target)

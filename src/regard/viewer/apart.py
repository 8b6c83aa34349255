"""A run beside another one, or beside another model that reads the same tokens: how far apart their heads are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.attention import Pattern
from regard.errors import RegardError
from regard.looking import PatternDifference, differences, edit, watch
from regard.looking.layer_names import LayerNames
from regard.looking.prune import head_numbers
from regard.models import Encoder
from regard.tasks import Task
from regard.tasks.changes import Changes, Watched, spelled
from regard.viewer.asking import passed
from regard.viewer.kept import Kept

MISSING = float("nan")


@dataclass(frozen=True, eq=False)
class Beside:
    """What a run is compared with: another run, or a model and its name. All heads, or one head of a place."""

    run: Kept | None = None
    name: str = ""
    model: Task | None = None
    place: str | None = None
    head: int = 0


@dataclass(frozen=True, eq=False)
class Pair:
    """One place of both. `heads` are the numbers that the heads of the difference have in the whole model."""

    place: str
    heads: Sequence[int]
    difference: PatternDifference
    count: int

    def divergences(self) -> Tensor:
        """Of every head in bits, from 0 (nothing changed) to 1 (nothing stayed); not a number where one has lost it."""
        found = torch.full((self.count,), MISSING)
        found[list(self.heads)] = self.difference.divergence()[0].cpu().float()
        return found

    def weights(self, head: int) -> Tensor:
        """How much more of each row goes to each key: (queries, keys)."""
        if head not in self.heads:
            known = ", ".join(map(str, self.heads))
            raise RegardError(f"{self.place} has no head {head} on both sides, only {known or 'none'}")
        return self.difference[0, list(self.heads).index(head)]


Apart = Mapping[str, Pair]
"""Every place of both."""


def between_runs(kept: Kept, before: Kept) -> Apart:
    """What changed since another run of as many tokens."""
    found = differences(before.patterns, kept.patterns)
    return {place: Pair(place, range(one.first.shape[1]), one, one.first.shape[1]) for place, one in found.items()}


def between_models(kept: Kept, name: str, task: Task) -> Apart:
    """What another model does with the tokens of a run, the written ones too, under the same edits."""
    other = watched(task, read_again(kept, name, task))
    one = watched(kept.task, kept.patterns)
    found = Changes(one, other)
    if kept.ask.edits and any(one.heads[place] != other.heads[place] for place in one.heads):
        raise RegardError("one of the models is pruned, and edits count the heads that are left: take the edits back")
    counts = {place: 1 + max(*one.heads[place], *other.heads[place]) for place in one.heads}
    return {place: Pair(place, found.heads(place), found.at(place), counts[place]) for place in counts}


def watched(task: Task, patterns: Mapping[str, Pattern]) -> Watched:
    layers = LayerNames(task.model).layers
    heads = {place: head_numbers(layers[place], pattern.shape[1]) for place, pattern in patterns.items()}
    return Watched(patterns, ((), ()), heads)


@torch.no_grad()
def read_again(kept: Kept, name: str, task: Any) -> dict[str, Pattern]:
    """What the layers of another model look at when it reads, and writes, what the run did."""
    reading, side = kept.found.reading, kept.found.sides[-1]
    if reading is None:
        raise RegardError(f"{kept.ask.model} did not read a text of tokens: {name} cannot read it again")
    kinds = [type(one.model).__name__ for one in (kept.task, task)]
    if kinds[0] != kinds[1]:
        raise RegardError(f"{kept.ask.model} and {name} do not read alike, {kinds[0]} and {kinds[1]}: no heads to pair")
    for ids, words in zip(reading, zip(*map(vocabularies, (kept.task, task)), strict=True), strict=True):
        if spelled(words[0], ids) != spelled(words[1], ids):
            raise RegardError(f"{kept.ask.model} and {name} do not have the same tokens: no words to pair")
    segments = side.segments if isinstance(task.model, Encoder) else None
    with edit(task.model, kept.ask.edits), watch(task.model, *LayerNames(task.model).layers) as seen:
        passed(task, reading, segments)
    return {place: seen[place] for place in seen}


def vocabularies(task: Any) -> tuple[Any, Any]:
    """What spells the source and the target; of a model that reads one text, that text."""
    return task.tokenizer, task.tokenizer.target if task.name == "translate" else task.tokenizer

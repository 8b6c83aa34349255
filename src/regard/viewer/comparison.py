"""A run beside another one, or beside another model that reads the same tokens: how far apart their heads are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.attention import Pattern
from regard.errors import RegardError
from regard.looking import PatternDifference, differences, edit, watch
from regard.looking.layer_names import LayerNames
from regard.looking.prune import head_numbers
from regard.tasks import Task
from regard.tasks.reading_difference import ReadingDifference, WatchedText
from regard.tasks.replay import run_readings
from regard.tasks.spelling import token_texts
from regard.text import Tokenizer
from regard.viewer.finished_run import FinishedRun

MISSING = float("nan")


@dataclass(frozen=True, eq=False)
class Comparison:
    """What a run is compared with: another run, or a model and its name. All heads, or one head of a layer."""

    other_run: FinishedRun | None = None
    model_name: str = ""
    model: Task | None = None
    layer: str | None = None
    head: int = 0


@dataclass(frozen=True, eq=False)
class LayerPair:
    """One layer of both. `heads` are the numbers that the heads of the difference have in the whole model."""

    layer: str
    heads: Sequence[int]
    difference: PatternDifference
    head_count: int

    def divergences(self) -> Tensor:
        """Of every head in bits, from 0 (nothing changed) to 1 (nothing stayed); not a number where one has lost it."""
        by_head = torch.full((self.head_count,), MISSING)
        by_head[list(self.heads)] = self.difference.divergence()[0].cpu().float()
        return by_head

    def weight_difference(self, head: int) -> Tensor:
        """How much more of each row goes to each key: (queries, keys)."""
        if head not in self.heads:
            numbers = ", ".join(map(str, self.heads))
            raise RegardError(f"{self.layer} has no head {head} on both sides, only {numbers or 'none'}")
        return self.difference[0, list(self.heads).index(head)]


LayerPairs = Mapping[str, LayerPair]
"""Every layer of both."""


def compare_runs(run: FinishedRun, other: FinishedRun) -> LayerPairs:
    """What changed since another run of as many tokens."""
    by_layer = differences(other.patterns, run.patterns)
    heads = {layer: difference.first.shape[1] for layer, difference in by_layer.items()}
    return {layer: LayerPair(layer, range(heads[layer]), by_layer[layer], heads[layer]) for layer in by_layer}


def compare_models(run: FinishedRun, name: str, task: Task) -> LayerPairs:
    """What another model does with the tokens of a run, the written ones too, under the same edits."""
    other_watched = watched_text(task, read_again(run, name, task))
    watched = watched_text(run.task, run.patterns)
    comparison = ReadingDifference(watched, other_watched)
    if run.request.edits and any(watched.heads[layer] != other_watched.heads[layer] for layer in watched.heads):
        raise RegardError("one of the models is pruned, and edits count the heads that are left: take the edits back")
    counts = {layer: 1 + max(*watched.heads[layer], *other_watched.heads[layer]) for layer in watched.heads}
    return {
        layer: LayerPair(layer, comparison.heads(layer), comparison.difference(layer), counts[layer])
        for layer in counts
    }


def watched_text(task: Task, patterns: Mapping[str, Pattern]) -> WatchedText:
    layers = LayerNames(task.model).layers
    heads = {layer: head_numbers(layers[layer], pattern.shape[1]) for layer, pattern in patterns.items()}
    return WatchedText(patterns, ((), ()), heads)


@torch.no_grad()
def read_again(run: FinishedRun, name: str, task: Task) -> dict[str, Pattern]:
    """The patterns of another model that reads, and writes, what the run did."""
    reading = run.result.reading
    if reading is None:
        raise RegardError(f"{run.request.model} did not read a text of tokens: {name} cannot read it again")
    kinds = [type(each.model).__name__ for each in (run.task, task)]
    if kinds[0] != kinds[1]:
        raise RegardError(
            f"{run.request.model} and {name} do not read alike, {kinds[0]} and {kinds[1]}: no heads to pair"
        )
    tokenizers = zip(*map(vocabularies, (run.task, task)), strict=True)
    for ids, (own, other) in zip((reading.source, reading.target), tokenizers, strict=True):
        if token_texts(own, ids) != token_texts(other, ids):
            raise RegardError(f"{run.request.model} and {name} do not have the same tokens: no words to pair")
    with edit(task.model, run.request.edits), watch(task.model, *LayerNames(task.model).layers) as seen:
        run_readings(task.model, [reading], task.device)
    return {layer: seen[layer] for layer in seen}


def vocabularies(task: Task) -> tuple[Tokenizer, Tokenizer]:
    """What spells the source and the target; of a model that reads one text, that text."""
    return task.tokenizer, task.tokenizer.target if task.name == "translate" else task.tokenizer

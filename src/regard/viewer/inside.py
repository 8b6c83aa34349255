"""The Inside views: which heads mattered, what flowed where, what each layer would have said, what changed."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from regard.errors import RegardError, lookup
from regard.looking import Exam, differences, edit, importance, rollout
from regard.looking.lens import lens
from regard.viewer.asking import shown
from regard.viewer.grids import fact, grid
from regard.viewer.kept import Kept
from regard.viewer.payload import Fact, Grid, Inside

LONGEST = 1024  # tokens of a run that these can be asked of

Views = tuple[list[Grid], list[Fact]]


def inside(view: str, kept: Kept, other: Kept | None) -> Inside:
    """One view of a run; a difference is from another one."""
    of = lookup(VIEWS, view, "view")
    longest = max(len(side.ids) for side in kept.found.sides)
    if longest > LONGEST:
        raise RegardError(f"{view} can be had of texts of at most {LONGEST} tokens, this one has {longest}")
    grids, facts = of(kept, other)
    return Inside(view=view, grids=grids, facts=facts)


def important(kept: Kept, other: Kept | None) -> Views:
    """How fast the loss of the answer changes as a head is turned down."""
    loss = kept.found.loss
    if loss is None:
        raise RegardError("importance is of an answer whose probability is known: written words, or a label")
    exam = Exam([loss], lambda model, batch: batch.of(model), lambda batch: batch.count)
    with edit(kept.task.model, kept.ask.edits):
        scores = importance(kept.task.model, exam)
    return by_heads("importance", scores), [fact("loss", exam_mean(kept, exam))]


def exam_mean(kept: Kept, exam: Exam) -> float:
    with edit(kept.task.model, kept.ask.edits):
        return exam.mean(kept.task.model)


def rolled(kept: Kept, other: Kept | None) -> Views:
    """How much of every word is in the last vectors, through all layers."""
    found = rollout(kept.patterns)
    rows = kept.found.sides[-1].texts
    grids = [grid("own", found.own[0], rows, rows, "weights")]
    if found.source is not None:
        grids.append(grid("source", found.source[0], rows, kept.found.sides[0].texts, "weights"))
    return grids, []


def seen_early(kept: Kept, other: Kept | None) -> Views:
    """What the model would say if it stopped after each layer."""
    if kept.found.reading is None or kept.task.model.output is None:
        raise RegardError("a lens needs a model that writes words")
    inputs = [torch.tensor([ids], device=kept.task.device) for ids in kept.found.reading if ids]
    with edit(kept.task.model, kept.ask.edits):
        found = lens(kept.task.model, *inputs, k=1)
    side = kept.found.sides[-1]
    tokenizer = kept.task.tokenizer.target if side.name == "target" else kept.task.tokenizer
    layers = [*reversed(found.places)]
    words = found.words[:, 0, :, 0].flip(0).tolist()
    notes = [[shown(side.ids[: place + 1], number, tokenizer) for place, number in enumerate(row)] for row in words]
    chances = grid("chances", found.chances[:, 0, :, 0].flip(0), layers, side.texts, "weights")
    choice = grid("choice", found.choice[:, 0].flip(0), layers, side.texts, "weights")
    settled = grid("settled", found.settled()[0], ["layer"], side.texts)
    return [chances.model_copy(update={"notes": notes}), choice, settled], []


def aligned(kept: Kept, other: Kept | None) -> Views:
    """Which source tokens each written token looked at."""
    found = kept.found.alignment
    if found is None:
        raise RegardError("an alignment is of a model that reads one text and writes another")
    source, target = kept.found.sides
    rows = target.texts[target.given : target.given + len(found.weights)]
    return [grid("alignment", torch.tensor(found.weights), rows, source.texts, "weights")], [fact("place", found.place)]


def changed(kept: Kept, other: Kept | None) -> Views:
    """How far apart the heads of two runs are: Jensen-Shannon divergence of their rows, in bits."""
    if other is None:
        raise RegardError("a difference is from another run: name it as `other`")
    scores = {place: one.divergence()[0] for place, one in differences(kept.patterns, other.patterns).items()}
    return by_heads("divergence", scores), []


def by_heads(name: str, scores: dict[str, Tensor]) -> list[Grid]:
    """A row for each place, a column for each head; places with another number of heads in a grid of their own."""
    counts = dict.fromkeys(len(row) for row in scores.values())
    return [table(name, [place for place in scores if len(scores[place]) == count], scores) for count in counts]


def table(name: str, places: Sequence[str], scores: dict[str, Tensor]) -> Grid:
    rows = torch.stack([scores[place].cpu() for place in places])
    return grid(name, rows, places, [f"head {head}" for head in range(rows.shape[1])])


VIEWS: dict[str, Callable[[Any, Any], Views]] = {
    "importance": important,
    "rollout": rolled,
    "lens": seen_early,
    "alignment": aligned,
    "diff": changed,
}
"""What can be asked of a run beyond its weights."""

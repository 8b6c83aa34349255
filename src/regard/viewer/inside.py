"""The Inside views: which heads mattered, what flowed where, what each layer would have said, what changed."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from regard.errors import RegardError, lookup
from regard.looking import EvaluationSet, edit, importance, rollout
from regard.looking.lens import lens
from regard.models import Encoder
from regard.viewer.apart import Apart, Beside, between_models, between_runs
from regard.viewer.grids import fact, grid
from regard.viewer.kept import Kept
from regard.viewer.payload import Fact, Grid, Inside
from regard.viewer.telling import shown

LONGEST = 1024  # tokens of a run that these can be asked of
WIDEST = 256  # tokens either way of the difference of one head

Views = tuple[list[Grid], list[Fact]]


def inside(view: str, kept: Kept, beside: Beside) -> Inside:
    """One view of a run; a difference is from what is beside it."""
    of = lookup(VIEWS, view, "view")
    longest = max(len(side.ids) for side in kept.found.sides)
    most = LONGEST if beside.place is None else WIDEST
    if longest > most:
        raise RegardError(f"{view} can be had of texts of at most {most} tokens, this one has {longest}")
    grids, facts = of(kept, beside)
    return Inside(view=view, grids=grids, facts=facts)


def important(kept: Kept, beside: Beside) -> Views:
    """How fast the loss of the answer changes as a head is turned down."""
    loss = kept.found.loss
    if loss is None:
        raise RegardError("importance is of an answer whose probability is known: written words, or a label")
    exam = EvaluationSet([loss], lambda model, batch: batch.of(model), lambda batch: batch.count)
    with edit(kept.task.model, kept.ask.edits):
        scores = importance(kept.task.model, exam)
    return by_heads("importance", scores), [fact("loss", exam_mean(kept, exam))]


def exam_mean(kept: Kept, exam: EvaluationSet) -> float:
    with edit(kept.task.model, kept.ask.edits):
        return exam.mean(kept.task.model)


def rolled(kept: Kept, beside: Beside) -> Views:
    """How much of every word is in the last vectors, through all layers."""
    found = rollout(kept.patterns)
    rows = kept.found.sides[-1].texts
    grids = [grid("own", found.own[0], rows, rows, "weights")]
    if found.source is not None:
        grids.append(grid("source", found.source[0], rows, kept.found.sides[0].texts, "weights"))
    return grids, []


def seen_early(kept: Kept, beside: Beside) -> Views:
    """What the model would say if it stopped after each layer: the next word, or, if it fills gaps, the word here."""
    if kept.found.reading is None or kept.task.model.output is None:
        raise RegardError("a lens needs a model that writes words")
    side, device = kept.found.sides[-1], kept.task.device
    is_masked = isinstance(kept.task.model, Encoder)
    more = {"segments": torch.tensor([side.segments], device=device)} if is_masked else {}
    inputs = [torch.tensor([ids], device=device) for ids in kept.found.reading if ids]
    with edit(kept.task.model, kept.ask.edits):
        found = lens(kept.task.model, *inputs, k=1, **more)
    tokenizer = kept.task.tokenizer.target if side.name == "target" else kept.task.tokenizer
    layers = [*reversed(found.blocks)]
    words = found.words[:, 0, :, 0].flip(0).tolist()
    ahead = 0 if is_masked else 1
    notes = [[shown(side.ids[: place + ahead], word, tokenizer) for place, word in enumerate(row)] for row in words]
    chances = grid("chances", found.probabilities[:, 0, :, 0].flip(0), layers, side.texts, "weights")
    choice = grid("choice", found.final_probability[:, 0].flip(0), layers, side.texts, "weights")
    settled = grid("settled", found.settling_layer()[0], ["layer"], side.texts)
    return [chances.model_copy(update={"notes": notes}), choice, settled], []


def aligned(kept: Kept, beside: Beside) -> Views:
    """Which source tokens each written token came from."""
    found = kept.found.alignment
    if found is None:
        raise RegardError("an alignment is of a model that reads one text and writes another")
    source, target = kept.found.sides
    rows = target.texts[target.given : target.given + len(found.weights)]
    return [grid("alignment", torch.tensor(found.weights), rows, source.texts, "weights")], [fact("look", found.look)]


def changed(kept: Kept, beside: Beside) -> Views:
    """How far each head is from what it was in another run."""
    if beside.run is None:
        raise RegardError("a difference is from another run: name it as `other`")
    return moved(kept, beside, between_runs(kept, beside.run))


def compared(kept: Kept, beside: Beside) -> Views:
    """How far each head is from that of another model, which reads the same tokens."""
    if beside.model is None:
        raise RegardError("two models are compared: name the other one as `model`")
    return moved(kept, beside, between_models(kept, beside.name, beside.model))


def moved(kept: Kept, beside: Beside, apart: Apart) -> Views:
    """The divergence of all heads in bits, or the difference of the weights of one."""
    if beside.place is None:
        scores = {place: one.divergences() for place, one in apart.items()}
        return by_heads("divergence", scores), []
    one = lookup(apart, beside.place, "place")
    return [grid("difference", one.weights(beside.head), *names(kept, beside.place))], []


def names(kept: Kept, place: str) -> tuple[list[str], list[str]]:
    """What the rows and columns of a place are called; a row that looks across, by the token that it writes."""
    look, found = kept.found.looks[place], {side.name: side for side in kept.found.sides}
    rows, columns = found[look.rows], found[look.columns].texts
    if look.rows == look.columns:
        return rows.texts, columns
    return [text if after is None else after for text, after in zip(rows.texts, rows.next, strict=True)], columns


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
    "models": compared,
}
"""What can be asked of a run beyond its weights."""

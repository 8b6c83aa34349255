"""The Inside views: which heads mattered, what flowed where, what each layer would have said, what changed."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from regard.errors import RegardError, lookup
from regard.looking import EvaluationSet, edit, importance, rollout
from regard.looking.lens import lens
from regard.models import Encoder
from regard.viewer.apart import Comparison, LayerPairs, compare_models, compare_runs
from regard.viewer.finished_run import FinishedRun
from regard.viewer.grids import fact, grid
from regard.viewer.payload import Fact, Grid, InsidePayload
from regard.viewer.telling import shown

LONGEST = 1024  # tokens of a run that these can be asked of
WIDEST = 256  # tokens either way of the difference of one head

GridsAndFacts = tuple[list[Grid], list[Fact]]


def inside(view: str, kept: FinishedRun, beside: Comparison) -> InsidePayload:
    """One view of a run; a difference is from what is beside it."""
    of = lookup(VIEWS, view, "view")
    longest = max(len(side.ids) for side in kept.result.sides)
    most = LONGEST if beside.layer is None else WIDEST
    if longest > most:
        raise RegardError(f"{view} can be had of texts of at most {most} tokens, this one has {longest}")
    grids, facts = of(kept, beside)
    return InsidePayload(view=view, grids=grids, facts=facts)


def importance_view(kept: FinishedRun, beside: Comparison) -> GridsAndFacts:
    """How fast the loss of the answer changes as a head is turned down."""
    loss = kept.result.loss
    if loss is None:
        raise RegardError("importance is of an answer whose probability is known: written words, or a label")
    exam = EvaluationSet([loss], lambda model, batch: batch.of(model), lambda batch: batch.count)
    with edit(kept.task.model, kept.request.edits):
        scores = importance(kept.task.model, exam)
    return head_tables("importance", scores), [fact("loss", mean_loss(kept, exam))]


def mean_loss(kept: FinishedRun, exam: EvaluationSet) -> float:
    with edit(kept.task.model, kept.request.edits):
        return exam.mean(kept.task.model)


def rollout_view(kept: FinishedRun, beside: Comparison) -> GridsAndFacts:
    """How much of every word is in the last vectors, through all layers."""
    found = rollout(kept.patterns)
    rows = kept.result.sides[-1].texts
    grids = [grid("own", found.own[0], rows, rows, "weights")]
    if found.source is not None:
        grids.append(grid("source", found.source[0], rows, kept.result.sides[0].texts, "weights"))
    return grids, []


def lens_view(kept: FinishedRun, beside: Comparison) -> GridsAndFacts:
    """What the model would say if it stopped after each layer: the next word, or, if it fills gaps, the word here."""
    if kept.result.reading is None or kept.task.model.output is None:
        raise RegardError("a lens needs a model that writes words")
    side, device = kept.result.sides[-1], kept.task.device
    is_masked = isinstance(kept.task.model, Encoder)
    more = {"segments": torch.tensor([side.segments], device=device)} if is_masked else {}
    inputs = [torch.tensor([ids], device=device) for ids in kept.result.reading if ids]
    with edit(kept.task.model, kept.request.edits):
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


def alignment_view(kept: FinishedRun, beside: Comparison) -> GridsAndFacts:
    """Which source tokens each written token came from."""
    found = kept.result.alignment
    if found is None:
        raise RegardError("an alignment is of a model that reads one text and writes another")
    source, target = kept.result.sides
    rows = target.texts[target.prefix_length : target.prefix_length + len(found.weights)]
    return [grid("alignment", torch.tensor(found.weights), rows, source.texts, "weights")], [fact("look", found.heads)]


def run_difference_view(kept: FinishedRun, beside: Comparison) -> GridsAndFacts:
    """How far each head is from what it was in another run."""
    if beside.other_run is None:
        raise RegardError("a difference is from another run: name it as `other`")
    return divergence_view(kept, beside, compare_runs(kept, beside.other_run))


def model_difference_view(kept: FinishedRun, beside: Comparison) -> GridsAndFacts:
    """How far each head is from that of another model, which reads the same tokens."""
    if beside.model is None:
        raise RegardError("two models are compared: name the other one as `model`")
    return divergence_view(kept, beside, compare_models(kept, beside.model_name, beside.model))


def divergence_view(kept: FinishedRun, beside: Comparison, apart: LayerPairs) -> GridsAndFacts:
    """The divergence of all heads in bits, or the difference of the weights of one."""
    if beside.layer is None:
        scores = {place: one.divergences() for place, one in apart.items()}
        return head_tables("divergence", scores), []
    one = lookup(apart, beside.layer, "place")
    return [grid("difference", one.weight_difference(beside.head), *row_and_column_names(kept, beside.layer))], []


def row_and_column_names(kept: FinishedRun, place: str) -> tuple[list[str], list[str]]:
    """What the rows and columns of a place are called; a row that looks across, by the token that it writes."""
    look, found = kept.result.looks[place], {side.name: side for side in kept.result.sides}
    rows, columns = found[look.rows], found[look.columns].texts
    if look.rows == look.columns:
        return rows.texts, columns
    return [text if after is None else after for text, after in zip(rows.texts, rows.next, strict=True)], columns


def head_tables(name: str, scores: dict[str, Tensor]) -> list[Grid]:
    """A row for each place, a column for each head; places with another number of heads in a grid of their own."""
    counts = dict.fromkeys(len(row) for row in scores.values())
    return [head_table(name, [place for place in scores if len(scores[place]) == count], scores) for count in counts]


def head_table(name: str, places: Sequence[str], scores: dict[str, Tensor]) -> Grid:
    rows = torch.stack([scores[place].cpu() for place in places])
    return grid(name, rows, places, [f"head {head}" for head in range(rows.shape[1])])


VIEWS: dict[str, Callable[[Any, Any], GridsAndFacts]] = {
    "importance": importance_view,
    "rollout": rollout_view,
    "lens": lens_view,
    "alignment": alignment_view,
    "diff": run_difference_view,
    "models": model_difference_view,
}
"""What can be asked of a run beyond its weights."""

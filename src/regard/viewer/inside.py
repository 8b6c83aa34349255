"""The Inside views: which heads mattered, what flowed where, what each layer would have said, what changed."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from regard.errors import RegardError, lookup
from regard.looking import EvaluationSet, edit, importance, rollout
from regard.looking.lens import lens
from regard.models import Aligner, Decoder, Encoder, Transformer
from regard.tasks.replay import model_inputs
from regard.viewer.comparison import Comparison, LayerPairs, compare_models, compare_runs
from regard.viewer.finished_run import FinishedRun
from regard.viewer.grids import fact, grid
from regard.viewer.payload import Fact, Grid, InsidePayload
from regard.viewer.token_columns import option_texts

LONGEST = 1024  # tokens of a run that these can be asked of
WIDEST = 256  # tokens either way of the difference of one head

GridsAndFacts = tuple[list[Grid], list[Fact]]


def inside(view: str, run: FinishedRun, comparison: Comparison) -> InsidePayload:
    """One view of a run; a difference is from what is beside it."""
    view_function = lookup(VIEWS, view, "view")
    longest = max(len(side.ids) for side in run.result.sides)
    most = LONGEST if comparison.layer is None else WIDEST
    if longest > most:
        raise RegardError(f"{view} can be had of texts of at most {most} tokens, this one has {longest}")
    grids, facts = view_function(run, comparison)
    return InsidePayload(view=view, grids=grids, facts=facts)


def importance_view(run: FinishedRun, comparison: Comparison) -> GridsAndFacts:
    """How fast the loss of the answer changes as a head is turned down."""
    loss = run.result.loss
    if loss is None:
        raise RegardError("importance is of an answer whose probability is known: written words, or a label")
    evaluation_set = EvaluationSet([loss], lambda model, batch: batch.of(model), lambda batch: batch.count)
    with edit(run.task.model, run.request.edits):
        scores = importance(run.task.model, evaluation_set)
    return head_tables("importance", scores), [fact("loss", mean_loss(run, evaluation_set))]


def mean_loss(run: FinishedRun, evaluation_set: EvaluationSet) -> float:
    with edit(run.task.model, run.request.edits):
        return evaluation_set.mean(run.task.model)


def rollout_view(run: FinishedRun, comparison: Comparison) -> GridsAndFacts:
    """How much of every word is in the last vectors, through all layers."""
    rolled_out = rollout(run.patterns)
    rows = run.result.sides[-1].texts
    grids = [grid("own", rolled_out.own[0], rows, rows, "weights")]
    if rolled_out.source is not None:
        grids.append(grid("source", rolled_out.source[0], rows, run.result.sides[0].texts, "weights"))
    return grids, []


def lens_view(run: FinishedRun, comparison: Comparison) -> GridsAndFacts:
    """What the model would say if it stopped after each layer: the next word, or, if it fills gaps, the word here."""
    reading, model = run.result.reading, None if run.own_task is None else run.own_task.model
    if reading is None or not isinstance(model, Transformer | Aligner | Decoder | Encoder) or model.output is None:
        raise RegardError("a lens needs a model that writes words")
    side, device = run.result.sides[-1], run.task.device
    is_masked = isinstance(model, Encoder)
    inputs, segments = model_inputs(model, reading, device), torch.tensor([side.segments], device=device)
    with edit(model, run.request.edits):
        readings = lens(model, *inputs, k=1, segments=segments) if is_masked else lens(model, *inputs, k=1)
    tokenizer = run.task.tokenizer.target if side.name == "target" else run.task.tokenizer
    layers = [*reversed(readings.blocks)]
    words = readings.words[:, 0, :, 0].flip(0).tolist()
    ahead = 0 if is_masked else 1
    notes = [
        [option_texts(side.ids[: position + ahead], [word], tokenizer)[0] for position, word in enumerate(row)]
        for row in words
    ]
    chances = grid("chances", readings.probabilities[:, 0, :, 0].flip(0), layers, side.texts, "weights")
    choice = grid("choice", readings.final_probability[:, 0].flip(0), layers, side.texts, "weights")
    settled = grid("settled", readings.settling_layer()[0], ["layer"], side.texts)
    return [chances.model_copy(update={"notes": notes}), choice, settled], []


def alignment_view(run: FinishedRun, comparison: Comparison) -> GridsAndFacts:
    """Which source tokens each written token came from."""
    alignment = run.result.alignment
    if alignment is None:
        raise RegardError("an alignment is of a model that reads one text and writes another")
    source, target = run.result.sides
    rows = target.texts[target.prefix_length : target.prefix_length + len(alignment.weights)]
    return [grid("alignment", torch.tensor(alignment.weights), rows, source.texts, "weights")], [
        fact("heads", alignment.heads)
    ]


def run_difference_view(run: FinishedRun, comparison: Comparison) -> GridsAndFacts:
    """How far each head is from what it was in another run."""
    if comparison.other_run is None:
        raise RegardError("a difference is from another run: name it as `other`")
    return divergence_view(run, comparison, compare_runs(run, comparison.other_run))


def model_difference_view(run: FinishedRun, comparison: Comparison) -> GridsAndFacts:
    """How far each head is from that of another model, which reads the same tokens."""
    if comparison.model is None:
        raise RegardError("two models are compared: name the other one as `model`")
    return divergence_view(run, comparison, compare_models(run, comparison.model_name, comparison.model))


def divergence_view(run: FinishedRun, comparison: Comparison, pairs: LayerPairs) -> GridsAndFacts:
    """The divergence of all heads in bits, or the difference of the weights of one."""
    if comparison.layer is None:
        scores = {layer: pair.divergences() for layer, pair in pairs.items()}
        return head_tables("divergence", scores), []
    pair = lookup(pairs, comparison.layer, "layer")
    return [
        grid("difference", pair.weight_difference(comparison.head), *row_and_column_names(run, comparison.layer))
    ], []


def row_and_column_names(run: FinishedRun, layer: str) -> tuple[list[str], list[str]]:
    """What the rows and columns of a layer are called; a row that attends across, by the token that it writes."""
    watched, sides = run.result.layers[layer], {side.name: side for side in run.result.sides}
    rows, columns = sides[watched.rows], sides[watched.columns].texts
    if watched.rows == watched.columns:
        return rows.texts, columns
    return [text if after is None else after for text, after in zip(rows.texts, rows.next, strict=True)], columns


def head_tables(name: str, scores: dict[str, Tensor]) -> list[Grid]:
    """A row for each layer, a column for each head; layers with another number of heads in a grid of their own."""
    counts = dict.fromkeys(len(row) for row in scores.values())
    return [head_table(name, [layer for layer in scores if len(scores[layer]) == count], scores) for count in counts]


def head_table(name: str, layers: Sequence[str], scores: dict[str, Tensor]) -> Grid:
    rows = torch.stack([scores[layer].cpu() for layer in layers])
    return grid(name, rows, layers, [f"head {head}" for head in range(rows.shape[1])])


VIEWS: dict[str, Callable[[FinishedRun, Comparison], GridsAndFacts]] = {
    "importance": importance_view,
    "rollout": rollout_view,
    "lens": lens_view,
    "alignment": alignment_view,
    "diff": run_difference_view,
    "models": model_difference_view,
}
"""What can be asked of a run beyond its weights."""

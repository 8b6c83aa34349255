"""Activation patching: what one run has at a site, put into another; which sites carry the difference.

Causal tracing of Meng et al. 2022; denoising, as Wang et al. 2023 and Heimersheim and Nanda 2024 call it: clean
activations in a corrupted run. Attribution patching (Nanda 2023; Syed et al. 2023) is its first-order estimate.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.regions import numbers
from regard.errors import RegardError, ShapeError, lookup
from regard.looking.activations.listing import Sites, sites
from regard.looking.edit import edit
from regard.looking.edit_fields import Record
from regard.looking.gates import frozen_weights
from regard.looking.runs import Inputs, Metric, measure, run_model
from regard.looking.token_labels import Speller, token_labels
from regard.looking.watch import Seen, watch
from regard.pictures import Picture
from regard.pictures.labelled import LabelledNumbers, LabelledResult, numbered

SITES = {"stream": "stream.before", "heads": "*.head_output", "feed_forward": "feed_forward.output"}
"""What is patched; a row of the grid for each, and a column for each position or head."""
CHECKED = 8  # cells of an estimate that are compared with the exact ones


@dataclass(frozen=True, eq=False)
class PatchGrid(LabelledResult):
    """What a patch does to a metric: 0 where it is as in the corrupted run, 1 where it is as in the clean one.

    `values` are the metrics of the patched runs, a row for each of `sites` (or query), a column for each position, head
    (or key); `tokens` spells those, where a tokeniser was there. `error` is the largest difference between an estimate
    and the exact value among `checked` cells.
    """

    over: str
    values: Float[Tensor, "rows columns"]
    clean: float
    corrupt: float
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    is_exact: bool = True
    error: float = 0.0
    checked: int = 0
    tokens: tuple[str, ...] = ()

    def labelled(self) -> LabelledNumbers:
        rows, columns = self.values.shape
        names = {"heads": ("layer", "head"), "pairs": ("query", "key")}.get(self.over, ("layer", "token"))
        row_labels = self.spelled(self.rows) if self.over == "pairs" else self.rows
        labels = {"heads": (), "pairs": self.spelled(self.columns)}.get(self.over, self.tokens)
        return LabelledNumbers(self.values, (numbered(names[0], rows, row_labels), numbered(names[1], columns, labels)))

    def spelled(self, positions: Sequence[str]) -> tuple[str, ...]:
        """The tokens of pairs, or their positions where nobody spelled them."""
        is_known = self.over == "pairs" and self.tokens
        return tuple(self.tokens[int(position)] for position in positions) if is_known else tuple(positions)

    @property
    def effect(self) -> Float[Tensor, "rows columns"]:
        """The share of the difference between both runs that a patch brings back."""
        gap = self.clean - self.corrupt
        if gap == 0:
            raise RegardError("the metric is the same in both runs: there is no difference to bring back")
        return (self.values - self.corrupt) / gap

    def top(self, k: int = 5) -> list[tuple[str, str, float]]:
        """The patches with the largest effects: row, column, effect."""
        effect = torch.nan_to_num(self.effect)
        best = effect.abs().flatten().topk(min(k, effect.numel())).indices.tolist()
        width = len(self.columns)
        return [(self.rows[i // width], self.columns[i % width], float(effect.flatten()[i])) for i in best]

    def picture(self, columns: Sequence[str] | None = None) -> Picture:
        """The effects, drawn; `columns` may name the tokens."""
        kind = "exact" if self.is_exact else f"attribution patching, error {self.error:.2g}"
        grid = torch.nan_to_num(self.effect).tolist()
        rows, tokens = (tuple(map(str, axis.labels)) for axis in self.labelled().axes)
        return Picture(grid, rows, columns or tokens, f"patching {self.over} ({kind})", scale="difference")

    def show(self, columns: Sequence[str] | None = None) -> Picture:
        """The picture, for a notebook or the terminal."""
        return self.picture(columns)

    def __repr__(self) -> str:
        rows, columns = self.values.shape
        kind = "exact" if self.is_exact else f"estimated, error {self.error:.2g} in {self.checked} cells"
        return f"PatchGrid({self.over}, {rows} x {columns}, {kind}; clean {self.clean:.4g}, corrupt {self.corrupt:.4g})"


def patch(
    model: nn.Module,
    clean: Inputs,
    corrupt: Inputs,
    metric: Metric,
    over: str = "stream",
    *,
    side: str | None = None,
    layers: Sequence[int] | None = None,
    queries: Sequence[int] | None = None,
    keys: Sequence[int] | None = None,
    exact: bool = True,
    checks: int = CHECKED,
    tokenizer: Speller | None = None,
) -> PatchGrid:
    """Run a model on a corrupted input with one activation of the clean one at a time: activation patching, also called
    causal tracing (Meng et al. 2022), interchange intervention or denoising (Wang et al. 2023).

    `metric` makes a number of the logits. `over` is "stream" (each position of the residual stream before each block),
    "heads" (the output of each head, z), "feed_forward" (each position of each MLP output) or "pairs" (the weight that
    a query gives a key, in all heads of `layers`; of these `queries` and `keys` alone, if they are named: then nothing
    is as large as all pairs of a text). `side` is the stack, the decoder if there are two. With `exact=False`,
    attribution patching: two runs and a gradient for all cells; the `checks` largest are compared with their exact
    values. `tokenizer` spells the tokens of the grid.
    """
    known = sites(model)
    side = side or ("decoder" if "decoder" in known.sides else known.sides[0])
    names = patched_sites(known, side, over, layers)
    with torch.no_grad(), watch(model, *names) as seen:
        clean_metric = float(measure(metric, run_model(model, clean)))
    with torch.no_grad():
        corrupt_metric = float(measure(metric, run_model(model, corrupt)))
    if over == "pairs":
        records, rows, columns = pair_patches(seen, names, queries, keys)
    elif queries is not None or keys is not None:
        raise RegardError(f'queries and keys are those of pairs: over="pairs" expected, got {over!r}')
    else:
        records, columns = patches(seen, names, over)
        rows = tuple(names)
    tokens = differing_tokens(*(token_labels(tokenizer, x, known.sides).get(side, ()) for x in (clean, corrupt)))
    grid = PatchGrid(over, torch.empty(0, 0), clean_metric, corrupt_metric, rows, columns, tokens=tokens)
    if not exact:
        return estimate(model, corrupt, metric, seen, replace(grid, is_exact=False), records, checks)
    return replace(grid, values=run_patches(model, corrupt, metric, records))


def differing_tokens(clean: Sequence[str], corrupt: Sequence[str]) -> tuple[str, ...]:
    """The tokens of both inputs: one where they agree, clean|corrupt where not."""
    if len(clean) != len(corrupt):
        return tuple(clean)
    return tuple(one if one == other else f"{one}|{other}" for one, other in zip(clean, corrupt, strict=True))


def patched_sites(known: Sites, side: str, over: str, layers: Sequence[int] | None) -> list[str]:
    """The sites that are patched, or for pairs the layers, in order."""
    pattern = lookup({**SITES, "pairs": "self.pattern"}, over, "kind of patch")
    names = known.match(f"{side}.*.{pattern}")
    if layers is not None:
        chosen = [side + f".{number}." for number in layers]
        names = [name for name in names if name.startswith(tuple(chosen))]
    return names


Cells = list[list[list[Record] | None]]
"""The edits of every cell of a grid; None: a cell that there is nothing to patch in."""


def pair_patches(
    seen: Seen, names: Sequence[str], queries: Sequence[int] | None, keys: Sequence[int] | None
) -> tuple[Cells, tuple[str, ...], tuple[str, ...]]:
    """The edits of the pairs of these queries and keys, and what both are called."""
    patterns = {name.removesuffix(".pattern"): seen[name] for name in names}
    shape = next(iter(patterns.values())).shape
    rows, columns = (
        numbers(chosen, size, name)
        for chosen, size, name in zip((queries, keys), shape[2:], ("query", "key"), strict=True)
    )
    weights = {layer: pattern[:, :, rows, columns] for layer, pattern in patterns.items()}
    cells: Cells = [
        [pair_patch({layer: tile[:, :, i, j] for layer, tile in weights.items()}, query, key)
         for j, key in enumerate(columns)]
        for i, query in enumerate(rows)
    ]  # fmt: skip
    return cells, tuple(map(str, rows)), tuple(map(str, columns))


def patches(seen: Seen, names: Sequence[str], over: str) -> tuple[Cells, tuple[str, ...]]:
    """The edits of every cell, and what the columns are called."""
    cells: Cells = []
    for name in names:
        x = seen.activation(name)
        axis = "heads" if over == "heads" else "positions"
        count = x.shape[1]
        part = [x[:, index : index + 1] for index in range(count)]
        cells.append([[{"do": "replace", "site": name, axis: [index], "value": part[index]}] for index in range(count)])
    return cells, tuple(map(str, range(max(map(len, cells)))))


def pair_patch(weights: dict[str, Tensor], query: int, key: int) -> list[Record] | None:
    """The weight of one pair, (batch, heads), in all layers as it was; None where no layer gives it any."""
    if not any(bool(weight.any()) for weight in weights.values()):
        return None
    pair = {"do": "set_pairs", "queries": [query], "keys": [key]}
    return [{**pair, "layer": layer, "weight": weight[..., None, None]} for layer, weight in weights.items()]


@torch.no_grad()
def run_patches(
    model: nn.Module, inputs: Inputs, metric: Metric, records: Sequence[Sequence[list[Record] | None]]
) -> Float[Tensor, "rows columns"]:
    """The metric under each of these edits, one run for each; NaN where there is nothing to edit."""
    values = torch.full((len(records), max(map(len, records))), torch.nan, dtype=torch.float64)
    with edit(model) as edits:
        for row, line in enumerate(records):
            for column, cell in enumerate(line):
                if cell is None:
                    continue
                edits.clear()
                for record in cell:
                    edits.add(record)
                values[row, column] = measure(metric, run_model(model, inputs)).double()
    return values


def estimate(
    model: nn.Module,
    corrupt: Inputs,
    metric: Metric,
    clean: Seen,
    grid: PatchGrid,
    records: Sequence[Sequence[list[Record] | None]],
    checks: int,
) -> PatchGrid:
    """Attribution patching: the metric's gradient in the corrupted run, times the difference of the activations."""
    if grid.over == "pairs":
        raise RegardError("pairs are patched exactly: attribution patching is over stream, heads or feed_forward")
    with torch.enable_grad(), frozen_weights(model), edit(model) as edits, watch(model, *grid.rows, grad=True) as seen:
        first = clean.activation(grid.rows[0])
        edits.site(grid.rows[0]).add(first.new_zeros(()).requires_grad_())  # the graph begins here
        value = measure(metric, run_model(model, corrupt))
        there = [seen.activation(name) for name in grid.rows]
        gradients = torch.autograd.grad(value, there, allow_unused=True)
    lines = []
    for name, x, gradient in zip(grid.rows, there, gradients, strict=True):
        before = clean.activation(name)
        if before.shape != x.shape:
            raise ShapeError(f"clean and corrupted inputs of one shape expected, got {before.shape} and {x.shape}")
        gained = (before - x.detach()) * (torch.zeros_like(x) if gradient is None else gradient)
        lines.append(gained.sum((0, 2, 3) if gained.ndim == 4 else (0, 2)))
    values = torch.stack(lines).double() + grid.corrupt
    largest = (values - grid.corrupt).abs().flatten().topk(min(checks, values.numel())).indices.tolist()
    cells = [(index // values.shape[1], index % values.shape[1]) for index in largest]
    if not cells:
        return replace(grid, values=values, error=float("nan"))
    exact = run_patches(model, corrupt, metric, [[records[row][column]] for row, column in cells])[:, 0]
    error = float((exact - torch.stack([values[cell] for cell in cells])).abs().max())
    return replace(grid, values=values, error=error, checked=len(cells))

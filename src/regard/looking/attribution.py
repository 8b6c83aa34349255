"""Which tokens made this output: gradient x input, integrated gradients, attention gradients, occlusion, leave-one-out.

A new method is a function and a line in ATTRIBUTION_METHODS.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.errors import RegardError, lookup
from regard.looking.activations.listing import sites
from regard.looking.edit import edit
from regard.looking.gates import frozen_weights
from regard.looking.layer_names import LayerNames, attends_to_source
from regard.looking.runs import Inputs, Metric, measure, run_model
from regard.looking.token_labels import Speller, spell, token_labels
from regard.looking.watch import watch
from regard.pictures import Picture
from regard.pictures.labelled import LabelledNumbers, LabelledResult, NamedAxis, numbered

STEPS = 32
SideTokens = dict[str, tuple[str, ...]]
"""The tokens of every stack, spelled."""
OutputToken = tuple[int | None, int]
"""A position of the logits, or None where they are of a whole text, and a token or label."""
Scores = dict[str, Float[Tensor, "batch length"]]
"""A number for every token, by the stack that reads it."""


MethodResult = tuple[Scores, float | None]
"""Scores, and what these should sum to if they should."""


@dataclass(frozen=True, eq=False)
class TokenAttribution(LabelledResult):
    """How much each token gave to a number: `scores["encoder"]` those of the source, `scores["decoder"]` of the prefix.

    `convergence` is how far the scores are from summing to what they explain, for methods that say they do. `tokens`
    spells those of the first text, where a tokeniser was there.
    """

    method: str
    scores: Scores
    value: float
    convergence: float | None = None
    tokens: SideTokens = field(default_factory=dict)

    def labelled(self) -> LabelledNumbers:
        values = torch.cat([*self.scores.values()], 1)
        lengths = {side: scores.shape[1] for side, scores in self.scores.items()}
        names = column_names(lengths, self.tokens if len(values) == 1 else {})
        return LabelledNumbers(values, (numbered("batch", len(values)), NamedAxis("token", names)))

    def picture(self, batch: int = 0, **tokens: Sequence[str]) -> Picture:
        """A row of the tokens of every stack; `encoder=` and `decoder=` may name them."""
        spelled = {**(self.tokens if batch == 0 else {}), **{side: tuple(names) for side, names in tokens.items()}}
        columns = column_names({side: scores.shape[1] for side, scores in self.scores.items()}, spelled)
        grid = torch.cat([scores[batch] for scores in self.scores.values()]).tolist()
        return Picture([grid], [f"{self.value:.3g}"], columns, self.method, scale="difference")

    def show(self, batch: int = 0, **tokens: Sequence[str]) -> Picture:
        return self.picture(batch, **tokens)

    def __repr__(self) -> str:
        counts = ", ".join(f"{scores.shape[1]} of the {side}" for side, scores in self.scores.items())
        converged = "" if self.convergence is None else f", convergence {self.convergence:.1e}"
        return f"TokenAttribution({self.method} of {self.value:.4g} to {counts}{converged})"


def attribute(
    model: nn.Module,
    inputs: Inputs,
    metric: Metric,
    method: str = "integrated_gradients",
    *,
    steps: int = STEPS,
    tokenizer: Speller | None = None,
) -> TokenAttribution:
    """How much each input token gave to a number made of the logits: feature attribution, saliency.

    `method` is "gradient_x_input", "integrated_gradients" (Sundararajan et al. 2017, from a baseline of zeros, in so
    many `steps`), "attention_gradient" (weights times their gradient, Barkan et al. 2021), "occlusion" (a token's
    embedding is zero) or "leave_one_out" (nobody sees the token). `tokenizer` spells the tokens of the result.
    """
    (result,) = attribute_all(model, inputs, [metric], method, steps)
    return replace(result, tokens=token_labels(tokenizer, inputs, [*result.scores]))


def attribute_all(
    model: nn.Module, inputs: Inputs, metrics: Sequence[Metric], method: str, steps: int
) -> list[TokenAttribution]:
    """`attribute` for several numbers, which share every run of the model."""
    function = lookup(ATTRIBUTION_METHODS, method, "attribution method")
    run = AttributedRun(model, inputs, metrics)
    results = []
    for (scores, total), value in zip(function(run, steps), run.values, strict=True):
        summed = float(sum(part.sum() for part in scores.values()))
        results.append(TokenAttribution(method, scores, value, None if total is None else abs(total - summed)))
    return results


def column_names(lengths: dict[str, int], tokens: SideTokens) -> tuple[str, ...]:
    """A name for every token of every stack: its word, or its side and number."""
    return tuple(
        name
        for side, length in lengths.items()
        for name in (
            tokens[side] if len(tokens.get(side, ())) == length else [f"{side} {number}" for number in range(length)]
        )
    )


class AttributedRun:
    """A model, what it reads and the numbers that are explained, with the embeddings that it has."""

    def __init__(self, model: nn.Module, inputs: Inputs, metrics: Sequence[Metric]) -> None:
        self.model = model
        self.inputs: Inputs = inputs
        self.metrics: Sequence[Metric] = metrics
        names = [name for name in sites(model) if name.endswith(".embedding")]
        if not names:
            raise RegardError(f"{type(model).__name__} has no table of tokens that is known")
        with torch.no_grad(), watch(model, *names) as seen:
            self.values: list[float] = [float(value) for value in self.measure()]
        self.embeddings: dict[str, Tensor] = {name.partition(".")[0]: seen.activation(name) for name in names}

    def measure(self) -> list[Tensor]:
        """The numbers, of one run of the model."""
        logits = run_model(self.model, self.inputs)
        return [measure(metric, logits) for metric in self.metrics]

    def measure_at(self, embeddings: dict[str, Tensor]) -> list[Tensor]:
        """The numbers with other embeddings."""
        with edit(self.model) as edits:
            for side, x in embeddings.items():
                edits.site(f"{side}.embedding").set(x)
            return self.measure()

    def gradients(self, embeddings: dict[str, Tensor]) -> list[dict[str, Tensor]]:
        """The gradient of each of the numbers for every embedding: one pass forward, one back for each."""
        leaves = {side: x.detach().clone().requires_grad_() for side, x in embeddings.items()}
        with torch.enable_grad(), frozen_weights(self.model):
            return [gradients_for(value, leaves) for value in self.measure_at(leaves)]


def gradients_for(value: Tensor, leaves: dict[str, Tensor]) -> dict[str, Tensor]:
    """The gradient of a number for some tensors, zeros where it does not depend on one; the graph stays."""
    gradients = torch.autograd.grad(value, [*leaves.values()], allow_unused=True, retain_graph=True)
    pairs = zip(leaves.items(), gradients, strict=True)
    return {name: torch.zeros_like(x) if gradient is None else gradient for (name, x), gradient in pairs}


def gradient_x_input(run: AttributedRun, steps: int) -> list[MethodResult]:
    return [
        ({side: (x * gradients[side]).sum(-1) for side, x in run.embeddings.items()}, None)
        for gradients in run.gradients(run.embeddings)
    ]


def integrated_gradients(run: AttributedRun, steps: int) -> list[MethodResult]:
    """Gauss-Legendre quadrature along the way from zeros."""
    points, weights = np.polynomial.legendre.leggauss(steps)
    totals = [{side: torch.zeros_like(x) for side, x in run.embeddings.items()} for _ in run.metrics]
    for point, weight in zip((points + 1) / 2, weights / 2, strict=True):
        gradients = run.gradients({side: x * float(point) for side, x in run.embeddings.items()})
        totals = [
            {side: x + float(weight) * gradient[side] for side, x in total.items()}
            for total, gradient in zip(totals, gradients, strict=True)
        ]
    with torch.no_grad():
        nothing = run.measure_at({side: torch.zeros_like(x) for side, x in run.embeddings.items()})
    return [
        ({side: (x * total[side]).sum(-1) for side, x in run.embeddings.items()}, value - float(base))
        for total, value, base in zip(totals, run.values, nothing, strict=True)
    ]


def attention_gradient(run: AttributedRun, steps: int) -> list[MethodResult]:
    """Of all layers and heads, the weight of every pair times its gradient, added up for each key."""
    layers = list(LayerNames(run.model).layers)
    with torch.no_grad(), watch(run.model, *layers) as seen:
        run_model(run.model, run.inputs)
    leaves = {layer: seen[layer].weights().detach().requires_grad_() for layer in layers}
    with torch.enable_grad(), frozen_weights(run.model), edit(run.model) as edits:
        for layer, weights in leaves.items():
            edits.head(layer, range(weights.shape[1])).set(weights)
        gradients = [gradients_for(value, leaves) for value in run.measure()]
    results: list[MethodResult] = []
    for gradient in gradients:
        scores = {side: torch.zeros_like(x[..., 0]) for side, x in run.embeddings.items()}
        for layer, weights in leaves.items():
            side = "encoder" if attends_to_source(layer) else "decoder"
            by_key = (weights.detach() * gradient[layer]).sum((1, 2))
            scores[side] = scores[side] + by_key if side in scores else by_key  # frames of sound have no table
        results.append((scores, None))
    return results


@torch.no_grad()
def occlusion(run: AttributedRun, steps: int, *, hides: bool = False) -> list[MethodResult]:
    """The number, less what it is where one token's embedding is zero, or where nobody sees it."""
    results: list[MethodResult] = [({}, None) for _ in run.metrics]
    with edit(run.model) as edits:
        for side, x in run.embeddings.items():
            columns = []
            for position in range(x.shape[1]):
                edits.clear()
                if hides:
                    edits.hide(source=[position]) if side == "encoder" else edits.hide(target=[position])
                else:
                    edits.site(f"{side}.embedding", positions=[position]).zero()
                columns.append([float(value) for value in run.measure()])
            changes = torch.tensor(run.values)[:, None] - torch.tensor(columns).T  # (numbers, positions)
            for (scores, _), row in zip(results, changes, strict=True):
                scores[side] = row.to(x.dtype).expand(len(x), -1) / len(x)
    return results


AttributionMethod = Callable[[AttributedRun, int], list[MethodResult]]
ATTRIBUTION_METHODS: dict[str, AttributionMethod] = {
    "gradient_x_input": gradient_x_input,
    "integrated_gradients": integrated_gradients,
    "attention_gradient": attention_gradient,
    "occlusion": occlusion,
    "leave_one_out": partial(occlusion, hides=True),
}
"""Ways to tell which tokens made some numbers, each with its own scores."""


@dataclass(frozen=True, eq=False)
class OutputAttribution(LabelledResult):
    """How much each input token gave to the log-probability of each output token: a grid for every stack.

    `convergence` is the largest distance of a row from what it explains, for methods whose scores sum to that. `tokens`
    and `outputs` spell columns and rows, where a tokeniser was there.
    """

    method: str
    grids: dict[str, Float[Tensor, "outputs _"]]
    convergence: float | None = None
    tokens: SideTokens = field(default_factory=dict)
    outputs: tuple[str, ...] = ()

    def labelled(self) -> LabelledNumbers:
        values = torch.cat([*self.grids.values()], 1)
        names = column_names({side: grid.shape[1] for side, grid in self.grids.items()}, self.tokens)
        return LabelledNumbers(values, (numbered("output", len(values), self.outputs), NamedAxis("token", names)))

    def picture(self, side: str | None = None, outputs: Sequence[str] = (), tokens: Sequence[str] = ()) -> Picture:
        """A row for every output token, a column for every token of a stack: the source, if there is one."""
        side = side or next(iter(self.grids))
        grid = self.grids[side].tolist()
        rows, columns = outputs or self.outputs or None, tokens or self.tokens.get(side) or None
        return Picture(grid, rows, columns, f"{self.method} of the {side}", scale="difference")

    def __repr__(self) -> str:
        rows = len(next(iter(self.grids.values())))
        counts = ", ".join(f"{grid.shape[1]} of the {side}" for side, grid in self.grids.items())
        converged = "" if self.convergence is None else f", convergence {self.convergence:.1e}"
        return f"OutputAttribution({self.method} of {rows} outputs to {counts}{converged})"

    def show(self, side: str | None = None, outputs: Sequence[str] = (), tokens: Sequence[str] = ()) -> Picture:
        return self.picture(side, outputs, tokens)


def attribute_outputs(
    model: nn.Module,
    inputs: Inputs,
    outputs: Sequence[OutputToken],
    method: str = "integrated_gradients",
    *,
    steps: int = STEPS,
    batch: int = 0,
    tokenizer: Speller | None = None,
) -> OutputAttribution:
    """`attribute` for several output tokens, each a position of the logits and a token: a translation word by word, a
    text as it goes on, a masked word; or (None, label) where the logits are those of the labels of a text."""

    def log_probability(position: int | None, token: int, logits: Tensor) -> Tensor:
        scores = logits[batch] if position is None else logits[batch, position]
        return scores.log_softmax(-1)[token] if len(scores) > 1 else scores[token]

    metrics = [partial(log_probability, position, token) for position, token in outputs]
    results = attribute_all(model, inputs, metrics, method, steps)
    grids = {side: torch.stack([result.scores[side][batch] for result in results]) for side in results[0].scores}
    distances = [result.convergence for result in results if result.convergence is not None]
    names = () if tokenizer is None else spell(tokenizer, [token for _, token in outputs])
    tokens = token_labels(tokenizer, inputs, [*grids], batch)
    return OutputAttribution(method, grids, max(distances) if distances else None, tokens, names)

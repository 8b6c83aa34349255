"""Which tokens made this output: gradient x input, integrated gradients, attention gradients, occlusion, leave-one-out.

A new method is a function and a line in ATTRIBUTION_METHODS.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from regard.looking.watch import watch
from regard.pictures import Picture

STEPS = 32
Scores = dict[str, Float[Tensor, "batch length"]]
"""A number for every token, by the stack that reads it."""


@dataclass(frozen=True, eq=False)
class TokenAttribution:
    """How much each token gave to a number: `scores["encoder"]` those of the source, `scores["decoder"]` of the prefix.

    `convergence` is how far the scores are from summing to what they explain, for methods that say they do.
    """

    method: str
    scores: Scores
    value: float
    convergence: float | None = None

    def picture(self, batch: int = 0, **tokens: Sequence[str]) -> Picture:
        """A row of the tokens of every stack; `encoder=` and `decoder=` may name them."""
        columns = [f"{side} {i}" if side not in tokens else tokens[side][i] for side in self.scores
                   for i in range(self.scores[side].shape[1])]  # fmt: skip
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
) -> TokenAttribution:
    """How much each input token gave to a number made of the logits: feature attribution, saliency.

    `method` is "gradient_x_input", "integrated_gradients" (Sundararajan et al. 2017, from a baseline of zeros, in so
    many `steps`), "attention_gradient" (weights times their gradient, Barkan et al. 2021), "occlusion" (a token's
    embedding is zero) or "leave_one_out" (nobody sees the token).
    """
    function = lookup(ATTRIBUTION_METHODS, method, "attribution method")
    run = AttributedRun(model, inputs, metric)
    scores, total = function(run, steps)
    summed = float(sum(part.sum() for part in scores.values()))
    return TokenAttribution(method, scores, run.value, None if total is None else abs(total - summed))


class AttributedRun:
    """A model, what it reads and the number that is explained, with the embeddings that it has."""

    def __init__(self, model: nn.Module, inputs: Inputs, metric: Metric) -> None:
        self.model = model
        self.inputs: Inputs = inputs
        self.metric: Metric = metric
        names = [name for name in sites(model) if name.endswith(".embedding")]
        if not names:
            raise RegardError(f"{type(model).__name__} has no table of tokens that is known")
        with torch.no_grad(), watch(model, *names) as seen:
            self.value: float = float(measure(metric, run_model(model, inputs)))
        self.embeddings: dict[str, Tensor] = {name.partition(".")[0]: seen.activation(name) for name in names}

    def measure_at(self, embeddings: dict[str, Tensor]) -> Tensor:
        """The number with other embeddings."""
        with edit(self.model) as edits:
            for side, x in embeddings.items():
                edits.site(f"{side}.embedding").set(x)
            return measure(self.metric, run_model(self.model, self.inputs))

    def gradients(self, embeddings: dict[str, Tensor]) -> dict[str, Tensor]:
        """The gradient of the number for every embedding."""
        leaves = {side: x.detach().clone().requires_grad_() for side, x in embeddings.items()}
        with torch.enable_grad(), frozen_weights(self.model):
            value = self.measure_at(leaves)
            gradients = torch.autograd.grad(value, [*leaves.values()], allow_unused=True)
        both = zip(leaves.items(), gradients, strict=True)
        return {side: torch.zeros_like(x) if gradient is None else gradient for (side, x), gradient in both}


def gradient_x_input(run: AttributedRun, steps: int) -> tuple[Scores, float | None]:
    gradients = run.gradients(run.embeddings)
    return {side: (x * gradients[side]).sum(-1) for side, x in run.embeddings.items()}, None


def integrated_gradients(run: AttributedRun, steps: int) -> tuple[Scores, float | None]:
    """Gauss-Legendre quadrature along the way from zeros."""
    points, weights = np.polynomial.legendre.leggauss(steps)
    total = {side: torch.zeros_like(x) for side, x in run.embeddings.items()}
    for point, weight in zip((points + 1) / 2, weights / 2, strict=True):
        gradients = run.gradients({side: x * float(point) for side, x in run.embeddings.items()})
        total = {side: x + float(weight) * gradients[side] for side, x in total.items()}
    with torch.no_grad():
        nothing = float(run.measure_at({side: torch.zeros_like(x) for side, x in run.embeddings.items()}))
    return {side: (x * total[side]).sum(-1) for side, x in run.embeddings.items()}, run.value - nothing


def attention_gradient(run: AttributedRun, steps: int) -> tuple[Scores, float | None]:
    """Of all layers and heads, the weight of every pair times its gradient, added up for each key."""
    layers = list(LayerNames(run.model).layers)
    with torch.no_grad(), watch(run.model, *layers) as seen:
        run_model(run.model, run.inputs)
    leaves = {layer: seen[layer].weights().detach().requires_grad_() for layer in layers}
    with torch.enable_grad(), frozen_weights(run.model), edit(run.model) as edits:
        for layer, weights in leaves.items():
            edits.head(layer, range(weights.shape[1])).set(weights)
        value = measure(run.metric, run_model(run.model, run.inputs))
        gradients = torch.autograd.grad(value, [*leaves.values()], allow_unused=True)
    scores = {side: torch.zeros_like(x[..., 0]) for side, x in run.embeddings.items()}
    for (layer, weights), gradient in zip(leaves.items(), gradients, strict=True):
        if gradient is not None:
            side = "encoder" if attends_to_source(layer) else "decoder"
            scores[side] = scores[side] + (weights.detach() * gradient).sum((1, 2))
    return scores, None


def occlusion(run: AttributedRun, steps: int, *, hides: bool = False) -> tuple[Scores, float | None]:
    """The number, less what it is where one token's embedding is zero, or where nobody sees it."""
    scores = {}
    for side, x in run.embeddings.items():
        columns = []
        for position in range(x.shape[1]):
            with torch.no_grad(), edit(run.model) as edits:
                if hides:
                    edits.hide(source=[position]) if side == "encoder" else edits.hide(target=[position])
                else:
                    edits.site(f"{side}.embedding", positions=[position]).zero()
                columns.append(run.value - float(measure(run.metric, run_model(run.model, run.inputs))))
        scores[side] = torch.tensor(columns, dtype=x.dtype).expand(len(x), -1) / len(x)
    return scores, None


AttributionMethod = Callable[[AttributedRun, int], tuple[Scores, float | None]]
ATTRIBUTION_METHODS: dict[str, AttributionMethod] = {
    "gradient_x_input": gradient_x_input,
    "integrated_gradients": integrated_gradients,
    "attention_gradient": attention_gradient,
    "occlusion": occlusion,
    "leave_one_out": partial(occlusion, hides=True),
}
"""Ways to tell which tokens made a number; each gives scores, and what these should sum to if they should."""


@dataclass(frozen=True, eq=False)
class OutputAttribution:
    """How much each input token gave to the log-probability of each output token: a grid for every stack."""

    method: str
    grids: dict[str, Float[Tensor, "outputs length"]]
    convergence: float | None = None

    def picture(self, side: str | None = None, outputs: Sequence[str] = (), tokens: Sequence[str] = ()) -> Picture:
        """A row for every output token, a column for every token of a stack: the source, if there is one."""
        side = side or next(iter(self.grids))
        grid = self.grids[side].tolist()
        return Picture(grid, outputs or None, tokens or None, f"{self.method} of the {side}", scale="difference")

    def show(self, side: str | None = None, outputs: Sequence[str] = (), tokens: Sequence[str] = ()) -> Picture:
        return self.picture(side, outputs, tokens)


def attribute_outputs(
    model: nn.Module,
    inputs: Inputs,
    outputs: Sequence[tuple[int, int]],
    method: str = "integrated_gradients",
    *,
    steps: int = STEPS,
    batch: int = 0,
) -> OutputAttribution:
    """`attribute` for several output tokens, each a position of the logits and a token: a translation word by word, a
    text as it goes on, a masked word."""

    def log_probability(position: int, token: int, logits: Tensor) -> Tensor:
        return logits[batch, position].log_softmax(-1)[token]

    results = [
        attribute(model, inputs, partial(log_probability, position, token), method, steps=steps)
        for position, token in outputs
    ]
    grids = {side: torch.stack([result.scores[side][batch] for result in results]) for side in results[0].scores}
    told = [result.convergence for result in results if result.convergence is not None]
    return OutputAttribution(method, grids, max(told) if told else None)

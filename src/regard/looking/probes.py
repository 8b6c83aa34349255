"""What each layer knows: a linear classifier on its vectors, trained on labelled tokens. Alain and Bengio 2017."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.errors import RegardError, expect
from regard.looking.layer_names import LayerNames
from regard.looking.runs import Inputs, call_model
from regard.looking.watch import watch
from regard.pictures.labelled import LabelledNumbers, LabelledResult, NamedAxis

IGNORED = -100
"""The label of a token that has none, as losses of torch know it."""
ProbeBatch = tuple[Inputs, Int[Tensor, "batch length"]]
"""What a model is called with (tokens, several tensors or arguments by name), and a label for every token of the stream
that is probed."""


@dataclass(frozen=True, eq=False)
class Probe:
    """A linear classifier: logistic regression on vectors that are brought to mean 0 and variance 1."""

    mean: Float[Tensor, "width"]
    spread: Float[Tensor, "width"]
    weight: Float[Tensor, "classes width"]
    bias: Float[Tensor, "classes"]

    def __call__(self, x: Float[Tensor, "rows width"]) -> Float[Tensor, "rows classes"]:
        return F.linear((x.to(self.mean) - self.mean) / self.spread, self.weight, self.bias)

    def accuracy(self, x: Float[Tensor, "rows width"], labels: Int[Tensor, "rows"]) -> float:
        return float((self(x).argmax(-1) == labels).double().mean())


def fit_probe(
    x: Float[Tensor, "rows width"], labels: Int[Tensor, "rows"], *, penalty: float = 1.0, steps: int = 200
) -> Probe:
    """Multinomial logistic regression: summed cross entropy plus half of `penalty` times the squared weights.

    The objective of scikit-learn's LogisticRegression(C=1/penalty); float64, L-BFGS with a line search.
    """
    expect("labels", "rows", len(labels), len(x))
    classes = int(labels.max()) + 1 if len(labels) else 0
    if classes < 2:
        raise RegardError(f"a probe tells classes apart: 2 or more expected, got {classes}")
    x = x.detach().double()
    mean, spread = x.mean(0), x.std(0, correction=0)
    spread = torch.where(spread > 0, spread, 1.0)
    x = (x - mean) / spread
    weight, bias = (x.new_zeros(*size, requires_grad=True) for size in ((classes, x.shape[1]), (classes,)))
    optimiser = torch.optim.LBFGS(
        [weight, bias], max_iter=steps, tolerance_grad=1e-7, tolerance_change=1e-12, line_search_fn="strong_wolfe"
    )

    def loss() -> Tensor:
        optimiser.zero_grad()
        total = (
            F.cross_entropy(F.linear(x, weight, bias), labels, reduction="sum") + penalty / 2 * weight.square().sum()
        )
        (total / len(x)).backward()
        return total.detach() / len(x)

    with torch.enable_grad():
        optimiser.step(loss)
    return Probe(mean, spread, weight.detach(), bias.detach())


@dataclass(frozen=True, repr=False)
class ProbeResult(LabelledResult):
    """How often a probe of every block is right about tokens that it was not trained on.

    `majority` is how often the most frequent label of the training tokens is right: what knowing nothing gives.
    """

    accuracy: dict[str, float]
    majority: float
    probes: dict[str, Probe]

    def labelled(self) -> LabelledNumbers:
        return LabelledNumbers([*self.accuracy.values()], (NamedAxis("layer", tuple(self.accuracy)),))

    def __repr__(self) -> str:
        accuracy = ", ".join(f"{name} {share:.3f}" for name, share in self.accuracy.items())
        return f"ProbeResult(accuracy {accuracy}; majority {self.majority:.3f})"

    def lower_and_upper(self) -> tuple[float, float]:
        """The mean accuracy of the lower and of the upper half of the blocks; the middle one counts in both."""
        scores = [*self.accuracy.values()]
        half = (len(scores) + 1) // 2
        return sum(scores[:half]) / half, sum(scores[-half:]) / half


def probe(
    model: nn.Module, train: Iterable[ProbeBatch], test: Iterable[ProbeBatch], *patterns: str, penalty: float = 1.0
) -> ProbeResult:
    """Train a linear probe (a diagnostic classifier) on what each block puts out, and judge it by other tokens: Alain
    and Bengio 2017. Of our models and live ones. Tokens labelled -100 are left out.

    Vectors of all tokens of the blocks probed are kept: name `patterns` ("encoder.*") to keep fewer.
    """
    names = LayerNames(model).match(patterns or ["*"], among=LayerNames(model).blocks)
    train_vectors, test_vectors = (_collect(model, batches, names) for batches in (train, test))
    probes = {name: fit_probe(train_vectors[0][name], train_vectors[1], penalty=penalty) for name in names}
    majority_label = train_vectors[1].bincount().argmax()
    return ProbeResult(
        {name: fitted_probe.accuracy(test_vectors[0][name], test_vectors[1]) for name, fitted_probe in probes.items()},
        float((test_vectors[1] == majority_label).double().mean()),
        probes,
    )


@torch.no_grad()
def _collect(model: nn.Module, batches: Iterable[ProbeBatch], names: Sequence[str]) -> tuple[dict[str, Tensor], Tensor]:
    """The vectors of labelled tokens, block by block, and their labels."""
    vectors: dict[str, list[Tensor]] = {name: [] for name in names}
    labels: list[Tensor] = []
    for inputs, batch_labels in batches:
        with watch(model, *names) as seen:
            call_model(model, inputs)
        is_labelled = batch_labels != IGNORED
        for name in names:
            expect("labels", "positions", batch_labels.shape[1], seen.stream(name).shape[1])
            vectors[name].append(seen.stream(name)[is_labelled.to(seen.stream(name).device)])
        labels.append(batch_labels[is_labelled])
    if not labels:
        raise RegardError("a probe needs labelled tokens to be trained and judged by, got no batch")
    return {name: torch.cat(parts) for name, parts in vectors.items()}, torch.cat(labels)

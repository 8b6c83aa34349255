"""Direct logit attribution: how much of a logit each writer of the stream gives by itself. Elhage et al. 2021.

The norm before the output has its scale frozen, and so have the dense layer that BERT has there and the cap of Gemma 2:
an activation is the factor that it was. Biases are terms of their own; what is then missing is rounding, and is told as
`rest`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from regard.errors import RegardError
from regard.layers import Output
from regard.looking.activations.site import unhooked
from regard.looking.live import is_live
from regard.looking.runs import Inputs
from regard.looking.stream_terms import StreamWriters, Terms, through_norm
from regard.pictures import Picture
from regard.pictures.labelled import LabelledNumbers, LabelledResult, NamedAxis

TOO_MUCH = 1e-2  # of a logit, beyond rounding: a model that does something else at its end
DENSE_HEADS = (
    tuple(f"cls.predictions.transform.{part}" for part in ("dense", "LayerNorm", "transform_act_fn")),
    ("predictions.dense", "predictions.LayerNorm", "predictions.activation"),
    ("generator_predictions.dense", "generator_predictions.LayerNorm", "generator_predictions.activation"),
    ("lm_head.dense", "lm_head.layer_norm", ""),
    ("vocab_transform", "vocab_layer_norm", "activation"),
    ("head.dense", "head.norm", "head.act"),
)
"""A last dense layer, its norm and its activation (GELU where it has no name), as masked models call them."""


@dataclass(frozen=True, eq=False)
class LogitAttribution(LabelledResult):
    """The parts of a logit, by who wrote them: they sum to `logit`, but for `rest`."""

    parts: dict[str, float]
    logit: float

    @property
    def rest(self) -> float:
        """What the parts do not sum to."""
        return self.logit - sum(self.parts.values())

    def labelled(self) -> LabelledNumbers:
        return LabelledNumbers([*self.parts.values()], (NamedAxis("writer", tuple(self.parts)),))

    def by_layer(self) -> dict[str, float]:
        """The same with heads, and what belongs to a layer, added up: `embedding`, `decoder.0.self`, …"""
        result: dict[str, float] = {}
        for name, part in self.parts.items():
            layer = name.rpartition(".")[0] if name.rpartition(".")[2].isdigit() or name.endswith("bias") else name
            result[layer or name] = result.get(layer or name, 0.0) + part
        return result

    def top(self, k: int = 5) -> list[tuple[str, float]]:
        """The largest parts, by size."""
        return sorted(self.parts.items(), key=lambda item: -abs(item[1]))[:k]

    def picture(self) -> Picture:
        """A row for every part."""
        grid = [[part] for part in self.parts.values()]
        return Picture(grid, [*self.parts], ["logit"], "direct logit attribution", scale="difference")

    def show(self) -> Picture:
        return self.picture()

    def __repr__(self) -> str:
        largest = ", ".join(f"{name} {part:+.3f}" for name, part in self.top(3))
        return f"LogitAttribution({self.logit:.3f} = {largest}, … {len(self.parts)} parts, rest {self.rest:.1e})"


@torch.no_grad()
def logit_attribution(
    model: nn.Module,
    inputs: Inputs,
    token: int,
    *,
    position: int = -1,
    against: int | None = None,
    batch: int = 0,
) -> LogitAttribution:
    """Take the logit of a token apart: embedding, each head, each feed-forward layer (MLP), biases.

    Direct logit attribution, DLA: the logit lens on each component (Elhage et al. 2021). `against` another token: of
    the difference of both logits.
    """
    writers = StreamWriters(model, inputs)
    terms = {name: term[batch : batch + 1, position][:, None] for name, term in writers.before().items()}
    final = writers.sites.parts.stacks[writers.side].final_norm if writers.side in writers.sites.parts.stacks else None
    if final is not None:
        terms = through_norm(terms, final, "final_norm.bias")
    linear = live_output(model) if is_live(model) else own_output(model)
    scores = linear(terms)
    logits = writers.logits[batch, position]

    def pick(row: Float[Tensor, "vocabulary"]) -> float:
        return float(row[token] - (0 if against is None else row[against]))

    result = LogitAttribution({name: pick(score[0, 0]) for name, score in scores.items()}, pick(logits))
    if abs(result.rest) > TOO_MUCH * max(1, abs(result.logit)):
        name = type(model).__name__
        raise RegardError(
            f"{name}: its parts are not known well enough, {result.rest:.3g} of {result.logit:.3g} is left"
        )
    return result


LinearOutput = Callable[[Terms], Terms]
"""From terms of the stream to terms of the logits."""


def own_output(model: nn.Module) -> LinearOutput:
    output = getattr(model, "output", None)
    if not isinstance(output, Output):
        raise RegardError(f"{type(model).__name__} does not score words at the end of a stack")

    def linear(terms: Terms) -> Terms:
        if (transform := output.transform) is not None:
            terms = through_dense(terms, transform.dense, transform.activation, transform.norm)
        scores = {name: term @ output.weight.T * output.scale for name, term in terms.items()}
        scores = scores if output.bias is None else scores | {"output.bias": output.bias.expand(1, 1, -1)}
        return through_cap(scores, output.cap)

    return linear


def live_output(model: Any) -> LinearOutput:
    """transformers' last steps: a dense layer where there is one (BERT), the head, and what is added behind it."""
    head = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None
    if head is None:
        raise RegardError(f"{type(model).__name__} does not score words at the end of a stack")
    dense = next((paths for paths in DENSE_HEADS if find(model, paths[0]) is not None), None)
    config = model.config
    tied = bool(getattr(config, "tie_word_embeddings", False))
    is_scaled = config.model_type == "t5" and (getattr(config, "scale_decoder_outputs", tied))
    scale = config.d_model**-0.5 if is_scaled else float(getattr(model, "logit_scale", None) or 1.0)

    def linear(terms: Terms) -> Terms:
        if dense is not None:
            activation = find(model, dense[2]) if dense[2] else F.gelu
            terms = through_dense(terms, find(model, dense[0]), activation, find(model, dense[1]))
        zero = torch.zeros_like(next(iter(terms.values())))
        bias = unhooked(head, zero)
        scores = {name: unhooked(head, term * scale) - bias for name, term in terms.items()}
        added = getattr(model, "final_logits_bias", None)
        scores = scores | {"output.bias": bias if added is None else bias + added}
        return through_cap(scores, getattr(config, "final_logit_softcapping", None))

    return linear


def through_cap(scores: Terms, cap: float | None) -> Terms:
    """Scores that are bent to stay below a cap (Gemma 2): what bends each is the factor that it is at their sum."""
    if cap is None:
        return scores
    total = torch.stack([*scores.values()]).sum(0)
    factor = torch.where(total == 0, 1, torch.tanh(total / cap) * cap / total)
    return {name: score * factor for name, score in scores.items()}


def find(model: Any, path: str) -> Any:
    """What stands at a path in a model, or None."""
    for step in path.split("."):
        model = getattr(model, step, None)
    return model


def through_dense(terms: Terms, dense: nn.Module, activation: Callable[[Tensor], Tensor], norm: nn.Module) -> Terms:
    """A dense layer with its activation as the factor that it is at their sum, and the norm after it."""
    bias = unhooked(dense, torch.zeros_like(next(iter(terms.values()))))
    inner = {name: unhooked(dense, term) - bias for name, term in terms.items()} | {"transform.bias": bias}
    total = torch.stack([*inner.values()]).sum(0)
    factor = torch.where(total == 0, 0, activation(total) / total)
    return through_norm({name: term * factor for name, term in inner.items()}, norm, "transform.norm")

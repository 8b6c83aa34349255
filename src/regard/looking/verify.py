"""Proof, on the model at hand, that watching changes nothing and shows what the model itself computes."""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from regard.attention import Pattern
from regard.errors import RegardError
from regard.looking import live
from regard.looking.layer_names import LayerNames
from regard.looking.watch import Seen, watch

CLOSE = 1e-5  # what sums in another order may differ by, of numbers around 1
ATTENTIONS = {
    "encoder_attentions": "encoder.{}.self",
    "decoder_attentions": "decoder.{}.self",
    "cross_attentions": "decoder.{}.cross",
}
"""Weights that transformers hands out, as the layers are called here; `attentions` are those of the only stack."""


@dataclass(frozen=True)
class LayerCheck:
    """What was compared about one layer: the largest differences, None where there was nothing to compare with."""

    layer: str
    alone: float | None = None  # of the output, with this layer alone watched
    weights: float | None = None  # of the weights, from those of the model's own eager attention
    note: str = ""


@dataclass(frozen=True)
class Verification:
    """How watching a model compares with not watching it."""

    model: str
    output: float  # the largest difference of any output, with all layers watched
    layers: list[LayerCheck]
    left_out: dict[str, str] = field(default_factory=dict)
    note: str = ""
    tolerance: float = CLOSE

    @property
    def differences(self) -> list[str]:
        """Every difference above the tolerance, one line each."""
        lines = [f"output, all layers watched: {self.output:.1e}"] if self.output > self.tolerance else []
        for layer in self.layers:
            for what, number in (("output, it alone watched", layer.alone), ("weights", layer.weights)):
                if number is not None and not number <= self.tolerance:
                    lines.append(f"{layer.layer}, {what}: {number:.1e}")
        return lines

    @property
    def holds(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def require(self) -> "Verification":
        """The same, or RegardError that names the differences."""
        if not self.holds:
            raise RegardError(f"{self.model} is not what it is unwatched: {'; '.join(self.differences)}")
        return self

    def plain(self) -> dict[str, object]:
        """As data, for JSON."""
        return {
            "model": self.model,
            "holds": self.holds,
            "output": self.output,
            "layers": [vars(layer) for layer in self.layers],
            "left_out": self.left_out,
            "note": self.note,
        }

    def __repr__(self) -> str:
        width = max([len(layer.layer) for layer in self.layers] + [len("all layers")])
        rows = [f"{'':{width}}  output   weights", f"{'all layers':{width}}  {format_difference(self.output)}"]
        rows += [
            "  ".join(
                (f"{layer.layer:{width}}", format_difference(layer.alone), format_difference(layer.weights), layer.note)
            ).rstrip()
            for layer in self.layers
        ]
        rows += [f"{name:{width}}  not watched: {reason}" for name, reason in self.left_out.items()]
        verdict = "nothing differs" if self.holds else f"{len(self.differences)} differences above {self.tolerance:g}"
        return "\n".join([f"{self.model}: {verdict}", *rows, *([self.note] if self.note else [])])


def format_difference(difference: float | None) -> str:
    return "-      " if difference is None else "equal  " if difference == 0 else f"{difference:.1e}"


@torch.no_grad()
def verify(model: nn.Module, *args: object, tolerance: float = CLOSE, **kwargs: object) -> Verification:
    """Run a model plain, watched as a whole, watched one layer at a time and, where it can, with its own eager
    attention; report every difference of outputs and weights.

    Inputs are those of the model. Run it first on a model that you do not know yet, with the padding and the cache that
    you are going to use. Rows of padding tokens are not compared. In training mode dropout draws the same each time.
    """
    layer_names = LayerNames(model)
    plain = outputs(model, args, kwargs)
    with watch(model) as seen:
        watched = outputs(model, args, kwargs)
    weights, note = eager_weights(model, args, kwargs)
    checks = []
    for name in layer_names.layers:
        with watch(model, name):
            alone = difference(plain, outputs(model, args, kwargs))
        if name not in seen:
            checks.append(LayerCheck(name, alone, None, "nothing ran through it"))
            continue
        eager = weights.get(name)
        weight_gap = None if eager is None else weight_difference(seen, name, eager)
        checks.append(LayerCheck(name, alone, weight_gap))
    return Verification(type(model).__name__, difference(plain, watched), checks, layer_names.left_out, note, tolerance)


def outputs(model: nn.Module, args: tuple[object, ...], kwargs: Mapping[str, object]) -> list[Tensor]:
    """Every tensor of numbers that a model puts out, with the same dropout each time; caches start as they were."""
    torch.manual_seed(0)
    arguments, keywords = copy.deepcopy((args, dict(kwargs)))
    return [tensor.detach().clone() for tensor in tensors(model(*arguments, **keywords))]


def tensors(value: object) -> Iterator[Tensor]:
    """The floating-point tensors in an output, caches left out."""
    if isinstance(value, Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from tensors(part)
    elif isinstance(value, tuple | list):
        for part in value:
            yield from tensors(part)


def difference(first: list[Tensor], second: list[Tensor]) -> float:
    """The largest difference; infinite where something is missing or no number."""
    if [tensor.shape for tensor in first] != [tensor.shape for tensor in second]:
        return float("inf")
    largest = 0.0
    for a, b in zip(first, second, strict=True):
        if a.numel() and not torch.equal(a, b):
            gap = (a.double() - b.double()).abs()
            gap[a.isnan() & b.isnan()] = 0
            largest = max(largest, float(gap.nan_to_num(float("inf")).max()))
    return largest


def eager_weights(
    model: nn.Module, args: tuple[object, ...], kwargs: Mapping[str, object]
) -> tuple[dict[str, Tensor], str]:
    """The weights that a live model hands out with its eager attention, by layer; or a note why there are none."""
    if not live.is_live(model) or not hasattr(model, "set_attn_implementation"):
        return {}, "no eager attention of its own to compare weights with"
    configs: list[Any] = [module.config for module in model.modules() if hasattr(module, "config")]
    before = [(config, config._attn_implementation) for config in {id(config): config for config in configs}.values()]
    torch.manual_seed(0)
    arguments, keywords = copy.deepcopy((args, dict(kwargs)))
    try:
        for config, _ in before:
            config._attn_implementation_internal = "eager"
        result = model(*arguments, **{**keywords, "output_attentions": True})
    except (RuntimeError, TypeError, ValueError, NotImplementedError, AttributeError) as problem:
        return {}, f"eager attention did not run: {str(problem).splitlines()[0]}"
    finally:
        for config, implementation in before:
            config._attn_implementation_internal = implementation
    return returned_weights(result, LayerNames(model)), ""


def returned_weights(result: object, layer_names: LayerNames) -> dict[str, Tensor]:
    """The weights in a model's output, by layer."""
    weights_by_layer: dict[str, Tensor] = {}
    only = "decoder.{}.self" if "decoder.0.self" in layer_names.layers else "encoder.{}.self"
    for attribute, name in {"attentions": only, **ATTENTIONS}.items():
        for number, weights in enumerate(getattr(result, attribute, None) or ()):
            if isinstance(weights, Tensor) and weights.ndim == 4:
                weights_by_layer.setdefault(name.format(number), weights)
    return weights_by_layer


def weight_difference(seen: Seen, name: str, weights: Tensor) -> float | None:
    """The largest difference of the weights of a layer's last call, rows of padding left out."""
    pattern = seen[name]
    own_weights = pattern.weights()
    keys = own_weights.shape[3]
    if own_weights.shape[:3] != weights.shape[:3] or weights.shape[3] < keys:
        return None
    gap = (own_weights - weights[..., :keys].to(own_weights.dtype)).abs().amax(-1)  # (batch, heads, queries)
    counts = queries_that_count(pattern)[:, None].to(gap.device)
    beyond = float(weights[..., keys:].abs().max()) if weights.shape[3] > keys else 0.0
    return max(float(torch.where(counts, gap, 0).max()) if gap.numel() else 0.0, beyond)


def queries_that_count(pattern: Pattern) -> Tensor:
    """Which queries are tokens and see any key: (batch, queries)."""
    sees = pattern.weights().sum(-1).amax(1) > 0
    if pattern.query_positions is None:
        return sees
    return sees & (pattern.query_positions >= 0).to(sees.device)

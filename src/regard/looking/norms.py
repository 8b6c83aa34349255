"""Weights with what they weigh: a large weight on a short vector moves little."""

from dataclasses import dataclass
from math import prod

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Pattern
from regard.attention.regions import Indices
from regard.errors import RegardError
from regard.layers import AlignmentAttention, MemoryHop, MultiHead
from regard.looking.layer_names import LayerNames
from regard.looking.watch import Seen
from regard.pictures.labelled import LabelledNumbers, LabelledResult, numbered, refuse_large

KEYS = 256  # whose values are put out at a time


@dataclass(frozen=True, eq=False, repr=False)
class WeightedNorms(LabelledResult):
    """How far each key moved each query: ‖α f(x)‖ instead of α, computed where you ask: Kobayashi et al. 2020, 2.2.

    f(x) is a key's value as a head puts it out. `likeness[b, j, g, h]` is the product of what heads g and h would put
    out for key j; its diagonal holds their squared lengths.
    """

    pattern: Pattern
    likeness: Float[Tensor, "batch keys heads heads"]

    def labelled(self) -> LabelledNumbers:
        shape = self.pattern.shape
        refuse_large(4 * prod(shape), "all norms", "ask for some rows with .heads(rows, columns)")
        names = ("batch", "head", "query", "key")
        return LabelledNumbers(self.heads(), tuple(map(numbered, names, shape)))

    def __repr__(self) -> str:
        return "WeightedNorms({} x {} heads, {} queries x {} keys)".format(*self.pattern.shape)

    @property
    def norms(self) -> Float[Tensor, "batch heads keys"]:
        """‖f(x)‖ of every head and key."""
        return self.likeness.diagonal(dim1=-2, dim2=-1).transpose(1, 2).clamp(min=0).sqrt()

    def heads(self, rows: Indices = slice(None), columns: Indices = slice(None)) -> Tensor:
        """‖α f(x)‖ of every head: (batch, heads, rows, columns)."""
        return self.weights(rows, columns).abs() * self.norms[:, :, None, as_list(columns)]

    def summed(self, rows: Indices = slice(None), columns: Indices = slice(None)) -> Tensor:
        """‖Σ α f(x)‖, the sum over all heads of the layer: (batch, rows, columns)."""
        weights, likeness = self.weights(rows, columns), self.likeness[:, as_list(columns)]
        squares = torch.zeros_like(weights[:, 0])
        for head in range(weights.shape[1]):  # each head with all: heads x rows x columns numbers at a time
            mixed = torch.einsum("bhrc,bch->brc", weights, likeness[:, :, head])
            squares += weights[:, head] * mixed
        return squares.clamp(min=0).sqrt()

    def weights(self, rows: Indices, columns: Indices) -> Tensor:
        """The weights, gates included: what is switched off moves nothing."""
        weights = self.pattern[:, :, as_list(rows), as_list(columns)]
        gate = self.pattern.gate
        return weights if gate is None else weights * gate[:, :, None, None].to(weights)


def as_list(some: Indices) -> Indices:
    return [some] if isinstance(some, int) else some


def weighted_norms(model: nn.Module, seen: Seen, layer: str) -> WeightedNorms:
    """Norm-weighted attention of a layer that was watched with `values=True`."""
    module, pattern = LayerNames(model).layers[layer], seen[layer]
    value = pattern.values.to(torch.promote_types(pattern.query.dtype, torch.float32))
    value = value.repeat_interleave(pattern.shape[1] // value.shape[1], dim=1)
    if isinstance(module, MultiHead):
        reads = module.output.weight.detach().to(value).unflatten(1, (value.shape[1], -1))  # (width, heads, head width)
        parts = (torch.einsum("bhjv,xhv->bjhx", chunk, reads) for chunk in value.split(KEYS, 2))
    elif isinstance(module, AlignmentAttention | MemoryHop):
        parts = (chunk.transpose(1, 2) for chunk in value.split(KEYS, 2))  # what is gathered is what is put out
    else:
        raise RegardError(f"{layer} is a {type(module).__name__}: what its heads put out is known for regard's layers")
    return WeightedNorms(pattern, torch.cat([part @ part.transpose(-1, -2) for part in parts], 1))

"""How many bytes a watch of sites keeps, told before anything runs: never less than is kept then.

A pattern keeps its queries and keys, what the kernel knows of each row and where its tokens stand; beside these what
its score and its bias are made of, and who may look at whom. transformers hands its layers masks and biases of every
pair where a text is padded or distances are added (T5): they are counted, and they grow with the square of the length.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from torch import Tensor, nn

from regard.attention.values import map_tensors
from regard.layers import MultiHead
from regard.layers.distances import DistanceVectors
from regard.looking.activations.site import Site, Size
from regard.models.embedded_stack import EmbeddedStack

POSITION = 8  # bytes of a position
FLOAT = 4  # of what the kernel knows of a row, whatever the model counts in


@dataclass(frozen=True)
class CallSizes:
    """A call with so many tokens; `is_padded`: of texts of unequal length."""

    batch: int
    length: int
    source: int
    itemsize: int
    is_padded: bool

    def number(self, shape: Sequence[Size], site: str) -> int:
        """The product of some sizes, at a site of this name."""
        own = self.source if site.startswith("encoder.") else self.length
        lengths = {"batch": self.batch, "length": own, "source": self.source}
        return prod(size if isinstance(size, int) else lengths.get(size, 1) for size in shape)


def site_bytes(site: Site, sites: Mapping[str, Site], sizes: CallSizes) -> int:
    """How many bytes are kept of a site in one call."""
    if site.view != "pattern":
        return sizes.itemsize * sizes.number(vectors_shape(site, sites, sizes), site.name)
    query, key = (sites[f"{site.layer_name}.{part}"] for part in ("query", "key"))
    kept = sum(sizes.itemsize * sizes.number(vectors_shape(part, sites, sizes), site.name) for part in (query, key))
    rows = sizes.number(site.shape[:3], site.name)
    length, keys = sizes.number(site.shape[2:3], site.name), sizes.number(site.shape[3:], site.name)
    kept += FLOAT * rows + POSITION * sizes.batch * length + sizes.batch * keys
    if isinstance(site.layer, MultiHead):
        return kept + own_bytes(site.layer, site.stack, length + keys)
    return kept + live_bytes(site, sizes, length * keys)


def vectors_shape(site: Site, sites: Mapping[str, Site], sizes: CallSizes) -> tuple[Size, ...]:
    """The shape of a site; keys and values that heads share are one for each head where transformers repeats them."""
    if site.view not in ("key", "value") or isinstance(site.layer, MultiHead) or not sizes.is_padded:
        return site.shape
    return (site.shape[0], sites[f"{site.layer_name}.query"].shape[1], *site.shape[2:])


def own_bytes(layer: MultiHead, stack: nn.Module | None, distances: int) -> int:
    """What the score and the bias of a layer of ours are made of."""
    score = 0 if layer.score is None else sum(weight.numel() for weight in layer.score.parameters())
    score += distances * layer.split.width if score else 0  # a vector for every distance that occurs
    if layer.crosses or not isinstance(stack, EmbeddedStack):
        return FLOAT * score
    schemes = [stack.position] if stack.local_position is None else [stack.position, stack.local_position]
    biases = sum(tensor_bytes(position.bias()) for position in schemes)
    return FLOAT * score + biases + distance_bytes(layer, stack.distances)


def distance_bytes(layer: MultiHead, distances: DistanceVectors | None) -> int:
    """Vectors of distances as queries and as keys of each head, and which one a distance has (DeBERTa)."""
    if distances is None:
        return 0
    vectors = 2 * distances.buckets * layer.split.heads * layer.split.width
    return 2 * FLOAT * vectors + POSITION * (4 * distances.reach + 1)


def live_bytes(site: Site, sizes: CallSizes, pairs: int) -> int:
    """What transformers hands a layer of every pair: a bias, and a mask of it or of padded texts."""
    heads = site.shape[1] if isinstance(site.shape[1], int) else 1
    batch = sizes.batch if sizes.is_padded else 1
    has_bias = hasattr(site.layer, "has_relative_attention_bias")
    if has_bias and not site.layer_name.endswith("cross"):
        return (sizes.itemsize + 1) * batch * heads * pairs
    return batch * (heads if has_bias else 1) * pairs if sizes.is_padded else 0


def tensor_bytes(value: object) -> int:
    """All tensors inside of a frozen value."""
    sizes: list[int] = []

    def count(tensor: Tensor) -> Tensor:
        sizes.append(tensor.nbytes)
        return tensor

    map_tensors(value, count)
    return sum(sizes)

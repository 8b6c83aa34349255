"""Why does this head look here? The score of one query-key pair, taken apart so that the parts sum to it.

By dimension of the head; by position (a bias, what rotating queries and keys to where they stand changes, and what
vectors of distances add); and by who wrote what the query was made of and who wrote what the key was made of: Elhage et
al. 2021. Norms of queries and keys have their scales frozen, and a cap is the factor that it was.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Pattern
from regard.errors import RegardError, lookup
from regard.looking.activations.parts import BlockParts
from regard.looking.activations.site import unhooked
from regard.looking.edit import edit
from regard.looking.norm_scale import FrozenNorm
from regard.looking.pair_terms import PairTerms, pair_terms
from regard.looking.runs import Inputs, repeat_inputs, run_model
from regard.looking.stream_terms import StreamWriters, Terms
from regard.looking.watch import watch
from regard.pictures import Picture
from regard.pictures.labelled import LabelledNumbers, LabelledResult, NamedAxis

CLOSE = 1e-4


@dataclass(frozen=True, eq=False)
class PairScore(LabelledResult):
    """The score that one query gave one key, before the softmax.

    `by_dimension` sums to the score without `bias`; so does `by_writer`, (writers of the query, writers of the key),
    but for `rest`, which is rounding where a layer projects and rotates only. `rotation` is the share of it that is
    there because query and key do not stand at one position (rotary positions; else 0), `distance` that of learned
    vectors of distances (Transformer-XL, DeBERTa; else 0), which are among the writers then.
    """

    layer: str
    head: int
    score: float
    bias: float
    rotation: float
    by_dimension: Float[Tensor, "width"]
    by_writer: Float[Tensor, "writers writers"]
    writers: tuple[str, ...]
    distance: float = 0.0

    def labelled(self) -> LabelledNumbers:
        axes = (NamedAxis("writer of the query", self.writers), NamedAxis("writer of the key", self.writers))
        return LabelledNumbers(self.by_writer, axes)

    @property
    def content(self) -> float:
        """The score as if both stood at one position."""
        return self.score - self.bias - self.rotation - self.distance

    @property
    def rest(self) -> float:
        """What the writers' parts do not sum to."""
        return self.score - self.bias - float(self.by_writer.sum())

    def top(self, k: int = 5) -> list[tuple[str, str, float]]:
        """The largest parts: who wrote the query, who wrote the key, how much."""
        best = self.by_writer.abs().flatten().topk(min(k, self.by_writer.numel())).indices.tolist()
        count = len(self.writers)
        return [(self.writers[i // count], self.writers[i % count], float(self.by_writer.flatten()[i])) for i in best]

    def picture(self) -> Picture:
        """Writers of the query down, writers of the key across."""
        title = f"{self.layer} head {self.head}: {self.score:.3g}"
        return Picture(self.by_writer.tolist(), self.writers, self.writers, title, scale="difference")

    def show(self) -> Picture:
        return self.picture()

    def __repr__(self) -> str:
        parts = f"content {self.content:+.3f}, rotation {self.rotation:+.3f}, bias {self.bias:+.3f}"
        parts += f", distance {self.distance:+.3f}" if self.distance else ""
        query, key, value = self.top(1)[0]
        return (
            f"PairScore({self.layer} head {self.head}: {self.score:.3f} = {parts}; most: {query} x {key} {value:+.3f})"
        )


@torch.no_grad()
def pair_score(
    model: nn.Module, inputs: Inputs, layer: str, head: int, query: int, key: int, *, batch: int = 0
) -> PairScore:
    """Take apart why one query looks at one key in one head of a self-attention layer, `decoder.3.self`: the attention
    score by dimension, by position and by the pair of components that wrote query and key (QK circuit, Elhage et al.
    2021)."""
    block, _, kind = layer.rpartition(".")
    if kind != "self":
        raise RegardError(f"{layer}: a layer whose queries and keys are of one text expected, as in decoder.0.self")
    writers = StreamWriters(model, inputs, block.rpartition(".")[0], layer, f"{layer}.input")
    pattern = writers.seen[layer]
    apart = pair_terms(pattern, head, query, key, layer)
    parts = lookup(dict(writers.blocks), block, "block")
    terms = normed_terms(writers, block, parts, layer)
    at = [query, key]
    rows = torch.stack([term[batch, at] for term in terms.values()])  # (terms, 2, width)
    own = writers.seen.activation(f"{layer}.input")[batch, at]
    swapped = own.flip(0)  # the query's input where the key stands, and the other way round
    values = torch.cat([rows, torch.zeros_like(own)[None], swapped[None]])
    if query == key:
        values = values[:, :1]
    positions = sorted(set(at))
    order = [at.index(position) for position in positions]
    norms = query_key_norms(parts)
    scales = norm_inputs(norms, model, inputs) if norms else {}
    with edit(model) as edits, watch(model, layer) as seen, frozen_norms(scales, batch):
        edits.site(f"{layer}.input", positions=positions).set(values[:, order] if query != key else values)
        run_model(model, repeat_inputs(inputs, batch, len(values)))
    probe, group = seen[layer], pattern.shape[1] // pattern.key.shape[1]
    queries, keys = probe.query[:, head, query].double(), probe.key[:, head // group, key].double()
    zero = len(terms)
    by_query = torch.cat([queries[:zero] - queries[zero], queries[zero : zero + 1]])
    by_key = torch.cat([keys[:zero] - keys[zero], keys[zero : zero + 1]])
    q, k = (x.double() for x in (pattern.query[batch, head, query], pattern.key[batch, head // group, key]))
    there = probe.query[zero + 1, head, key].double() if query != key else q  # the query, rotated to the key's place
    by_dimension, by_writer, distance = products(apart, (q, k), (by_query, by_key))
    total = float(by_dimension.sum())
    bent = apart.bend(total)
    bias = position_bias(pattern, batch, head, query, key)
    return PairScore(
        layer,
        head,
        total * bent + bias,
        bias,
        float((q - there) @ k * apart.scale) * bent,
        by_dimension * bent,
        by_writer * bent,
        (*terms, "projection.bias", *(["distance"] if apart.distance is not None else [])),
        distance * bent,
    )


def products(
    apart: PairTerms, pair: tuple[Tensor, Tensor], writers: tuple[Tensor, Tensor]
) -> tuple[Tensor, Tensor, float]:
    """The score by dimension and by writers, and what vectors of the distance have of it."""
    (query, key), (by_query, by_key) = pair, writers
    by_dimension, by_writer = query * key, by_query @ by_key.T
    if apart.distance is None:
        return by_dimension * apart.scale, by_writer * apart.scale, 0.0
    assert apart.toward_key is not None
    assert apart.toward_distance is not None
    by_distance, toward_key = (query + apart.toward_distance) * apart.distance, apart.toward_key * key
    column = torch.cat([by_query @ apart.distance, (apart.toward_distance @ apart.distance)[None]])
    by_writer = torch.cat([torch.cat([by_writer, (by_key @ apart.toward_key)[None]]), column[:, None]], 1)
    distance = float(by_distance.sum() + (toward_key.sum() if apart.is_distance else 0)) * apart.scale
    return (by_dimension + by_distance + toward_key) * apart.scale, by_writer * apart.scale, distance


def position_bias(pattern: Pattern, batch: int, head: int, query: int, key: int) -> float:
    """What is added to the score of a pair by where they stand: ALiBi, T5's buckets."""
    if pattern.bias is None:
        return 0.0
    rows, columns = pattern.indices(slice(query, query + 1), slice(key, key + 1))
    tile = pattern.bias.tile(rows, columns)
    return float(tile[batch % len(tile), head % tile.shape[1], 0, 0])


def normed_terms(writers: StreamWriters, block: str, parts: BlockParts, layer: str) -> Terms:
    """The terms of what a layer reads: those of the stream, through the norm before the layer if there is one."""
    terms = writers.before(block)
    stream, read = writers.seen.activation(f"{block}.stream.before"), writers.seen.activation(f"{layer}.input")
    if is_near(stream, read):
        return terms
    inner = query_key_norms(parts)
    outer = [norm for norm in norms_in(parts.block) if norm not in inner]
    norm = next((norm for norm in outer if is_near(unhooked(norm, stream), read)), None)
    if norm is None:
        raise RegardError(f"{layer}: what it reads is neither the stream nor a norm of it")
    frozen = FrozenNorm.of(norm, stream)
    after = {name: frozen(term) for name, term in terms.items()}
    return after if frozen.bias is None else after | {"norm.bias": frozen.bias.expand_as(stream)}


def norms_in(block: nn.Module) -> list[nn.Module]:
    norms = [module for module in block.modules() if "norm" in type(module).__name__.lower()]
    return [norm for norm in norms if not [*norm.children()]]


def query_key_norms(parts: BlockParts) -> list[nn.Module]:
    """Norms of queries and keys inside a self-attention layer: Qwen 3, Gemma 3, OLMo 2."""
    layers = [sublayer.layer for sublayer in parts.sublayers if sublayer.kind == "self"]
    return [norm for layer in layers if layer is not None for norm in norms_in(layer)]


def norm_inputs(norms: Sequence[nn.Module], model: nn.Module, inputs: Inputs) -> dict[nn.Module, Tensor]:
    """What each norm reads in a run of the model."""
    reads: dict[nn.Module, Tensor] = {}

    def keep(norm: nn.Module, arguments: tuple[Tensor, ...]) -> None:
        reads[norm] = arguments[0].detach()

    with ExitStack() as stack:
        for norm in norms:
            stack.callback(norm.register_forward_pre_hook(keep).remove)
        run_model(model, inputs)
    return reads


@contextmanager
def frozen_norms(reads: Mapping[nn.Module, Tensor], batch: int) -> Iterator[None]:
    """Norms keep the scales that they had of one text; the last member of a batch, which is no term, has its own."""

    def freeze(norm: nn.Module, arguments: tuple[Tensor, ...], _: Tensor) -> Tensor:
        x, frozen = arguments[0], FrozenNorm.of(norm, reads[norm][batch : batch + 1])
        terms = frozen(x[:-1])
        terms = terms if frozen.bias is None else terms + frozen.bias
        return torch.cat([terms, unhooked(norm, x[-1:])])

    with ExitStack() as stack:
        for norm in reads:
            stack.callback(norm.register_forward_hook(freeze).remove)
        yield


def is_near(x: Tensor, y: Tensor) -> bool:
    return x.shape == y.shape and bool((x - y).abs().max() <= CLOSE * y.abs().max().clamp(min=1e-6))

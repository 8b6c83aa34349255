"""Everything inside a model that has a name, with its shape: ours, torch.nn's and transformers' models alike."""

from collections.abc import Iterable, Iterator, Mapping

from torch import nn

from regard.errors import RegardError, lookup
from regard.layers import TransformerBlock
from regard.looking.activations.live_parts import live_parts
from regard.looking.activations.own_parts import own_parts
from regard.looking.activations.parts import Access, BlockParts, ModelParts, Sublayer
from regard.looking.activations.site import Site
from regard.looking.activations.site_memory import CallSizes, site_bytes
from regard.looking.activations.tl_names import own_name
from regard.looking.activations.torch_parts import BLOCKS, torch_parts
from regard.looking.layer_names import LayerNames, match_names
from regard.looking.live import is_live


class Sites(Mapping[str, Site]):
    """The sites of a model by name; a name of TransformerLens (`blocks.0.attn.hook_z`) finds the same one."""

    def __init__(self, parts: ModelParts, sites: Iterable[Site]) -> None:
        self.parts = parts
        self._sites = {site.name: site for site in sites}

    def __getitem__(self, name: str) -> Site:
        return lookup(self._sites, own_name(name, self.sides), "site")

    def __iter__(self) -> Iterator[str]:
        return iter(self._sites)

    def __len__(self) -> int:
        return len(self._sites)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and own_name(name, self.sides) in self._sites

    @property
    def sides(self) -> list[str]:
        """The stacks: `encoder`, `decoder` or both."""
        return list(dict.fromkeys(name.rpartition(".")[0] for name in self.parts.blocks))

    def match(self, *patterns: str) -> list[str]:
        """The names that fit any of these, which may hold * and ?."""
        return match_names([self.full_name(pattern) for pattern in patterns], list(self._sites))

    def full_name(self, name: str) -> str:
        """Our name for one of TransformerLens'; `embedding` alone is that of the only stack."""
        name = own_name(name, self.sides)
        return f"{self.sides[0]}.embedding" if name == "embedding" and len(self.sides) == 1 else name

    def memory(
        self, *patterns: str, batch: int = 1, length: int = 1, source: int = 0, itemsize: int = 4, padded: bool = False
    ) -> int:
        """How many bytes a watch of these sites, or of all, keeps of one call with so many tokens, at most.

        A pattern keeps its queries and keys and what the kernel knows of each row. `padded`: of texts of unequal
        length, for which models of transformers have masks of every pair.
        """
        sizes = CallSizes(batch, length, source or length, itemsize, padded)
        return sum(site_bytes(self[name], self, sizes) for name in (self.match(*patterns) if patterns else self))

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.values()))


def sites(model: nn.Module) -> Sites:
    """List every site of a model where one can watch and edit, with its shape: the stream before, in the middle of and
    after each block (residual stream), queries, keys, values, pattern, head outputs (z) and contributions of attention,
    input, activations and output of feed-forward layers (MLP), embedding and logits."""
    names = LayerNames(model)
    parts = model_parts(model, names)
    found = [
        Site(f"{side}.embedding", ("batch", "length", table_width(stack.embedding)), Access(stack.embedding, "output"))
        for side, stack in parts.stacks.items()
        if stack.embedding is not None
    ]
    for name, block in parts:
        stack = parts.stacks.get(name.rpartition(".")[0])
        found += block_sites(name, block, parts.width, set(names.layers), None if stack is None else stack.module)
    if parts.logits is not None:
        found.append(Site("logits", ("batch", "length", parts.vocabulary or "labels"), parts.logits))
    return Sites(parts, found)


def model_parts(model: nn.Module, names: LayerNames) -> ModelParts:
    """Who is asked what a model is made of."""
    if is_live(model):
        return live_parts(model, names.layers, names.blocks)
    if any(isinstance(block, TransformerBlock) for block in names.blocks.values()):
        return own_parts(model, names.blocks)
    if any(isinstance(block, BLOCKS) for block in names.blocks.values()):
        return torch_parts(model, names.blocks)
    raise RegardError(f"{type(model).__name__} has no blocks: its sites are its layers alone")


def block_sites(
    name: str, parts: BlockParts, width: int, layers: set[str], stack: nn.Module | None = None
) -> list[Site]:
    """The sites of a block, in the order in which they are met."""
    stream = ("batch", "length", width)
    found = [Site(f"{name}.stream.before", stream, Access(parts.block, "input"))]
    for sublayer in parts.sublayers:
        own = f"{name}.{sublayer.kind}"
        if sublayer.kind == "feed_forward":
            found.append(Site(f"{own}.input", stream, sublayer.reads))
            if sublayer.inner is not None:
                found.append(Site(f"{own}.activations", (*stream[:2], sublayer.width), sublayer.inner))
            found.append(Site(f"{own}.output", stream, sublayer.writes))
            continue
        found += attention_sites(own, sublayer, width, own in layers, stack)
        if not parts.is_parallel and sublayer is not parts.sublayers[-1]:
            after = "middle" if sublayer.kind == "self" else "after_cross"
            found.append(stream_site(f"{name}.stream.{after}", sublayer, width))
    return [*found, Site(f"{name}.stream.after", stream, Access(parts.block, "output"))]


def stream_site(name: str, sublayer: Sublayer, width: int) -> Site:
    """The stream after a sublayer: what its norm puts out, or the sum."""
    shape = ("batch", "length", width)
    if sublayer.stream is not None:
        return Site(name, shape, sublayer.stream)
    return Site(name, shape, sublayer.writes, "stream")


def attention_sites(
    name: str, sublayer: Sublayer, width: int, is_watched: bool, stack: nn.Module | None = None
) -> list[Site]:
    heads, keys = sublayer.heads, "source" if sublayer.kind == "cross" else "length"
    found = [Site(f"{name}.input", ("batch", "length", width), sublayer.reads)]
    if is_watched:
        layer, query, value = sublayer.layer, sublayer.query_width, sublayer.head_width
        found += [
            Site(f"{name}.query", ("batch", heads, "length", query), None, "query", layer=layer),
            Site(f"{name}.key", ("batch", sublayer.kv_heads, keys, query), None, "key", layer=layer),
            Site(f"{name}.value", ("batch", sublayer.kv_heads, keys, value), None, "value", layer=layer),
            Site(f"{name}.pattern", ("batch", heads, "length", keys), None, "pattern", layer=layer, stack=stack),
        ]
    found.append(
        Site(f"{name}.head_output", ("batch", heads, "length", sublayer.head_width), sublayer.inner, "heads", heads)
    )
    contribution = ("batch", heads, "length", width)
    access = Access(sublayer.projection, "output")
    found.append(
        Site(f"{name}.contribution", contribution, access, "contribution", heads, projection=sublayer.projection)
    )
    return [*found, Site(f"{name}.output", ("batch", "length", width), sublayer.writes)]


def table_width(table: nn.Module | None) -> int:
    return int(getattr(table, "embedding_dim", 0))

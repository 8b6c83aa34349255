"""Who wrote the stream: the embedding, every head and every feed-forward layer, as terms that sum to it.

Norms of sums (post-norm) have their scale frozen, so that each term passes them alone; their biases are terms, too.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from regard.errors import RegardError
from regard.looking.activations.listing import Sites, sites
from regard.looking.activations.parts import BlockParts, Sublayer
from regard.looking.activations.site import contributions, join_heads, projection_bias
from regard.looking.norm_scale import FrozenNorm
from regard.looking.runs import Inputs, run_model
from regard.looking.watch import Seen, watch

Terms = dict[str, Tensor]
"""Vectors (batch, length, width) by who wrote them: `embedding`, `decoder.0.self.1`, `decoder.0.feed_forward`."""


class StreamWriters:
    """A run of a model in which everybody who writes to a stack's stream was seen."""

    def __init__(self, model: nn.Module, inputs: Inputs, side: str | None = None, *more: str) -> None:
        self.sites: Sites = sites(model)
        self.side: str = side or ("decoder" if "decoder" in self.sites.sides else self.sites.sides[0])
        self.blocks: Sequence[tuple[str, BlockParts]] = self.sites.parts.side(self.side)
        if not self.blocks:
            raise RegardError(f"no stack {self.side!r}: known: {', '.join(self.sites.sides)}")
        wanted = ("stream.before", "stream.after", "head_output", "self.output", "cross.output", "feed_forward.output")
        names = [name for name in self.sites if name.startswith(f"{self.side}.") and name.endswith(wanted)]
        with torch.no_grad(), watch(model, *dict.fromkeys([*names, *more])) as seen:
            self.logits: Tensor = run_model(model, inputs)
        self.seen: Seen = seen

    @torch.no_grad()
    def before(self, block: str | None = None) -> Terms:
        """The terms of the stream before a block, or after the last one."""
        terms: Terms = {"embedding": self.seen.activation(f"{self.blocks[0][0]}.stream.before")}
        for name, parts in self.blocks:
            if name == block:
                return terms
            for sublayer in parts.sublayers:
                terms = terms | self.written(name, sublayer)
                if sublayer.norm_after is not None:
                    terms = through_norm(terms, sublayer.norm_after, f"{name}.{sublayer.kind}.norm")
        if block is not None:
            raise RegardError(f"no block {block!r}: known: {', '.join(name for name, _ in self.blocks)}")
        return terms

    def written(self, block: str, sublayer: Sublayer) -> Terms:
        """What a sublayer adds: each head, and the bias of the projection; or the feed-forward layer as a whole."""
        name = f"{block}.{sublayer.kind}"
        if sublayer.kind == "feed_forward":
            return {name: self.seen.activation(f"{name}.output")}
        inner = join_heads(self.seen.activation(f"{name}.head_output"))
        by_head = contributions(sublayer.projection, inner, sublayer.heads)
        terms = {f"{name}.{head}": by_head[:, head] for head in range(sublayer.heads)}
        bias = projection_bias(sublayer.projection, inner).expand_as(by_head[:, 0])
        if bool(bias.any()):
            terms[f"{name}.bias"] = bias
        return through_norm(terms, sublayer.norm_of_write, f"{name}.norm") if sublayer.norm_of_write else terms


def through_norm(terms: Terms, norm: nn.Module, name: str) -> Terms:
    """Each term after a norm of their sum; what the norm adds itself is a term by that name."""
    total = torch.stack([*terms.values()]).sum(0)
    frozen = FrozenNorm.of(norm, total)
    after = {writer: frozen(term) for writer, term in terms.items()}
    return after if frozen.bias is None else after | {name: frozen.bias.detach().expand_as(total)}

"""Feed-forward layers as key-value memories: what triggers each key, which words each value promotes. Geva et al. 2021.

A unit of a feed-forward layer is a key (a row of `widen`) that a vector may match, and a value (a column of `narrow`)
that is added as far as it does. In a gated layer the match is the product of both halves.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import cycle
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention.regions import Indices, numbers
from regard.errors import RegardError, UnknownName, expect
from regard.layers import FeedForward, TransformerBlock
from regard.looking.activations.listing import sites
from regard.looking.layer_names import match_names
from regard.looking.tables import entry_lines
from regard.looking.token_labels import Speller
from regard.looking.unembed import Unembedding
from regard.pictures.labelled import LabelledNumbers, LabelledResult, numbered
from regard.shapes import AttentionMask

ROWS = 1 << 22  # scores of words that are held at once
LONGEST = 1 << 32  # positions that a text may have


class Trigger(NamedTuple):
    """A prefix that matches a key: how much, the number of the text, and the position of its last token."""

    match: float
    text: int
    position: int


@dataclass(frozen=True, eq=False, repr=False)
class Triggers(LabelledResult):
    """The prefixes of a corpus that match each key of a layer most, the best first; -1 where there were fewer."""

    match: Float[Tensor, "units k"]
    text: Int[Tensor, "units k"]
    position: Int[Tensor, "units k"]

    def of(self, unit: int) -> list[Trigger]:
        """Those of one unit."""
        rows = zip(self.match[unit].tolist(), self.text[unit].tolist(), self.position[unit].tolist(), strict=True)
        return [Trigger(*row) for row in rows if row[1] >= 0]

    def labelled(self) -> LabelledNumbers:
        units, k = self.match.shape
        return LabelledNumbers(self.match, (numbered("unit", units), numbered("rank", k)))

    def __repr__(self) -> str:
        units, k = self.match.shape
        return f"Triggers({units} units, the {k} prefixes that match each most, of {int(self.text.max()) + 1} texts)"


@dataclass(frozen=True, eq=False, repr=False)
class PromotedTokens(LabelledResult):
    """The words that values promote most, and by how much: (units, k)."""

    scores: Float[Tensor, "units k"]
    words: Int[Tensor, "units k"]
    units: tuple[int, ...] = ()
    tokenizer: Speller | None = None

    def labelled(self) -> LabelledNumbers:
        axes = numbered("unit", len(self.scores), [str(unit) for unit in self.units])
        return LabelledNumbers(self.scores, (axes, numbered("rank", self.scores.shape[1])))

    def __repr__(self) -> str:
        names = [f"unit {unit}" for unit in self.units]
        lines = entry_lines(names, self.words, self.scores, self.tokenizer)
        return "\n".join(["PromotedTokens(", *(f"  {line}" for line in lines), ")"])


def triggers(
    model: nn.Module,
    batches: Iterable[tuple[Callable[[], object], AttentionMask]],
    *patterns: str,
    k: int = 10,
) -> dict[str, Triggers]:
    """Run a model over a corpus and keep, for every unit, the k prefixes that match its key most: feed-forward layers
    (MLP neurons) as key-value memories, Geva et al. 2021; max-activating examples.

    A batch is a call of the model and which of its tokens are real; texts are numbered in the order in which they come.
    Memory grows with units and k, not with the corpus. `patterns` are blocks ("decoder.3", "encoder.*").
    """
    best_matches: dict[str, tuple[Tensor, Tensor]] = {}
    first = 0
    for call, attention_mask in batches:
        texts = first + torch.arange(len(attention_mask))
        positions = (texts[:, None] * LONGEST + torch.arange(attention_mask.shape[1]))[
            attention_mask.cpu()
        ]  # one number for text and position

        def on_match(
            layer: str, match: Tensor, attention_mask: Tensor = attention_mask, positions: Tensor = positions
        ) -> None:
            expect(layer, "tokens", match.shape[1], attention_mask.shape[1])
            flat = match[attention_mask.to(match.device)].float()  # (tokens, units)
            best, index = flat.topk(min(k, len(flat)), dim=0)
            batch_matches = best.T, positions.to(match.device)[index.T]
            best_matches[layer] = (
                _merge(best_matches[layer], batch_matches, k) if layer in best_matches else batch_matches
            )

        with torch.no_grad(), match_keys(model, on_match, *patterns):
            call()
        first += len(attention_mask)
    if not best_matches:
        raise RegardError("memories need texts that trigger them, got no batch")
    return {layer: _triggers(*best_matches[layer], k) for layer in last_projections(model) if layer in best_matches}


@contextmanager
def match_keys(model: nn.Module, on_match: Callable[[str, Tensor], None], *patterns: str) -> Iterator[None]:
    """While a model runs, tell for every feed-forward layer how far each token matched each key."""
    projections = last_projections(model)
    watched_names = set(match_names(patterns or ["*"], list(projections)))
    with ExitStack() as stack:
        for projection in dict.fromkeys(projections.values()):
            names = [layer for layer, other in projections.items() if other is projection]
            turns = cycle(names)  # a block that serves several depths comes by each in turn

            def hook(module: nn.Module, args: tuple[Tensor, ...], turns: Iterator[str] = turns) -> None:
                if (layer := next(turns)) in watched_names:
                    on_match(layer, args[0].detach())

            stack.callback(projection.register_forward_pre_hook(hook).remove)
        yield


def promoted_tokens(
    model: nn.Module,
    layer: str,
    units: Indices | None = None,
    k: int = 10,
    *,
    tokenizer: Speller | None = None,
) -> PromotedTokens:
    """The words that the values of a block promote most, through the output: all units (MLP neurons), or some.

    Geva et al. 2022; the logit lens on a neuron's weights. `layer` is a block, as in "decoder.3".
    """
    unembedding = Unembedding(model)
    if layer not in unembedding.blocks:
        raise UnknownName(f"{layer} is not followed by the output: known: {', '.join(unembedding.blocks)}")
    values = _narrow(unembedding.blocks[layer]).weight.detach().T  # (units, width)
    chosen = [*range(len(values))] if units is None else numbers(units, len(values), "unit")
    values = values if units is None else values[chosen]
    top = []
    with torch.no_grad():
        for part in values.split(max(1, ROWS // len(unembedding.output.weight))):
            top.append(unembedding.direction(part).topk(min(k, len(unembedding.output.weight))))
    scores, words = (torch.cat([entry[side] for entry in top]) for side in (0, 1))
    return PromotedTokens(scores, words, tuple(chosen), tokenizer)


def last_projections(model: nn.Module) -> dict[str, nn.Module]:
    """What holds the values of every block's feed-forward layer: of our models and of live ones alike."""
    layers = {name: sublayer for name, parts in sites(model).parts if (sublayer := parts.sublayer("feed_forward"))}
    if not layers:
        raise RegardError(f"{type(model).__name__} has no feed-forward layer to look into")
    if any(sublayer.inner is None for sublayer in layers.values()):
        raise RegardError("this block has many feed-forward layers, of which each token goes to a few: no one memory")
    return {name: sublayer.projection for name, sublayer in layers.items()}


def _narrow(block: TransformerBlock) -> nn.Linear:
    """What holds the values of a block."""
    if block.feed_forward is None:
        raise RegardError("this block has no feed-forward layer: it is attention alone")
    if not isinstance(block.feed_forward, FeedForward):
        raise RegardError("this block has many feed-forward layers, of which each token goes to a few: no one memory")
    return block.feed_forward.narrow


def _merge(first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor], k: int) -> tuple[Tensor, Tensor]:
    match, positions = (torch.cat(parts, 1) for parts in zip(first, second, strict=True))
    best, index = match.topk(min(k, match.shape[1]), dim=1)
    return best, positions.gather(1, index)


def _triggers(best: Tensor, positions: Tensor, k: int) -> Triggers:
    """Padded to k, texts and positions apart."""
    short = (0, k - best.shape[1])
    best, positions = nn.functional.pad(best, short), nn.functional.pad(positions, short, value=-1)
    return Triggers(
        best, positions.div(LONGEST, rounding_mode="floor"), torch.where(positions < 0, -1, positions % LONGEST)
    )

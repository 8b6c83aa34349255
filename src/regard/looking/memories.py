"""Feed-forward layers as key-value memories: what triggers each key, which words each value promotes. Geva et al. 2021.

A unit of a feed-forward layer is a key (a row of `widen`) that a vector may match, and a value (a column of `narrow`)
that is added as far as it does. In a gated layer the match is the product of both halves.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import cycle
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.errors import RegardError, UnknownName, expect
from regard.layers import Block
from regard.looking.places import Places, fitting
from regard.looking.unembed import Unembed
from regard.shapes import AttentionMask

ROWS = 1 << 22  # scores of words that are held at once
LONGEST = 1 << 32  # places that a text may have


class Trigger(NamedTuple):
    """A prefix that matches a key: how much, the number of the text, and the place of its last token."""

    match: float
    text: int
    place: int


@dataclass(frozen=True, eq=False)
class Triggers:
    """The prefixes of a corpus that match each key of a layer most, the best first; -1 where there were fewer."""

    match: Float[Tensor, "units k"]
    text: Int[Tensor, "units k"]
    place: Int[Tensor, "units k"]

    def of(self, unit: int) -> list[Trigger]:
        """Those of one unit."""
        rows = zip(self.match[unit].tolist(), self.text[unit].tolist(), self.place[unit].tolist(), strict=True)
        return [Trigger(*row) for row in rows if row[1] >= 0]


class Promoted(NamedTuple):
    """The words that values promote most, and by how much: (units, k)."""

    scores: Tensor
    words: Tensor


def triggers(
    model: nn.Module,
    batches: Iterable[tuple[Callable[[], Any], AttentionMask]],
    *places: str,
    k: int = 10,
) -> dict[str, Triggers]:
    """Run a model over a corpus and keep, for every unit, the k prefixes that match its key most.

    A batch is a call of the model and which of its tokens are real; texts are numbered in the order in which they come.
    Memory grows with units and k, not with the corpus. `places` are blocks ("decoder.3", "encoder.*").
    """
    kept: dict[str, tuple[Tensor, Tensor]] = {}
    first = 0
    for call, attention_mask in batches:
        texts = first + torch.arange(len(attention_mask))
        where = (texts[:, None] * LONGEST + torch.arange(attention_mask.shape[1]))[
            attention_mask.cpu()
        ]  # one number for text and place

        def tell(place: str, match: Tensor, attention_mask: Tensor = attention_mask, where: Tensor = where) -> None:
            expect(place, "tokens", match.shape[1], attention_mask.shape[1])
            flat = match[attention_mask.to(match.device)].float()  # (tokens, units)
            best, index = flat.topk(min(k, len(flat)), dim=0)
            found = best.T, where.to(match.device)[index.T]
            kept[place] = _merged(kept[place], found, k) if place in kept else found

        with torch.no_grad(), matching(model, tell, *places):
            call()
        first += len(attention_mask)
    if not kept:
        raise RegardError("memories need texts that trigger them, got no batch")
    return {place: _triggers(*kept[place], k) for place in _blocks(model) if place in kept}


@contextmanager
def matching(model: nn.Module, tell: Callable[[str, Tensor], None], *places: str) -> Iterator[None]:
    """While a model runs, tell for every feed-forward layer how far each token matched each key."""
    blocks = _blocks(model)
    wanted = set(fitting(places or ["*"], list(blocks)))
    with ExitStack() as stack:
        for block in dict.fromkeys(blocks.values()):
            mine = [place for place, other in blocks.items() if other is block]
            turns = cycle(mine)  # a block that serves several depths comes by each in turn

            def told(module: nn.Module, given: tuple[Tensor, ...], turns: Iterator[str] = turns) -> None:
                if (place := next(turns)) in wanted:
                    tell(place, given[0].detach())

            stack.callback(block.inner.narrow.register_forward_pre_hook(told).remove)
        yield


def promoted(model: nn.Module, place: str, units: Sequence[int] | None = None, k: int = 10) -> Promoted:
    """The words that the values of a block promote most, through the output: all units, or some."""
    last = Unembed(model)
    if place not in last.blocks:
        raise UnknownName(f"{place} is not followed by the output: known: {', '.join(last.blocks)}")
    values = last.blocks[place].inner.narrow.weight.detach().T  # (units, width)
    values = values if units is None else values[list(units)]
    found = []
    with torch.no_grad():
        for some in values.split(max(1, ROWS // len(last.output.weight))):
            found.append(last.direction(some).topk(min(k, len(last.output.weight))))
    return Promoted(torch.cat([one.values for one in found]), torch.cat([one.indices for one in found]))


def _blocks(model: nn.Module) -> dict[str, Block]:
    found = {name: block for name, block in Places(model).blocks.items() if isinstance(block, Block)}
    if not found:
        raise RegardError(f"{type(model).__name__} has no feed-forward layer of ours to look into")
    return found


def _merged(one: tuple[Tensor, Tensor], other: tuple[Tensor, Tensor], k: int) -> tuple[Tensor, Tensor]:
    match, where = (torch.cat(parts, 1) for parts in zip(one, other, strict=True))
    best, index = match.topk(min(k, match.shape[1]), dim=1)
    return best, where.gather(1, index)


def _triggers(best: Tensor, where: Tensor, k: int) -> Triggers:
    """Padded to k, texts and places apart."""
    short = (0, k - best.shape[1])
    best, where = nn.functional.pad(best, short), nn.functional.pad(where, short, value=-1)
    return Triggers(best, where.div(LONGEST, rounding_mode="floor"), torch.where(where < 0, -1, where % LONGEST))

"""How sure heads are of where to look."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

import torch
from torch import Tensor, nn

from regard.attention import Pattern, Tap
from regard.attention.masks.padding import padding
from regard.looking.exam import Exam, Scores
from regard.looking.places import Placed, Places
from regard.looking.watch import tapped

ACROSS = ("cross", "align")  # how places end where one text looks at another


class Sure(Placed):
    """Adds up the largest weight of every query."""

    def __init__(self, names: list[str], closing: Sequence[str]) -> None:
        super().__init__(names)
        self.closing = closing
        self.sums: dict[str, Tensor] = {}
        self.counts: dict[str, int] = {}

    def see(self, pattern: Pattern) -> None:
        place = self.turn()
        closes = any(fnmatchcase(place, name) for name in self.closing)
        largest, attention_mask = surest(pattern, closes=closes, crosses=place.endswith(ACROSS))
        self.sums[place] = self.sums.get(place, 0) + (largest * attention_mask[:, None]).sum((0, 2))
        self.counts[place] = self.counts.get(place, 0) + int(attention_mask.sum())


def surest(pattern: Pattern, *, closes: bool, crosses: bool) -> tuple[Tensor, Tensor]:
    """The largest weight of each query, (batch, heads, queries), and which queries count, (batch, queries).

    With `closes` the last key of every text ends it and is none to be sure of; neither does it ask. With `crosses`
    those who ask are another text, and nothing is known of their padding.
    """
    batch, _, queries, keys = pattern.shape
    hides = padding(pattern.mask)
    there = torch.ones(batch, keys, dtype=torch.bool, device=pattern.query.device)
    there = there if hides is None else hides.attention_mask.expand(batch, keys).clone()
    largest = pattern.top(1).weights[..., 0]
    if closes:
        last = keys - 1 - there.flip(-1).int().argmax(-1)  # (batch,)
        best = pattern.top(2)
        ends = best.places[..., 0] == last[:, None, None]
        second = best.weights[..., 1] if best.weights.shape[-1] > 1 else torch.zeros_like(largest)
        largest = torch.where(ends, second, best.weights[..., 0])
        there[torch.arange(batch), last] = False
    asks = (
        there if queries == keys and not crosses else torch.ones(batch, queries, dtype=torch.bool, device=there.device)
    )
    return largest, asks


@torch.no_grad()
def confidence(model: nn.Module, exam: Exam, *, closing: Sequence[str] = ()) -> Scores:
    """The mean of the largest weight that a head gives away: Voita et al. 2019, 4.

    `closing` names places where the last key is the token that ends a text, which the paper leaves out. Padding does
    not count where a mask says what is padding.
    """
    places = Places(model)
    taps: dict[nn.Module, Tap] = {module: Tap() for module in places.around}
    sure = {module: Sure(places.of(module), closing) for module in dict.fromkeys(places.layers.values())}
    with tapped(taps | sure):
        for batch in exam.batches:
            exam.loss(model, batch)
    found = {place: tap.sums[place] / max(tap.counts[place], 1) for tap in sure.values() for place in tap.sums}
    return {place: found[place] for place in places.layers if place in found}

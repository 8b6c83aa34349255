"""(b) What it costs to watch a layer and look at its first tile."""

from functools import partial

import torch
from measure import interleaved, ratio, scaled
from report import Row, Table
from torch import Tensor

import regard
from parts.tensors import HEADS, WIDTH
from regard.attention import Causal, Mask
from regard.layers import MultiHead


@torch.no_grad()
def table(length: int, repeat: int) -> Table:
    torch.manual_seed(0)
    model, x = MultiHead(HEADS * WIDTH, HEADS).eval(), torch.randn(1, length, HEADS * WIDTH)
    rows = []
    for name, mask in {"no mask": None, "Causal": Causal()}.items():
        times = interleaved(
            {
                "unwatched": partial(model, x, mask=mask),
                "watched": partial(watched, model, x, mask, look=False),
                "and looked at": partial(watched, model, x, mask, look=True),
            },
            repeat,
        )
        note = f"unwatched {scaled(times, 'unwatched', 1e3).median:.0f} ms"
        rows.append(Row(f"watched / unwatched, {name}", ratio(times, "watched", "unwatched"), "x", note=note))
        rows.append(Row(f"watched and first tile / unwatched, {name}", ratio(times, "and looked at", "unwatched"), "x"))
    return Table(f"(b) a watched layer against an unwatched one, N = {length}", rows)


def watched(model: MultiHead, x: Tensor, mask: Mask | None, look: bool) -> Tensor | None:
    with regard.watch(model) as seen:
        model(x, mask=mask)
    return seen["self"][0, 0, :256, :256] if look else None

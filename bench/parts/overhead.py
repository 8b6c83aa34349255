"""(a) What attend() costs on top of the kernel that it calls.

The overhead is Python's, so it is measured with one thread: with several, the kernel's own threads waiting for each
other would drown it.
"""

from functools import partial

import torch
import torch.nn.functional as F
from measure import Spread, Times, calls, interleaved, ratio, scaled, surplus, threads
from report import Row, Table

from parts.tensors import random_heads
from regard.attention import Causal, Mask, Padding, attend

KERNEL = "aten::_scaled_dot_product_flash_attention_for_cpu"
GOAL = 50  # µs

Call = tuple[str, Mask | None, dict]
"""A name, a mask for attend(), and how the bare kernel is told the same."""


def masks(length: int) -> list[Call]:
    padding = Padding.from_lengths([length - length // 8], keys=length)
    attention_mask = padding.attention_mask[:, None, None]
    return [
        ("no mask", None, {}),
        ("Causal", Causal(), {"is_causal": True}),
        ("Causal & Padding", Causal() & padding, {"is_causal": True, "attn_mask": attention_mask}),
    ]


@torch.no_grad()
def table(short: int, long: int, repeat: int) -> Table:
    rows = []
    for name, mask, _ in masks(long):
        count = calls(partial(attend, *random_heads(long), mask=mask), KERNEL)
        rows.append(Row(f"kernel calls, {name}", Spread.of([count]), "calls", 1, exactly=True))
    for name, mask, told in masks(short):
        with threads(1):
            times = against_kernel(short, mask, told, repeat * 20, inner=20)
        more = surplus(times, "attend", "bare", 1e6)
        rows.append(Row(f"overhead at N = {short}, {name}", more, "µs", GOAL, note=both(times, 1e6, "µs")))
    for name, mask, told in masks(long):
        times = against_kernel(long, mask, told, repeat * 4)
        times_as_long = ratio(times, "attend", "bare")
        rows.append(Row(f"attend / bare at N = {long}, {name}", times_as_long, "x", note=both(times, 1e3, "ms")))
    return Table("(a) unwatched attend() against the bare kernel", rows)


def both(times: Times, factor: float, unit: str) -> str:
    mine, bare = scaled(times, "attend", factor).median, scaled(times, "bare", factor).median
    return f"attend {mine:.1f} {unit}, bare {bare:.1f} {unit}"


def against_kernel(length: int, mask: Mask | None, told: dict, repeat: int, inner: int = 1) -> Times:
    heads = random_heads(length)
    return interleaved(
        {
            "attend": partial(attend, *heads, mask=mask),
            "bare": partial(F.scaled_dot_product_attention, *heads, **told),
        },
        repeat,
        inner=inner,
    )

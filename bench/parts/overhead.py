"""(a) What attend() costs on top of the kernel that it calls."""

from functools import partial

import torch
import torch.nn.functional as F
from measure import Spread, calls, interleaved, ratio, scaled, surplus
from report import Row, Table

from parts.tensors import random_heads
from regard.attention import Causal, Mask, Padding, attend

KERNEL = "aten::_scaled_dot_product_flash_attention_for_cpu"
GOAL = 50  # µs

Call = tuple[str, Mask | None, dict]
"""A name, a mask for attend(), and how the bare kernel is told the same."""


def masks(length: int) -> list[Call]:
    padding = Padding.from_lengths([length - length // 8], keys=length)
    real = padding.real[:, None, None]
    return [
        ("no mask", None, {}),
        ("Causal", Causal(), {"is_causal": True}),
        ("Causal & Padding", Causal() & padding, {"is_causal": True, "attn_mask": real}),
    ]


@torch.no_grad()
def table(short: int, long: int, repeat: int) -> Table:
    rows = []
    for name, mask, _ in masks(long):
        count = calls(partial(attend, *random_heads(long), mask=mask), KERNEL)
        rows.append(Row(f"kernel calls, {name}", Spread.of([count]), "calls", 1, exactly=True))
    for name, mask, told in masks(short):
        times = against_kernel(short, mask, told, repeat * 4, inner=100)
        both = f"attend {scaled(times, 'attend', 1e6).median:.1f} µs, bare {scaled(times, 'bare', 1e6).median:.1f} µs"
        rows.append(
            Row(f"overhead at N = {short}, {name}", surplus(times, "attend", "bare", 1e6), "µs", GOAL, note=both)
        )
    for name, mask, told in masks(long):
        times = against_kernel(long, mask, told, repeat * 4)
        both = f"attend {scaled(times, 'attend', 1e3).median:.1f} ms, bare {scaled(times, 'bare', 1e3).median:.1f} ms"
        rows.append(Row(f"attend / bare at N = {long}, {name}", ratio(times, "attend", "bare"), "x", note=both))
    return Table("(a) unwatched attend() against the bare kernel", rows)


def against_kernel(length: int, mask: Mask | None, told: dict, repeat: int, inner: int = 1):
    heads = random_heads(length)
    return interleaved(
        {
            "attend": partial(attend, *heads, mask=mask),
            "bare": partial(F.scaled_dot_product_attention, *heads, **told),
        },
        repeat,
        inner=inner,
    )

"""(d) What the looks cost after a long call, beside the kernel's own time."""

from functools import partial

import torch
import torch.nn.functional as F
from measure import Spread, held, interleaved, ratio, scaled
from report import Row, Table

from parts.tensors import HEADS, random_heads
from regard.attention import Causal, Mask, Pattern, Tap, attend

TILE, OTHERS, MEMORY = 20, 1.5, 100  # ms, times the kernel, MiB


class Look(Tap):
    """Keeps what it sees."""

    def see(self, pattern: Pattern) -> None:
        self.pattern = pattern


@torch.no_grad()
def table(length: int, cells: int, repeat: int, seconds: float) -> Table:
    """At most this many seconds for each mask, beside one round for memory; never less than one timed round."""
    rows = []
    for name, mask in {"no mask": None, "Causal": Causal()}.items():
        rows += looked_at(name, mask, length, cells, repeat, seconds)
    return Table(f"(d) looks at {HEADS} heads after one call, N = {length}", rows)


def looked_at(name: str, mask: Mask | None, length: int, cells: int, repeat: int, seconds: float) -> list[Row]:
    heads, tap = random_heads(length), Look()
    attend(*heads, mask=mask, taps=(tap,))
    pattern, middle = tap.pattern, slice(length // 2, length // 2 + 256)
    looks = {
        "tile 256 x 256": lambda: pattern[0, 0, middle, :256],
        "top(16)": partial(pattern.top, 16),
        f"pooled({cells}, {cells})": partial(pattern.pool, cells, cells),
    }
    memory = {look: held(action).peak for look, action in looks.items()}  # warms up, too
    kernel = partial(F.scaled_dot_product_attention, *heads, is_causal=mask is not None)
    times = interleaved({"kernel": kernel, **looks}, repeat, seconds=seconds, warm=False)
    rows = [Row(f"kernel, {name}", scaled(times, "kernel", 1e3), "ms")]
    for look in looks:
        if look.startswith("tile"):
            rows.append(Row(f"{look}, {name}", scaled(times, look, 1e3), "ms", TILE))
        else:
            note = f"{scaled(times, look, 1e3).median:,.0f} ms"
            rows.append(Row(f"{look} / kernel, {name}", ratio(times, look, "kernel"), "x", OTHERS, note=note))
    rows += [Row(f"memory of {look}, {name}", Spread.of([most]), "MiB", MEMORY) for look, most in memory.items()]
    return rows

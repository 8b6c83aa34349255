"""(e) What the papers say about cost, as ratios on this machine."""

from functools import partial

import torch
from measure import MIB, Spread, held, interleaved, ratio, scaled
from report import Row, Table
from torch import Tensor

from parts.tensors import HEADS, WIDTH, random_heads
from regard.attention import SCORES, Additive, BucketBias, Pattern, attend


def table(length: int, long: int, repeat: int) -> Table:
    return Table(
        "(e) claims of the textbook",
        [*dot_and_additive(length, repeat), *one_head_and_eight(long, repeat), *forward_and_backward(long)],
    )


@torch.no_grad()
def dot_and_additive(length: int, repeat: int) -> list[Row]:
    """Dot products are "much faster and more space-efficient in practice": Vaswani et al. 2017, 3.2.1."""
    torch.manual_seed(0)
    heads = random_heads(length)
    score = Additive(SCORES["additive"](HEADS, WIDTH).vector)
    contenders = {
        "dot": partial(attend, *heads),
        "additive": partial(attend, *heads, score=score),
        "dot, weights": Pattern(*heads[:2]).weights,
        "additive, weights": Pattern(*heads[:2], score=score).weights,
    }
    times = interleaved(contenders, repeat, seconds=15)
    memory = {name: Spread.of([held(action).peak]) for name, action in contenders.items()}
    size = f"N = {length}, {HEADS} x {WIDTH}"
    rows = [
        Row(
            f"additive / dot score, {what}",
            ratio(times, "additive" + ending, "dot" + ending),
            "x",
            note=f"{size}: {scaled(times, 'additive' + ending, 1e3).median:,.0f} ms, "
            f"{scaled(times, 'dot' + ending, 1e3).median:,.1f} ms",
        )
        for what, ending in {"attend": "", "weights with no kernel": ", weights"}.items()
    ]
    rows += [Row(f"memory of attend, {name} score", memory[name], "MiB", note=size) for name in ("dot", "additive")]
    return rows


@torch.no_grad()
def one_head_and_eight(length: int, repeat: int) -> list[Row]:
    """Several narrow heads cost about as much as a wide one: Vaswani et al. 2017, 3.2.2."""
    times = interleaved(
        {
            "eight": partial(attend, *random_heads(length)),
            "one": partial(attend, *random_heads(length, 1, HEADS * WIDTH)),
        },
        repeat,
        seconds=15,
    )
    note = f"N = {length}, {HEADS * WIDTH} wide in all: {scaled(times, 'eight', 1e3).median:,.0f} ms, "
    note += f"{scaled(times, 'one', 1e3).median:,.0f} ms"
    return [Row("eight heads / one head", ratio(times, "eight", "one"), "x", note=note)]


def forward_and_backward(length: int) -> list[Row]:
    """Training holds more than running; but not queries x keys, where those are worked out again."""
    line = torch.zeros(HEADS, 257, requires_grad=True)
    ways = {"kernel": attend, "learned bias": partial(attend, bias=BucketBias(line)), "by hand": by_hand}
    rows = []
    for name, way in ways.items():
        heads = [tensor.requires_grad_() for tensor in random_heads(length)]
        with torch.no_grad():
            forward = held(partial(way, *heads)).peak
        both = held(lambda way=way, heads=heads: way(*heads).sum().backward()).peak
        note = f"N = {length}: {both:,.0f} MiB, {forward:,.0f} MiB"
        rows.append(Row(f"memory forward and backward / forward, {name}", Spread.of([both / forward]), "x", note=note))
    rows.append(Row("dense weights alone", Spread.of([HEADS * length**2 * 4 / MIB]), "MiB", note=f"N = {length}"))
    return rows


def by_hand(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The formula as the paper prints it."""
    return torch.softmax(query @ key.transpose(-1, -2) / WIDTH**0.5, -1) @ value

"""How large the steps are, from the first to the last."""

import math
from collections.abc import Callable

from regard.errors import lookup

Schedule = Callable[[int, int, int], float]
"""The share of the highest rate at a step after the warm-up: (step, warm-up, steps in all)."""


def constant(step: int, warmup: int, steps: int) -> float:
    return 1.0


def inverse_square_root(step: int, warmup: int, steps: int) -> float:
    """Vaswani et al. 2017, 5.3."""
    return math.sqrt(max(warmup, 1) / max(step, 1))


def linear(step: int, warmup: int, steps: int) -> float:
    """Down to nothing after the last step, and never above the highest rate: Devlin et al. 2019."""
    return min(1.0, max(0.0, (steps - step + 1) / max(steps - warmup, 1)))


def cosine(step: int, warmup: int, steps: int) -> float:
    """Loshchilov and Hutter 2017, one period."""
    return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warmup) / max(steps - warmup, 1))))


SCHEDULES: dict[str, Schedule] = {
    "constant": constant,
    "inverse-square-root": inverse_square_root,
    "linear": linear,
    "cosine": cosine,
}


def learning_rate_at(
    step: int, *, peak: float, schedule: str, warmup: int, steps: int, minimum: float = 0.0, cooldown: int = 0
) -> float:
    """The rate of step 1, 2, …: it grows evenly over the warm-up, then follows the schedule down towards `floor`.

    Over the last `cooldown` steps it falls evenly to the floor from wherever it was: Zhai et al. 2022, 3.5.
    """
    shape = lookup(SCHEDULES, schedule, "schedule")
    if step < warmup:
        return peak * step / warmup
    left = min(1.0, (steps - step + 1) / cooldown) if cooldown else 1.0
    return minimum + (peak - minimum) * shape(step, warmup, steps) * left

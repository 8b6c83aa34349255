"""What parts of tables learn: position schemes, scores and attention methods, without torch.

Each is a function of the settings of its part, by the names and with the usual values that the part's constructor has
them; tests hold the two to each other. What is not in these tables counts as nothing, and a drawing says so.
"""

from collections.abc import Callable, Mapping

from regard.families.recipe_parts import PartTables

Weigh = Callable[..., int]


def scaled_dot(heads: int, width: int, scale: float | None = None) -> int:
    return 0


def cosine(heads: int, width: int, inverse_temperature: float = 10.0) -> int:
    return heads


def tempered(heads: int, width: int) -> int:
    return heads


def bilinear(heads: int, width: int, key_width: int | None = None) -> int:
    return heads * width * (width if key_width is None else key_width)


def additive(heads: int, width: int, key_width: int | None = None, score_width: int | None = None) -> int:
    key_width = width if key_width is None else key_width
    score_width = width if score_width is None else score_width
    return heads * score_width * (width + key_width + 1)


def location(heads: int, width: int, positions: int = 512) -> int:
    return heads * positions * width


def shaw(heads: int, width: int, reach: int = 16) -> int:
    return heads * (2 * reach + 1) * width


def distances(heads: int, width: int) -> int:
    return heads * width * (2 + width)


def kernel(heads: int, width: int, feature: str = "elu") -> int:
    return 0


def softcap(heads: int, width: int, cap: float = 50.0, scale: float | None = None) -> int:
    return 0


SCORE_WEIGHTS: dict[str, Weigh] = {
    "dot": scaled_dot,
    "cosine": cosine,
    "tempered": tempered,
    "bilinear": bilinear,
    "additive": additive,
    "location": location,
    "shaw": shaw,
    "xl": distances,
    "kernel": kernel,
    "softcap": softcap,
}
RELATIVE = {"shaw", "xl"}
"""Scores of distances, which attention to a source has not."""


def no_position() -> int:
    return 0


def sinusoidal(width: int, layout: str = "neighbours", steps: int | None = None, start: int = 0) -> int:
    return 0


def learned(length: int, width: int, offset: int = 0) -> int:
    return (length + offset) * width


def rotary(
    head_width: int,
    base: float = 10000.0,
    pairing: str = "halves",
    scaling: object = None,
    rotary_width: int | None = None,
) -> int:
    return 0


def alibi(heads: int) -> int:
    return 0


def distance_buckets(heads: int, buckets: int = 32, reach: int = 128, both_ways: bool = True) -> int:
    return heads * buckets


POSITION_WEIGHTS: dict[str, Weigh] = {
    "none": no_position,
    "sinusoidal": sinusoidal,
    "learned": learned,
    "rotary": rotary,
    "alibi": alibi,
    "buckets": distance_buckets,
}


def window(before: int, after: int = 0) -> int:
    return 0


def lsh(rounds: int = 4, chunk: int = 64, buckets: int | None = None, seed: int = 0) -> int:
    return 0


def linear_attention(feature: str = "elu") -> int:
    return 0


def low_rank(length: int, slots: int = 64) -> int:
    return 2 * slots * length


METHOD_WEIGHTS: dict[str, Weigh] = {
    "window": window,
    "lsh": lsh,
    "linear": linear_attention,
    "low-rank": low_rank,
}
SHARING = {"lsh"}
"""Methods in which queries are their own keys."""
PART_WEIGHTS = PartTables(POSITION_WEIGHTS, SCORE_WEIGHTS, METHOD_WEIGHTS)


def part_weights(table: Mapping[str, Weigh], kind: str, settings: Mapping[str, object]) -> int:
    """What a part of a table learns; nothing that is known of, where it is not in the table."""
    return table[kind](**settings) if kind in table else 0

"""The settings that a live model is watched in: padding, cache, implementation, which layers, how it is run."""

from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Any

from looking.live.families import AUTO, BIASED, FAMILIES, SINKS, Family, config

MASKS = ("no mask", "left", "right")
CACHES = ("no cache", "dynamic", "static", "sliding", "quantised")
IMPLEMENTATIONS = ("sdpa", "eager", "flex_attention")
LAYERS = ("all", "one", "cross")
FULL, WINDOWED = {"full_attention"}, {"sliding_attention", "chunked_attention"}
WAYS = ("forward", "greedy", "beam", "sample")


@dataclass(frozen=True)
class Sizes:
    """How long texts are, and in which parts they come."""

    batch: int = 2
    length: int = 9
    prompt: int = 4  # what a pair of encoder and decoder begins to write from
    padding: tuple[int, ...] = ()  # of each member; () is some of one
    parts: tuple[int, ...] = (6, 2, 1)  # of a text that is read with a cache
    new_tokens: int = 4
    beams: int = 2
    seed: int = 1


@dataclass(frozen=True)
class Setting:
    """One combination of settings."""

    mask: str
    cache: str
    implementation: str
    layers: str
    way: str
    sizes: Sizes = Sizes()

    @property
    def values(self) -> tuple[str, ...]:
        return self.mask, self.cache, self.implementation, self.layers, self.way

    def __str__(self) -> str:
        return ", ".join(self.values) + (f", {self.sizes}" if self.sizes != Sizes() else "")


PRODUCT = tuple(Setting(*values) for values in product(MASKS, CACHES, IMPLEMENTATIONS, LAYERS, WAYS))


def not_run(family: Family, setting: Setting) -> str | None:
    """Why a setting makes no sense for a family, or transformers does not have it; None where it is run."""
    if not family.writes and setting.cache != "no cache":
        return "an encoder has no cache"
    if not family.writes and setting.way != "forward":
        return "an encoder does not write"
    if setting.layers == "cross" and not family.is_pair:
        return "no cross-attention"
    if setting.implementation not in implementations(family.name):
        return f"transformers has no {setting.implementation} for it"
    if setting.cache == "static" and setting.implementation == "flex_attention":
        return "transformers' flex attention is wrong with a static cache, whose length moves under its mask"
    if setting.implementation == "flex_attention" and setting.way == "beam" and family.name in BIASED:
        return "transformers' flex attention takes no more than one text with this family's bias"
    if setting.implementation == "flex_attention" and family.name in SINKS:
        return "transformers' flex attention has no sinks on a processor"
    if setting.implementation == "flex_attention" and family.name == "doge":
        return "transformers' flex attention leaves out the mask that Doge computes"
    kinds = layer_types(family.name)
    if setting.cache == "sliding" and not kinds & WINDOWED:
        return "no sliding window"
    if setting.cache == "quantised" and not kinds <= FULL:
        return "transformers quantises caches of full attention only"
    return None


@cache
def implementations(name: str) -> tuple[str, ...]:
    """What a family's attention can be run by."""
    family = FAMILIES[name]
    kind = AUTO[family.role]._model_mapping[type(config(family))]
    kind = kind[0] if isinstance(kind, list | tuple) else kind
    flags = {"sdpa": "_supports_sdpa", "flex_attention": "_supports_flex_attn"}
    return ("eager", *(name for name, flag in flags.items() if getattr(kind, flag, False)))


@cache
def layer_types(name: str) -> frozenset[str]:
    """The kinds of layers of a family."""
    return kinds_of(config(FAMILIES[name]))


def kinds_of(config: Any) -> frozenset[str]:
    """The kinds of layers that transformers makes caches for."""
    from transformers.cache_utils import get_layer_types_and_kwargs

    return frozenset(get_layer_types_and_kwargs(config.get_text_config(decoder=True))[0])


def every(family: Family) -> tuple[Setting, ...]:
    """All settings that are run for a family."""
    return tuple(setting for setting in PRODUCT if not_run(family, setting) is None)


def pairs(family: Family) -> tuple[Setting, ...]:
    """Few settings in which every pair of values comes together that ever does."""
    return covering(every(family))


@cache
def covering(settings: tuple[Setting, ...]) -> tuple[Setting, ...]:
    """A choice of settings that has all their pairs of values, found greedily."""
    open_pairs = {pair for setting in settings for pair in pairs_of(setting)}
    chosen = []
    while open_pairs:
        best = max(settings, key=lambda setting: len(open_pairs & pairs_of(setting)))
        chosen.append(best)
        open_pairs -= pairs_of(best)
    return tuple(chosen)


@cache
def pairs_of(setting: Setting) -> frozenset[tuple[tuple[int, str], ...]]:
    return frozenset(combinations(enumerate(setting.values), 2))

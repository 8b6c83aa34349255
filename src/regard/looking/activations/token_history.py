"""The tokens that texts have so far while they are written with a cache: kept beside it, and moved as it is.

A model that writes is told the newest token alone; an edit that begins at a token has to know those before it.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from regard.attention import Cache
from regard.errors import RegardError
from regard.layers import BlockCache
from regard.looking.live.calls import is_cache
from regard.positions import positions_of

UNKNOWN = "edits that start or stop at tokens need the tokens of a text from its first on"


class TokenHistory:
    """What was read into each cache of one thread, as long as the cache lives."""

    def __init__(self) -> None:
        self.tokens: WeakKeyDictionary[Any, Tensor] = WeakKeyDictionary()
        self.without_cache: Tensor | None = None  # what is being read, as long as no cache was met

    def read(self, inputs: Mapping[str, object]) -> Callable[[], Tensor]:
        """A stack is about to read: how to find the tokens of its texts by position, those in its cache included."""
        tokens = next((x for name in ("tokens", "input_ids") if isinstance(x := inputs.get(name), Tensor)), None)
        if tokens is None or tokens.is_floating_point():
            self.without_cache = None
            return unknown
        cached = cache_of(inputs)
        past = length_of(cached)
        before = self.tokens.get(cached) if cached is not None and past else None
        if past and (before is None or before.shape[1] != past or len(before) != len(tokens)):
            self.without_cache = None
            return unknown
        whole = tokens if before is None else torch.cat([before, tokens], 1)
        self.without_cache = whole
        self.meet(cached)
        mask = inputs.get("attention_mask")
        return lambda: by_position(whole, mask if isinstance(mask, Tensor) and mask.ndim == 2 else None)

    def meet(self, cached: Any) -> None:
        """A cache holds what is being read; a stack may make its own, and hand it to its blocks."""
        if cached is not None and self.without_cache is not None:
            follow(cached, self)
            self.tokens[cached], self.without_cache = self.without_cache, None

    def move(self, cached: object, change: Callable[[Tensor], Tensor]) -> None:
        """Members of the batch of a cache were reordered, repeated or dropped, or its end was cut off."""
        if cached in self.tokens:
            self.tokens[cached] = change(self.tokens[cached])

    def forget(self) -> None:
        """Nobody asks any more: caches are as they were."""
        for cached in list(self.tokens):
            vars(cached).pop("_regard_history", None)
            cached.__class__ = getattr(type(cached), "followed_class", type(cached))
        self.tokens.clear()


def unknown() -> Tensor:
    raise RegardError(f"{UNKNOWN}: these were read elsewhere, or are no tokens")


def cache_of(inputs: Mapping[str, object]) -> Any:
    """Where a stack of ours or of transformers keeps what it has read, if it does."""
    caches = inputs.get("caches")
    if isinstance(caches, tuple | list) and caches and isinstance(caches[0], BlockCache):
        return caches[0].self
    return next((value for value in inputs.values() if is_cache(value) or hasattr(value, "get_seq_length")), None)


def length_of(cached: Any) -> int:
    """How many columns of tokens were read into a cache."""
    if cached is None:
        return 0
    return cached.length if isinstance(cached, Cache) else int(cached.get_seq_length())


def by_position(tokens: Tensor, attention_mask: Tensor | None) -> Tensor:
    """Tokens by their position in their texts, (batch, positions): padding left out, -1 behind the end of a text."""
    if attention_mask is None:
        return tokens
    mask = attention_mask[:, : tokens.shape[1]].bool().to(tokens.device)
    if mask.shape != tokens.shape:
        return unknown()
    positions = positions_of(mask, tokens.shape[1])
    result = torch.full_like(tokens, -1)
    rows = torch.arange(len(tokens), device=tokens.device)[:, None].expand_as(tokens)
    result[rows[mask], positions[mask]] = tokens[mask]
    return result


def follow(cached: Any, history: TokenHistory) -> None:
    """From now on whoever moves the members of a cache moves their tokens, too."""
    cached._regard_history = history
    if not hasattr(type(cached), "followed_class"):
        cached.__class__ = following(type(cached))


@cache
def following(kind: type[Any]) -> type[Any]:
    """A class of caches that tells its history of tokens when its members move."""

    class Followed(kind):
        followed_class = kind

        def select(self, rows: Tensor) -> None:  # ours
            super().select(rows)
            moved(self, lambda tokens: tokens[rows.to(tokens.device)])

        def reorder_cache(self, beam_idx: Tensor) -> Any:  # transformers'
            result = super().reorder_cache(beam_idx)
            moved(self, lambda tokens: tokens[beam_idx.to(tokens.device)])
            return result

        def batch_select_indices(self, indices: Tensor) -> Any:
            result = super().batch_select_indices(indices)
            moved(self, lambda tokens: tokens[indices.to(tokens.device)])
            return result

        def batch_repeat_interleave(self, repeats: int) -> Any:
            result = super().batch_repeat_interleave(repeats)
            moved(self, lambda tokens: tokens.repeat_interleave(repeats, 0))
            return result

        def crop(self, *args: Any, **kwargs: Any) -> Any:
            result = super().crop(*args, **kwargs)
            moved(self, lambda tokens: tokens[:, : length_of(self)])
            return result

    Followed.__name__, Followed.__qualname__ = kind.__name__, kind.__qualname__
    return Followed


def moved(cached: Any, change: Callable[[Tensor], Tensor]) -> None:
    """Tell the history of a cache, if it still has one, what became of its members."""
    history = vars(cached).get("_regard_history")
    if history is not None:
        history.move(cached, change)

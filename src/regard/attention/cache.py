"""Keys and values of the tokens that were read already."""

import torch
from jaxtyping import Float
from torch import Tensor

from regard.shapes import Keys, Values

AllKeys = Float[Tensor, "batch kv_heads all_keys key_width"]
AllValues = Float[Tensor, "batch kv_heads all_keys value_width"]
ROOM = 4  # positions, at least, that a cache which has to grow grows by
SHARE = 8  # or a part of what it holds already: one in so many


class Cache:
    """What one attention layer remembers while a sequence grows.

    There is always some room left, in proportion, so that n tokens cost a few times n writes and not n²/2, and
    little memory is held for tokens that never come; who knows how many will come says so (`capacity`).
    """

    length: int
    capacity: int

    def __init__(self, capacity: int = 0) -> None:
        self._key: Tensor | None = None
        self._value: Tensor | None = None
        self.length = 0
        self.capacity = capacity

    @property
    def key(self) -> Keys | None:
        return None if self._key is None else self._key[:, :, : self.length]

    @property
    def value(self) -> Values | None:
        return None if self._value is None else self._value[:, :, : self.length]

    def extend(self, key: Keys, value: Values) -> tuple[AllKeys, AllValues]:
        """Remember more keys and values; returns all of them."""
        start, self.length = self.length, self.length + key.shape[2]
        self._key = append(self._key, key, start, self.length, self.capacity)
        self._value = append(self._value, value, start, self.length, self.capacity)
        return self._key[:, :, : self.length], self._value[:, :, : self.length]

    def fill(self, key: Keys, value: Values) -> tuple[Keys, Values]:
        """Remember all there will ever be: a source does not grow."""
        self._key, self._value, self.length = key.contiguous(), value.contiguous(), key.shape[2]
        return self._key, self._value

    def keep_last(self, count: int) -> None:
        """From now on only the last positions, so many of them."""
        if self._key is not None and self._value is not None:
            last = slice(max(self.length - count, 0), self.length)
            self._key, self._value = self._key[:, :, last], self._value[:, :, last]
            self.length = self._key.shape[2]

    def select(self, rows: Tensor) -> None:
        """From now on these members of the batch: reordered, repeated or dropped.

        In place, one tensor after the other: there are never two copies of the whole.
        """
        if self._key is not None and self._value is not None:
            self._key = self._key.index_select(0, rows)
            self._value = self._value.index_select(0, rows)


def append(buffer: Tensor | None, more: Tensor, start: int, stop: int, capacity: int = 0) -> Tensor:
    """The buffer with more written at its end, in a larger one if it is full or if a gradient may want the old one."""
    if buffer is None or buffer.shape[2] < stop or torch.is_grad_enabled():
        room = 0 if torch.is_grad_enabled() else max(ROOM, stop // SHARE)
        room = capacity - stop if stop <= capacity else room
        empty = more.new_empty(*more.shape[:2], room, more.shape[3])
        old = [] if buffer is None else [buffer[:, :, :start]]
        return torch.cat([*old, more, empty], 2)
    buffer[:, :, start:stop] = more
    return buffer

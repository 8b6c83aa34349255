"""The sizes of a stack, as far as a part of it wants to know them."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from inspect import signature


@dataclass(frozen=True)
class PartSizes:
    """What a position scheme or an attention method may ask for, by the names of its constructor's arguments."""

    width: int
    heads: int
    head_width: int
    length: int
    both_ways: bool = True

    def arguments(self, part: Callable[..., object]) -> dict[str, object]:
        """Those sizes that this part asks for."""
        names = signature(part).parameters
        return {name: size for name, size in asdict(self).items() if name in names}

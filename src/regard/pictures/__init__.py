"""Grids and labels become pictures: terminal, SVG, PNG, one-file HTML; numbers and names go in, no model is known.

The names are loaded when first used: a result that can be drawn need not wait for it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from regard.lazy import lazy_names

if TYPE_CHECKING:
    from regard.pictures.files import save
    from regard.pictures.picture import Album, Picture
    from regard.pictures.scales import SCALES, DivergingScale, LinearScale, LogScale, WithoutSinkScale

__all__ = ["SCALES", "Album", "DivergingScale", "LinearScale", "LogScale", "Picture", "WithoutSinkScale", "save"]

_PUBLIC = {
    "Album": ".picture",
    "DivergingScale": ".scales",
    "LinearScale": ".scales",
    "LogScale": ".scales",
    "Picture": ".picture",
    "SCALES": ".scales",
    "WithoutSinkScale": ".scales",
    "save": ".files",
}

__getattr__: Callable[[str], object]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = lazy_names(__name__, _PUBLIC)

"""In a notebook: a page to be used where pictures stand still elsewhere. Who has such a page is not known here."""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib.metadata import entry_points
from typing import Any

from regard.pictures.grids import Labels
from regard.pictures.picture import Album, Picture

GROUP = "regard.notebook"
"""Entry points that are called with looks and a batch member, and give something that a notebook displays, or None."""

SMALL = 1 << 15  # weights of a layer whose pictures are kept beside the page
Looks = Mapping[str, tuple[Any, Labels, Labels]]
"""What is looked at, by its layer: a pattern, with names for its rows and columns."""


class Live(Album):
    """An album of a notebook: displayed as a page, and drawn once somebody wants its pictures."""

    page: Any  # a widget of whoever has one
    drawn: Callable[[], Album]

    is_small: bool

    def __init__(self, page: Any, drawn: Callable[[], Album], is_small: bool) -> None:
        vars(self).update(page=page, drawn=drawn, is_small=is_small)

    @cached_property
    def pictures(self) -> Sequence[Picture]:  # type: ignore[override]  # a field there, drawn late here
        return self.drawn().pictures

    def _repr_mimebundle_(self, **wanted: Any) -> Any:
        """The page; and, for a document that is exported without a kernel, the pictures, where there are few."""
        bundle = self.page._repr_mimebundle_(**wanted)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        if self.is_small and isinstance(data, dict):
            data["text/html"] = self.drawn()._repr_html_()
        return bundle

    def _repr_html_(self) -> None:  # type: ignore[override]  # None: a notebook then takes the bundle
        """Nothing beside the page."""

    def _repr_svg_(self) -> None:  # type: ignore[override]  # the same
        """Nothing beside the page."""


def live(looks: Looks, batch: int, drawn: Callable[[], Album]) -> Album:
    """A page in a cell, if this is a notebook and somebody has one; elsewhere the album."""
    for entry in entry_points(group=GROUP) if in_notebook() else ():
        if (page := entry.load()(looks, batch)) is not None:
            return Live(page, drawn, all(weights(pattern) <= SMALL for pattern, _, _ in looks.values()))
    return drawn()


def weights(pattern: Any) -> int:
    """How many weights all heads have together."""
    _, heads, queries, keys = pattern.shape
    return heads * queries * keys


def in_notebook() -> bool:
    """Whether cells are run here, by a kernel."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(shell, "kernel", None) is not None

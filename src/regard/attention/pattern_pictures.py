"""What a Pattern looks like: its heads as pictures, exact where there is room, an overview where there is none."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack, cast

import numpy as np
from numpy.typing import DTypeLike
from torch import Tensor

from regard.attention.looks import edges
from regard.attention.regions import Indices, numbers
from regard.errors import ShapeError
from regard.pictures import Album, Picture
from regard.pictures.notebook import live
from regard.pictures.picture import ByWord
from regard.pictures.scales import Scale

if TYPE_CHECKING:
    from regard.attention.pattern import Pattern

CELLS = 128
"""Rows and columns of a picture; longer patterns are pooled, each cell the largest weight of its region."""


class DrawOptions(TypedDict, total=False):
    """How numbers become a picture."""

    scale: Scale | str
    words: ByWord
    cells: int | None


class AlbumOptions(DrawOptions, total=False):
    """The same, with what rows, columns and the whole are called."""

    rows: Sequence[str] | None
    columns: Sequence[str] | None
    title: str


class PatternPictures:
    """How a Pattern is drawn, shown and saved, and handed to numpy."""

    def draw(self, head: int = 0, batch: int = 0, rows: Iterable[str] = (), columns: Iterable[str] = ()) -> str:
        """One head as a picture for the terminal."""
        return self.album([head], batch, rows=list(rows) or None, columns=list(columns) or None, cells=None).draw()

    def show(
        self,
        heads: Indices | None = None,
        batch: int = 0,
        *,
        rows: Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        title: str = "",
        **how: Unpack[DrawOptions],
    ) -> Album:
        """In a notebook the viewer's page, with the extra `notebook`; elsewhere the pictures of `album`.

        Heads, and whatever else is said about how to draw (`scale`, `words`, `cells`), ask for pictures.
        """
        drawn = partial(self.album, heads, batch, rows=rows, columns=columns, title=title, **how)
        return drawn() if heads is not None or how else live({title or "pattern": (self, rows, columns)}, batch, drawn)

    def album(
        self,
        heads: Indices | None = None,
        batch: int = 0,
        *,
        rows: Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        title: str = "",
        scale: Scale | str = "linear",
        words: ByWord = False,
        cells: int | None = CELLS,
    ) -> Album:
        """Some heads, or all, as pictures: drawn in a notebook as an SVG, elsewhere with `.draw()` or `.save(path)`.

        `rows` and `columns` name the tokens; `scale` and `words` are those of `regard.pictures`. More than `cells`
        queries or keys become an overview in which no weight of an N x N matrix is kept; None draws every weight.
        """
        pattern = cast("Pattern", self)
        chosen = numbers(heads, pattern.shape[1], "head")
        member = numbers([batch], pattern.shape[0], "batch member")[0]
        whole = cells is None or max(pattern.shape[2:]) <= cells
        if words is not False and not whole:
            raise ShapeError(
                f"words are put together from at most {cells} tokens, got {pattern.shape[3]}: give cells=None"
            )
        pictures = []
        for head in chosen:
            if whole:
                grid, names = pattern[member, head], (rows, columns)
            else:
                assert cells is not None
                grid, names, title = overview(
                    pattern.narrow(slice(member, member + 1), slice(head, head + 1)), cells, title
                )
            pictures.append(Picture(grid.tolist(), *names, title, f"head {head}", scale, words=words))
        return Album(pictures)

    def save(self, path: str | Path, heads: Indices | None = None, batch: int = 0, **how: Unpack[AlbumOptions]) -> None:
        """Write heads as pictures, in the form that the ending says: .html, .svg, .png or .txt; `how` as in album()."""
        self.album(heads, batch, **how).save(path)

    def _repr_html_(self) -> str:
        return self.album(cells=64).svg()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        """The exact weights for numpy, refused above 1 GiB as `weights()` are."""
        if copy is False:
            raise ShapeError("the weights of a Pattern are computed: an array of them is a copy, got copy=False")
        weights = cast("Pattern", self).weights().detach().cpu().numpy()
        return weights if dtype is None else weights.astype(dtype, copy=False)


def overview(pattern: "Pattern", cells: int, title: str) -> tuple[Tensor, tuple[list[str], list[str]], str]:
    """The largest weights of nearly equal regions, the positions of each, and a title that says so."""
    down, across = (min(size, cells) for size in pattern.shape[2:])
    note = f"the largest weight of {-(-pattern.shape[2] // down)} x {-(-pattern.shape[3] // across)} in each cell"
    names = runs(pattern.shape[2], down), runs(pattern.shape[3], across)
    full_title = title if note in title else " · ".join(part for part in (title, note) if part)
    return pattern.pool(down, across, "max")[0, 0], names, full_title


def runs(size: int, cells: int) -> list[str]:
    """Names of cells by the positions that they hold: 0-63, 64-127."""
    cuts = edges(size, cells).tolist()
    return [f"{start}-{stop - 1}" if stop - start > 1 else str(start) for start, stop in pairwise(cuts)]

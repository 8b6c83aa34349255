"""What every drawing of a grid is told: numbers, names, a scale. No model is known here."""

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, replace
from pathlib import Path

from regard.errors import ShapeError
from regard.pictures.grids import Labels, plain
from regard.pictures.labels import visible
from regard.pictures.scales import Scale, Table, scale_of
from regard.pictures.words import Words, group_words, join_labels, word_numbers

ByWord = bool | tuple[Words | None, Words | None]
"""Whether subwords become words: told from how tokens are spelled, or by the numbers of words of rows and columns."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A grid of numbers with a name for each row and column.

    `title` and `part` say what it is ("decoder.2.cross", "head 1"); pictures with one title are drawn side by side, and
    chosen together. `scale` is a name ("linear", "log", "sink", "largest", "difference") or a Scale. With `words`,
    looks at a word's tokens are added up and looks of its tokens averaged. `notes` are what else each cell has to say.
    """

    grid: object
    rows: Labels = None
    columns: Labels = None
    title: str = ""
    part: str = ""
    scale: Scale | str = "linear"
    notes: Sequence[Sequence[str]] | None = None
    words: InitVar[ByWord] = False

    def __post_init__(self, words: ByWord) -> None:
        table, rows, columns = plain(self.grid, self.rows, self.columns), self.rows, self.columns
        if self.notes is not None:
            if words is not False:
                raise ShapeError("notes are about cells, and words would put cells together: one or the other")
            if [len(row) for row in self.notes] != [len(row) for row in table]:
                raise ShapeError("expected a note for each cell of the grid")
        if words is not False:
            if rows is None and columns is None and words is True:
                raise ShapeError("words are told from the names of tokens: give rows or columns")
            down, across = words if isinstance(words, tuple) else (_as_labels(rows), _as_labels(columns))
            table = group_words(table, down, across)
            rows = join_labels(rows, down) if rows is not None and down is not None else rows
            columns = join_labels(columns, across) if columns is not None and across is not None else columns
        for name, value in {
            "grid": table,
            "rows": None if rows is None else tuple(rows),
            "columns": None if columns is None else tuple(columns),
            "scale": scale_of(self.scale),
        }.items():
            object.__setattr__(self, name, value)

    @property
    def table(self) -> Table:
        """The numbers, row by row."""
        assert isinstance(self.grid, list)
        return self.grid

    @property
    def colours(self) -> Scale:
        """The scale itself."""
        return scale_of(self.scale)

    @property
    def name(self) -> str:
        return " · ".join(part for part in (self.title, self.part) if part)

    @property
    def names(self) -> tuple[Sequence[str], Sequence[str]]:
        """What rows and columns are called: their names, or their numbers."""
        across = len(self.table[0]) if self.table else 0
        return self.rows or [*map(str, range(len(self.table)))], self.columns or [*map(str, range(across))]

    def draw(self, *, colour: bool = False, width: int | None = None) -> str:
        """For the terminal."""
        from regard.pictures.terminal import draw

        return draw(self, colour=colour, width=width)

    def svg(self) -> str:
        """A self-contained SVG, the exact numbers under the pointer."""
        return Album([self]).svg()

    def save(self, path: str | Path, *, dark: bool = False) -> None:
        """Write it in the form that the file's ending says: .svg, .png, .html or .txt."""
        Album([self]).save(path, dark=dark)

    def __str__(self) -> str:
        return self.draw()

    def _repr_html_(self) -> str:
        return self.svg()

    def _repr_svg_(self) -> str:
        return self.svg()


@dataclass(frozen=True, eq=False)
class Album:
    """Several pictures that are looked at together, on one scale if they name the same."""

    pictures: Sequence[Picture]

    def __post_init__(self) -> None:
        if not self.pictures:
            raise ShapeError("at least one picture expected, got none")

    def fit_scales(self) -> "Album":
        """The same with every open end of a scale filled in, from all pictures that share it."""
        tables: dict[Scale, list[Table]] = {}
        for picture in self.pictures:
            tables.setdefault(picture.colours, []).append(picture.table)
        fitted = {scale: scale.fitted(together) for scale, together in tables.items()}
        return Album([replace(picture, scale=fitted[picture.colours], words=False) for picture in self.pictures])

    def draw(self, *, colour: bool = False, width: int | None = None) -> str:
        """For the terminal, one below the other."""
        shown = [picture.draw(colour=colour, width=width) for picture in self.fit_scales().pictures]
        if len(shown) == 1:
            return shown[0]
        names = (visible(picture.name) for picture in self.pictures)
        return "\n\n".join(
            f"{name}\n{drawing}" if name else drawing for name, drawing in zip(names, shown, strict=True)
        )

    def svg(self) -> str:
        """All of them on one sheet."""
        from regard.pictures.svg import paint

        return paint(self)

    def save(self, path: str | Path, *, dark: bool = False) -> None:
        """Write them in the form that the file's ending says: .svg, .png, .html or .txt."""
        from regard.pictures.files import save

        save(self, path, dark=dark)

    def __repr__(self) -> str:
        return self.draw()

    def _repr_html_(self) -> str:
        return self.svg()

    def _repr_svg_(self) -> str:
        return self.svg()


def _as_labels(labels: Labels) -> Words | None:
    return None if labels is None else word_numbers(labels)

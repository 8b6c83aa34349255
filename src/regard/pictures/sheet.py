"""Where everything stands on a drawing: one answer for all painters, in pixels from the top left."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Literal, NamedTuple

from rich.cells import cell_len

from regard.pictures.labels import Run, label, shorten, visible
from regard.pictures.picture import Album, Picture
from regard.pictures.scales import Scale, Shares

STEPS = 32
"""Shades from paper to ink: more than the eye tells apart side by side."""
CELL = 18  # pixels a side, where there is room
LETTER = 7.3  # the width of a 12-pixel monospace letter
LINE = 12  # pixels that a label needs
WIDEST = 24  # letters of a label before it is cut
EDGE, GAP = 10, 18  # around everything, and between pictures
ALONE, BESIDE = 1080, 216  # pixels that a grid may take: one alone, one of several
PAGE = 1400  # pixels after which pictures go on below

Step = int | None
"""A shade from -STEPS to STEPS; None where nothing is painted."""


@dataclass(frozen=True)
class Letters:
    """Text on its base line; `turned` is read from bottom to top."""

    x: float
    y: float
    runs: Sequence[Run]
    anchor: Literal["start", "end"] = "start"
    turned: bool = False


@dataclass(frozen=True)
class Patch:
    """The cells of one picture."""

    x: float
    y: float
    cell: float
    picture: Picture
    steps: list[list[Step]]


class Swatch(NamedTuple):
    """One step of a legend."""

    x: float
    y: float
    width: float
    height: float
    step: int


@dataclass
class Sheet:
    """All that is painted."""

    title: str
    width: float = 180.0
    height: float = 0.0
    letters: list[Letters] = field(default_factory=list)
    patches: list[Patch] = field(default_factory=list)
    swatches: list[Swatch] = field(default_factory=list)
    frames: list[tuple[float, float, float, float]] = field(default_factory=list)

    def write(self, x: float, y: float, words: str) -> None:
        self.letters.append(Letters(x, y, [(visible(words), False)]))
        self.width = max(self.width, x + EDGE + LETTER * cell_len(visible(words)))


def lay_out(album: Album) -> Sheet:
    """Pictures with one title side by side, titles one below the other, a legend for every scale."""
    album = album.fit_scales()
    first = album.pictures[0]
    alone = len(album.pictures) == 1
    sheet = Sheet(first.name if alone else "pictures")
    y = float(EDGE)
    for title, together in _by_title(album.pictures).items():
        if title:
            sheet.write(EDGE, y + 12, first.name if alone else title)
            y += 24
        x, tallest = float(EDGE), 0.0
        for picture in together:
            width, height = _size(picture, alone)
            if x > EDGE and x + width > PAGE:
                x, y, tallest = float(EDGE), y + tallest + GAP, 0.0
            _place(sheet, picture, x, y, alone)
            sheet.width = max(sheet.width, x + width + EDGE)
            x, tallest = x + width + GAP, max(tallest, height)
        y += tallest + 14
    scales = {picture.colours: picture for picture in reversed(album.pictures)}
    for scale, picture in reversed(scales.items()):
        _legend(sheet, scale, picture, y, alone)
        y += 26
    sheet.height = y + 4
    return sheet


def steps_of(shares: Shares) -> list[list[Step]]:
    """The shade of every share; only 0 itself is paper."""
    return [
        [
            None if share is None else round(share * STEPS) or (0 if not share else 1 if share > 0 else -1)
            for share in row
        ]
        for row in shares
    ]


def _by_title(pictures: Iterable[Picture]) -> dict[str, list[Picture]]:
    groups: dict[str, list[Picture]] = {}
    for picture in pictures:
        groups.setdefault(picture.title, []).append(picture)
    return groups


def _cell(picture: Picture, alone: bool) -> float:
    longest = max(len(picture.table), len(picture.table[0]) if picture.table else 0, 1)
    room = ALONE if alone else BESIDE
    return CELL if CELL * longest <= room else max(round(room / longest, 2), 1.0)


def _margins(picture: Picture, alone: bool) -> tuple[float, float]:
    """Room to the left of and above the cells. Small pictures among others have no names: there is no room."""
    caption = 18.0 if picture.part and not alone else 0.0
    if not alone and _cell(picture, alone) < LINE:
        return 0.0, caption
    return _room(picture.rows), caption + _room(picture.columns)


def _room(labels: Sequence[str] | None) -> float:
    """Pixels that the longest label takes."""
    return LETTER * min(WIDEST, max((cell_len(label(one)) for one in labels or ()), default=0)) + 6


def _size(picture: Picture, alone: bool) -> tuple[float, float]:
    cell, (left, top) = _cell(picture, alone), _margins(picture, alone)
    across = left + cell * (len(picture.table[0]) if picture.table else 0)
    named = LETTER * cell_len(visible(picture.part)) if not alone else 0.0
    return max(across, named), top + cell * len(picture.table)


def _place(sheet: Sheet, picture: Picture, x: float, y: float, alone: bool) -> None:
    cell, (left, top) = _cell(picture, alone), _margins(picture, alone)
    if picture.part and not alone:
        sheet.write(x, y + 12, picture.part)
    x, y = x + left, y + top
    sheet.patches.append(Patch(x, y, cell, picture, steps_of(picture.colours.shares(picture.table))))
    sheet.frames.append((x, y, cell * (len(picture.table[0]) if picture.table else 0), cell * len(picture.table)))
    if left:
        every = ceil(LINE / cell)  # where cells are small, only some of the names have room
        for row, name in list(enumerate(picture.rows or ()))[::every]:
            runs = shorten(name, WIDEST)
            sheet.letters.append(Letters(x - 6, y + cell * (row + 0.5) + 4, runs, "end"))
        for column, name in list(enumerate(picture.columns or ()))[::every]:
            runs = shorten(name, WIDEST)
            sheet.letters.append(Letters(x + cell * (column + 0.5) + 4, y - 6, runs, turned=True))


def _legend(sheet: Sheet, scale: Scale, picture: Picture, y: float, alone: bool) -> None:
    """Eleven steps between the two ends, and what was done."""
    low, high = (f"{end:.4g}" for end in scale.ends)
    x = EDGE + LETTER * len(low) + 6
    first = -10 if scale.ends[0] < 0 else 0
    for number, tenth in enumerate(range(first, 11)):
        sheet.swatches.append(Swatch(x + 10 * number, y, 10, 10, round(tenth * STEPS / 10)))
    across = 10.0 * (11 - first)
    sheet.frames.append((x, y, across, 10))
    sheet.write(EDGE, y + 10, low)
    note = scale.note(picture.table, picture.columns) if alone else _general(scale)
    sheet.write(x + across + 6, y + 10, high + (f"   {note}" if note else ""))


def _general(scale: Scale) -> str:
    """What a scale does to each of several pictures."""
    return {"log": "log", "sink": "each without its sink"}.get(scale.name, "")

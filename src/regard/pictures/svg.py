"""Pictures as a self-contained SVG: labels, a legend, the exact number under the pointer."""

from xml.sax.saxutils import escape

from regard.pictures.colours import DARK, LIGHT, Theme, hexadecimal
from regard.pictures.grids import Labels
from regard.pictures.labels import isolate, visible
from regard.pictures.picture import Album, ByWord, Picture
from regard.pictures.scales import Scale
from regard.pictures.sheet import STEPS, Letters, Patch, Sheet, lay_out

POINTED = 20_000  # cells that each say their number; of more, cells of one shade are one path


def heat(
    grid: object,
    rows: Labels = None,
    columns: Labels = None,
    *,
    title: str | None = None,
    scale: Scale | str = "linear",
    words: ByWord = False,
) -> str:
    """A grid of weights from 0 (the colour of the page) to 1 (ink), a row for each query.

    A weight beyond 0 or 1 is painted as 0 or 1; one that is not a number is left unpainted and says so.
    """
    return Picture(grid, rows, columns, title or "", scale=scale, words=words).svg()


def paint(album: Album) -> str:
    """All pictures on one sheet, for light and dark pages."""
    sheet = lay_out(album)
    cells = sum(len(row) for patch in sheet.patches for row in patch.steps)
    width, height = f"{sheet.width:g}", f"{sheet.height:g}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="regard-heat" role="img"'
        f' width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<title>{escape(visible(sheet.title or 'attention weights'))}</title>",
        f"<style>{style(sheet)}</style>",
        *(_text(letters) for letters in sheet.letters),
        *(part for patch in sheet.patches for part in (_cells(patch) if cells <= POINTED else _paths(patch))),
        *(
            f'<rect class="{name(step)}" x="{x:g}" y="{y:g}" width="{across:g}" height="{down:g}"/>'
            for x, y, across, down, step in sheet.swatches
        ),
        *(
            f'<rect class="frame" x="{x:g}" y="{y:g}" width="{across:g}" height="{down:g}"/>'
            for x, y, across, down in sheet.frames
        ),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def style(sheet: Sheet) -> str:
    """The colours that occur, on a light page and on a dark one."""
    used = {swatch.step for swatch in sheet.swatches}
    used.update(step for patch in sheet.patches for row in patch.steps for step in row if step is not None)
    return (
        "\n.regard-heat { font: 12px ui-monospace, Menlo, Consolas, monospace; }\n"
        ".regard-heat text { white-space: pre; }\n"
        f"{_rules(LIGHT, sorted(used))}"
        "@media (prefers-color-scheme: dark) {\n"
        f"{_rules(DARK, sorted(used))}"
        "}\n"
    )


def name(step: int) -> str:
    """The class of a shade: s0 is paper, s32 ink, n32 what is farthest below 0."""
    return f"s{step}" if step >= 0 else f"n{-step}"


def _rules(theme: Theme, used: list[int]) -> str:
    shades = [f".regard-heat .{name(step)} {{ fill: {hexadecimal(theme.colour(step / STEPS))}; }}\n" for step in used]
    return (
        f".regard-heat {{ background: {hexadecimal(theme.colour(0))}; }}\n"
        f".regard-heat text {{ fill: {hexadecimal(theme.text)}; }}\n"
        f".regard-heat .faint {{ fill: {hexadecimal(theme.faint)}; }}\n"
        f".regard-heat .frame {{ fill: none; stroke: {hexadecimal(theme.frame)}; }}\n"
        ".regard-heat .none { fill-opacity: 0; }\n" + "".join(shades)
    )


def _text(letters: Letters) -> str:
    """A label; what runs from right to left runs so within it only."""
    where = f'x="{letters.x:g}" y="{letters.y:g}"'
    if letters.anchor != "start":
        where += f' text-anchor="{letters.anchor}"'
    if letters.turned:
        where += f' transform="rotate(-90 {letters.x:g} {letters.y:g})"'
    inside = "".join(
        f'<tspan class="faint">{escape(run)}</tspan>' if is_faint else escape(run) for run, is_faint in letters.runs
    )
    return f"<text {where}>{inside}</text>"


def _cells(patch: Patch) -> list[str]:
    """A rectangle for each cell, which says where it is, its number, and its note if it has one."""
    marks, notes = [], patch.picture.notes
    size = f'width="{patch.cell:g}" height="{patch.cell:g}"'
    rows, columns = ([escape(isolate(one)) for one in names] for names in patch.picture.names)
    for i, (numbers, steps) in enumerate(zip(patch.picture.table, patch.steps, strict=True)):
        for j, (number, step) in enumerate(zip(numbers, steps, strict=True)):
            said = f" {escape(isolate(notes[i][j]))}" if notes else ""
            marks.append(
                f'<rect class="{"none" if step is None else name(step)}" x="{patch.x + patch.cell * j:g}"'
                f' y="{patch.y + patch.cell * i:g}" {size}>'
                f"<title>{rows[i]} → {columns[j]}: {number:.7g}{said}</title></rect>"
            )
    return marks


def _paths(patch: Patch) -> list[str]:
    """One path for all cells of a shade, neighbours in a row joined."""
    strokes: dict[int, list[str]] = {}
    for i, steps in enumerate(patch.steps):
        start = 0
        for j in range(1, len(steps) + 1):
            if j < len(steps) and steps[j] == steps[start]:
                continue
            if step := steps[start]:
                x, y = patch.x + patch.cell * start, patch.y + patch.cell * i
                wide = patch.cell * (j - start)
                strokes.setdefault(step, []).append(f"M{x:.6g} {y:.6g}h{wide:.6g}v{patch.cell:g}h{-wide:.6g}z")
            start = j
    return [f'<path class="{name(step)}" d="{"".join(drawn)}"/>' for step, drawn in sorted(strokes.items())]

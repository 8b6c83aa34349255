"""A diagram becomes a file, in the form that the file's ending says."""

from collections.abc import Callable
from pathlib import Path

from regard.errors import lookup
from regard.files import write_file
from regard.pictures.diagrams.diagram import Diagram


def _svg(diagram: Diagram, links: str | None, dark: bool) -> str:
    from regard.pictures.diagrams.svg import paint

    return paint(diagram, links=links)


def _png(diagram: Diagram, links: str | None, dark: bool) -> bytes:
    from regard.pictures.diagrams.png import png

    return png(diagram, dark=dark)


def _html(diagram: Diagram, links: str | None, dark: bool) -> str:
    from regard.pictures.diagrams.page import page

    return page(diagram, links=links)


def _txt(diagram: Diagram, links: str | None, dark: bool) -> str:
    return diagram.draw()


ENDINGS: dict[str, Callable[[Diagram, str | None, bool], str | bytes]] = {
    ".svg": _svg,
    ".png": _png,
    ".html": _html,
    ".txt": _txt,
}


def save_diagram(diagram: Diagram, path: str | Path, *, links: str | None = None, dark: bool = False) -> None:
    """Write a diagram: .svg, .png, .html (one file that opens offline) or .txt.

    `links` is the way from there to the folder that `src` is in; `dark` is for PNG, which has one background.
    """
    draw = lookup(ENDINGS, Path(path).suffix.lower(), "ending of a drawing's name")
    write_file(Path(path), draw(diagram, links, dark))

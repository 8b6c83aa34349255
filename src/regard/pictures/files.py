"""A picture becomes a file, in the form that the file's ending says."""

from collections.abc import Callable, Sequence
from pathlib import Path

from regard.errors import lookup
from regard.files import write_file
from regard.pictures.picture import Album, Picture


def _svg(album: Album, dark: bool) -> str:
    return album.svg()


def _png(album: Album, dark: bool) -> bytes:
    from regard.pictures.png import png

    return png(album, dark=dark)


def _html(album: Album, dark: bool) -> str:
    from regard.pictures.page import page

    return page(album)


def _txt(album: Album, dark: bool) -> str:
    return album.draw() + "\n"


ENDINGS: dict[str, Callable[[Album, bool], str | bytes]] = {".svg": _svg, ".png": _png, ".html": _html, ".txt": _txt}


def save(pictures: Picture | Album | Sequence[Picture], path: str | Path, *, dark: bool = False) -> None:
    """Write one picture or several: .svg, .png, .html (one file that opens offline) or .txt.

    `dark` is for PNG, which has one background; the others are as the page or the system that shows them.
    """
    if not isinstance(pictures, Album):
        pictures = Album([pictures] if isinstance(pictures, Picture) else pictures)
    draw = lookup(ENDINGS, Path(path).suffix.lower(), "ending of a picture's name")
    write_file(Path(path), draw(pictures, dark))

"""A picture becomes a file, in the form that the file's ending says."""

from collections.abc import Callable, Sequence
from pathlib import Path

from regard.errors import RegardError, lookup
from regard.pictures.picture import Album, Picture


def _svg(album: Album, path: Path, dark: bool) -> None:
    path.write_text(album.svg(), encoding="utf-8")


def _png(album: Album, path: Path, dark: bool) -> None:
    from regard.pictures.png import write

    write(album, path, dark=dark)


def _html(album: Album, path: Path, dark: bool) -> None:
    from regard.pictures.page import page

    path.write_text(page(album), encoding="utf-8")


def _txt(album: Album, path: Path, dark: bool) -> None:
    path.write_text(album.draw() + "\n", encoding="utf-8")


ENDINGS: dict[str, Callable[[Album, Path, bool], None]] = {".svg": _svg, ".png": _png, ".html": _html, ".txt": _txt}


def save(pictures: Picture | Album | Sequence[Picture], path: str | Path, *, dark: bool = False) -> None:
    """Write one picture or several: .svg, .png, .html (one file that opens offline) or .txt.

    `dark` is for PNG, which has one background; the others are as the page or the system that shows them.
    """
    if not isinstance(pictures, Album):
        pictures = Album([pictures] if isinstance(pictures, Picture) else pictures)
    write = lookup(ENDINGS, Path(path).suffix.lower(), "ending of a picture's name")
    try:
        write(pictures, Path(path), dark)
    except OSError as problem:
        raise RegardError(f"{path}: cannot be written: {problem.strerror or problem}") from None

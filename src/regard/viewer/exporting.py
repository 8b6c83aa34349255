"""A region of one head as a file of its own."""

from regard.errors import RegardError
from regard.pictures import Album, Picture
from regard.pictures.page import page
from regard.viewer.finished_run import FinishedRun
from regard.viewer.maps import head_slice
from regard.viewer.payload import ExportRequest

LARGEST = 256  # rows and columns


def region_picture(kept: FinishedRun, wanted: ExportRequest) -> tuple[str, str]:
    """The kind of the file, and what is in it."""
    pattern = kept.pattern(wanted.layer)
    head_slice(pattern, wanted.head)
    rows, columns = (
        position_range(name, given, size)
        for name, given, size in zip(("rows", "columns"), (wanted.rows, wanted.columns), pattern.shape[2:], strict=True)
    )
    names = {side.name: side.texts for side in kept.result.sides}
    look = kept.result.looks[wanted.layer]
    picture = Picture(
        pattern[0, wanted.head, rows, columns],
        names[look.rows][rows],
        names[look.columns][columns],
        title=f"{kept.request.model} · {wanted.layer}",
        part=f"head {wanted.head}",
    )
    album = Album([picture])
    return ("text/html", page(album)) if wanted.kind == "html" else ("image/svg+xml", album.svg())


def position_range(name: str, given: tuple[int, int] | None, size: int) -> slice:
    """The places from the first on, up to the last."""
    first, stop = (0, size) if given is None else given
    if not 0 <= first < stop <= size:
        raise RegardError(f"{name}: [first, stop] between 0 and {size} expected, got [{first}, {stop}]")
    if stop - first > LARGEST:
        raise RegardError(f"{name}: at most {LARGEST} at once, got {stop - first}")
    return slice(first, stop)

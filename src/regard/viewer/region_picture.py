"""A region of one head as a file of its own."""

from regard.errors import RegardError
from regard.pictures import Album, Picture
from regard.pictures.page import page
from regard.viewer.finished_run import FinishedRun
from regard.viewer.maps import head_slice
from regard.viewer.payload import ExportRequest

LARGEST = 256  # rows and columns


def region_picture(run: FinishedRun, request: ExportRequest) -> tuple[str, str]:
    """The kind of the file, and what is in it."""
    pattern = run.pattern(request.layer)
    head_slice(pattern, request.head)
    rows, columns = (
        position_range(name, limits, size)
        for name, limits, size in zip(
            ("rows", "columns"), (request.rows, request.columns), pattern.shape[2:], strict=True
        )
    )
    names = {side.name: side.texts for side in run.result.sides}
    look = run.result.layers[request.layer]
    picture = Picture(
        pattern[0, request.head, rows, columns],
        names[look.rows][rows],
        names[look.columns][columns],
        title=f"{run.request.model} · {request.layer}",
        part=f"head {request.head}",
    )
    album = Album([picture])
    return ("text/html", page(album)) if request.kind == "html" else ("image/svg+xml", album.svg())


def position_range(name: str, limits: tuple[int, int] | None, size: int) -> slice:
    """The positions from the first on, up to the last."""
    first, stop = (0, size) if limits is None else limits
    if not 0 <= first < stop <= size:
        raise RegardError(f"{name}: [first, stop] between 0 and {size} expected, got [{first}, {stop}]")
    if stop - first > LARGEST:
        raise RegardError(f"{name}: at most {LARGEST} at once, got {stop - first}")
    return slice(first, stop)

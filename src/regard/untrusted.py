"""Files of a folder that somebody else made, read with distrust: no code runs, nothing outside it is touched."""

from pathlib import Path
from typing import Any

from regard.errors import CheckpointError, RegardError
from regard.json_text import JsonError, parse_json

CONFIG = "config.json"
LARGEST_JSON = 64 << 20


def checked_file(path: Path, error: type[RegardError] = CheckpointError) -> Path:
    """A file of a folder, and not a link out of it; the Hub's cache keeps its files beside the folder, in blobs."""
    try:
        if not path.is_file():
            raise error(f"{path}: {'not a file' if path.exists() else 'no such file'}")
        folder, file = path.parent.resolve(), path.resolve()
    except OSError as problem:
        raise error(f"{path}: {problem.strerror or problem}") from None
    homes = [folder, *(above.parent / "blobs" for above in folder.parents if above.name == "snapshots")]
    if file.parent not in homes:
        raise error(f"{path}: a link to {file}, which is outside the folder and is not read")
    return path


def read_bytes(path: Path, largest: int, error: type[RegardError] = CheckpointError) -> bytes:
    """The content of a file of a folder, if it is not larger than any such file needs to be."""
    checked_file(path, error)
    try:
        with path.open("rb") as file:
            content = file.read(largest + 1)
    except OSError as problem:
        raise error(f"{path}: {problem.strerror or problem}") from None
    if len(content) > largest:
        raise error(f"{path}: more than {largest >> 20} MiB, larger than any such file needs to be")
    return content


def read_json_value(path: Path, error: type[RegardError] = CheckpointError, largest: int = LARGEST_JSON) -> Any:
    """What a file of JSON says."""
    content = read_bytes(path, largest, error)
    try:
        return parse_json(content)
    except JsonError as problem:
        raise error(f"{path}: no readable JSON ({first_line(problem)})") from None


def read_json(path: Path, error: type[RegardError] = CheckpointError) -> dict[str, Any]:
    """An object from a file of JSON."""
    content = read_json_value(path, error)
    if not isinstance(content, dict):
        raise error(f"{path}: an object expected, got {type(content).__name__}")
    return content


def read_optional_json(path: Path, error: type[RegardError] = CheckpointError) -> dict[str, Any]:
    """The same; an empty object where there is no such file."""
    return read_json(path, error) if path.exists() or path.is_symlink() else {}


def is_name(name: str) -> bool:
    """Whether this is the name of a file, and no path."""
    return name not in ("", ".", "..") and not set("/\\\0") & set(name)


def first_line(problem: BaseException) -> str:
    """An error of somebody else's, short."""
    line = (str(problem).strip().splitlines() or [type(problem).__name__])[0]
    return line if len(line) <= 200 else f"{line[:200]}…"

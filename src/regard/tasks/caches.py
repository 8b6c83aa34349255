"""What was kept to save time, and can be made again: engine builds, packed models, texts as numbers."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from regard.checkpoints import CheckpointError
from regard.engine.build import folder as engine_builds
from regard.engine.packed_cache import packed_folder
from regard.text.cache import CONTENTS

CACHES: dict[str, Callable[[], Path]] = {"engine builds": engine_builds, "packed models": packed_folder}
"""What is kept for the user, whatever the folder."""


@dataclass(frozen=True)
class CacheFolder:
    """A folder that can go, what is in it, and how many bytes."""

    what: str
    path: Path
    size: int


def caches(folders: Sequence[Path] = ()) -> list[CacheFolder]:
    """The user's caches, and those of the training runs in some folders. The Hub's cache is others' as well."""
    paths = [(what, where()) for what, where in CACHES.items()]
    for folder in folders:
        if not folder.is_dir():
            raise CheckpointError(f"{folder}: no such folder")
        runs = [folder, *sorted(folder.iterdir())]
        paths += [("texts as numbers", run / "cache") for run in runs if any(run.glob(f"cache/*/{CONTENTS}"))]
    return [CacheFolder(what, path, size_of(path)) for what, path in paths if path.is_dir() and any(path.iterdir())]


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def clear(folders: Sequence[CacheFolder]) -> None:
    """Remove them; what is needed again is made again."""
    for cache_folder in folders:
        try:
            shutil.rmtree(cache_folder.path)
        except OSError as problem:
            raise CheckpointError(f"{cache_folder.path}: cannot be removed: {problem.strerror or problem}") from None

"""Where the data and checkpoints that several projects share are: REGARD_SHARED, or ../shared beside the repository."""

import lzma
import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("REGARD_SHARED") or Path(__file__).parents[2] / "shared")


def shared(path: str) -> Path:
    """A file or folder of the shared data; without it the test is skipped."""
    found = ROOT / "data" / path
    if not found.exists():
        pytest.skip(f"{found} is not there; set REGARD_SHARED to the folder that holds data/")
    return found


def unpacked(path: str) -> str:
    """The text of a shared .xz file."""
    return lzma.open(shared(path), "rt", encoding="utf-8", newline="").read()

"""What a run or a question has freed goes back to the system."""

import ctypes
from contextlib import suppress


def release_memory() -> None:
    """Give back what was freed, where the C library keeps it otherwise."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)

"""What a run or a question has freed goes back to the system."""

import ctypes
from contextlib import suppress

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # what mallopt calls them
LARGE = 1 << 24  # bytes of a block that gets memory of its own; tiles that are made and freed all the time are smaller


def release_memory() -> None:
    """Give back what was freed, where the C library keeps it otherwise; on Windows there is no such call."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def map_large_blocks() -> None:
    """From now on a large block has memory of its own, which goes back when it is freed. Else the C library of GNU
    raises that size by what it sees freed, up to 32 MiB, and keeps queries and keys between smaller blocks."""
    with suppress(AttributeError, OSError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(MMAP_THRESHOLD, LARGE)
        library.mallopt(TRIM_THRESHOLD, 2 * LARGE)

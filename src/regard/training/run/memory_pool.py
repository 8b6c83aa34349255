"""Memory that one step frees is kept for the next."""

import ctypes
import platform

TRIM, TOP, MAP = -1, -2, -3  # M_TRIM_THRESHOLD, M_TOP_PAD and M_MMAP_THRESHOLD of malloc.h


def keep_freed_memory() -> None:
    """Do not give freed memory back to the system: every step would fetch and zero tens of thousands of pages anew.

    For a process that trains and then ends. Only the C library of GNU can be told; elsewhere nothing happens.
    """
    if platform.libc_ver()[0] != "glibc":
        return
    library = ctypes.CDLL(None)
    for what, size in ((MAP, 1 << 30), (TRIM, (1 << 31) - 1), (TOP, 1 << 26)):
        library.mallopt(what, size)

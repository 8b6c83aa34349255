"""A lock that ends with the process that holds it, with what the system has for that."""

import sys
from typing import IO


def lock(file: IO[str]) -> None:
    """Hold an empty file until it is closed; an OSError if another process holds it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

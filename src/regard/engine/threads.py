"""How many threads the engine takes: as many as torch, also where torch is not loaded."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_wanted: list[int] = []
_sharing: list[int] = []  # one for each block of `shared_threads` that runs now
_lock = threading.Lock()


def thread_count() -> int:
    """The share of all threads that falls to who asks."""
    return max(1, all_threads() // max(1, len(_sharing)))


def all_threads() -> int:
    """What torch says, if somebody has loaded it; else what it would say, unless somebody wants others."""
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "get_num_threads"):  # while it is loading it has not
        return torch.get_num_threads()
    return _wanted[-1] if _wanted else default_thread_count()


@contextmanager
def shared_threads() -> Iterator[None]:
    """As many of these blocks as run at a time share the threads between them: one that is alone has all."""
    with _lock:
        _sharing.append(1)
    try:
        yield
    finally:
        with _lock:
            _sharing.pop()


def set_thread_count(count: int) -> None:
    """So many threads from now on, torch's too, if it is loaded."""
    _wanted[:] = [count]
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(count)


def default_thread_count() -> int:
    """As the environment says, else the processors that this process may run on."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        if (text := os.environ.get(name, "")).isdecimal() and int(text):
            return int(text)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

"""Compiled models while somebody looks."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_lock = threading.Lock()
_lookers = 0
_before = None


@contextmanager
def eager() -> Iterator[None]:
    """Compiled models run uncompiled in here, because a tap cannot be compiled; afterwards they run as before.

    The switch is one for all threads, so the last to leave turns it back.
    """
    global _lookers, _before
    if "torch._dynamo" not in sys.modules:  # nothing has been compiled, and importing it takes seconds
        yield
        return
    with _lock:
        _lookers += 1
        if _lookers == 1:
            _before = torch.compiler.set_stance("force_eager")
            _before.__enter__()
    try:
        yield
    finally:
        with _lock:
            _lookers -= 1
            if not _lookers and _before is not None:
                _before.__exit__(None, None, None)
                _before = None

"""How many threads the `tokenizers` package may use."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

NAME = "TOKENIZERS_PARALLELISM"
CHOSEN = NAME in os.environ  # by somebody else, and so it stays


@contextmanager
def threads() -> Iterator[None]:
    """Many inside, one afterwards: a process that forks later must not wait for threads that it left behind."""
    if CHOSEN:
        yield
        return
    os.environ[NAME] = "true"
    try:
        yield
    finally:
        os.environ[NAME] = "false"

"""A run that needs more memory than there is says so."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from regard.errors import RegardError, TooLarge

REFUSED = "can't allocate memory"
"""What torch's allocator of a processor says, in an error that has no type of its own."""


@contextmanager
def memory_errors() -> Iterator[None]:
    """What the system does not give is one line that says what would need less."""
    try:
        yield
    except (MemoryError, RuntimeError) as problem:
        is_memory = isinstance(problem, MemoryError | torch.OutOfMemoryError) or REFUSED in str(problem)
        if isinstance(problem, RegardError) or not is_memory:
            raise
        raise TooLarge(
            "out of memory: a smaller train.batch_tokens (with a larger train.accumulate), a smaller data.max_length "
            "or a smaller model needs less"
        ) from None

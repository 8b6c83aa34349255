"""What a finished run costs while it is stored."""

import sys
from types import FunctionType, ModuleType

from torch import Tensor, nn

from regard.tasks import Task
from regard.text import Tokenizer

SHARED = (nn.Module, nn.Parameter, Task, Tokenizer, type, ModuleType, FunctionType)
"""What belongs to the model or to the program, and stays when a run is dropped."""


def stored_bytes(value: object) -> int:
    """Bytes of a value and of all that it holds; each tensor counts as much as it keeps in memory, and once."""
    total, counted = 0, set[tuple[str, int]]()
    parts: list[object] = [value]
    while parts:
        part = parts.pop()
        if isinstance(part, SHARED):
            continue
        is_tensor = isinstance(part, Tensor)
        name = ("tensor", part.untyped_storage().data_ptr()) if is_tensor else ("object", id(part))
        if name in counted:
            continue
        counted.add(name)
        if is_tensor:
            total += part.untyped_storage().nbytes()
            continue
        total += sys.getsizeof(part)
        if isinstance(part, dict):
            parts += [*part, *part.values()]
        elif isinstance(part, list | tuple | set | frozenset):
            parts += part
        elif hasattr(part, "__dict__"):
            parts.append(vars(part))
    return total

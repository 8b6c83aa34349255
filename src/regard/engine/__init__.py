"""The compiled step: C++ in source/, built once, and never in the way of a model that it cannot run.

The names are loaded when first used: a text that is written by a folder's own weights takes no torch.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from regard.lazy import lazy_names

if TYPE_CHECKING:
    from regard.engine.highest import top
    from regard.engine.library import EngineError
    from regard.engine.packed_model import PRECISIONS
    from regard.engine.packing import refresh
    from regard.engine.parts import Unsupported
    from regard.engine.serving import serve
    from regard.engine.steps import Engine

__all__ = ["PRECISIONS", "Engine", "EngineError", "Unsupported", "refresh", "serve", "top"]

_PUBLIC = {
    "Engine": ".steps",
    "EngineError": ".library",
    "PRECISIONS": ".packed_model",
    "Unsupported": ".parts",
    "refresh": ".packing",
    "serve": ".serving",
    "top": ".highest",
}

__getattr__: Callable[[str], object]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = lazy_names(__name__, _PUBLIC)

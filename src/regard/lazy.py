"""Packages whose names are loaded when first used: who asks for one does not wait for what the others need."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_names(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package, given the module of each name, as in ".padding". These are all
    that `dir` and a completing shell show of it.

    No such module may be called as one of the names: whoever imports the module would find it under the name.
    """

    def load_name(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            value = getattr(import_module(homes[name], package), name)
        except ModuleNotFoundError as problem:
            if problem.name != "torch":
                raise
            line = f"PyTorch is not installed, and {package}.{name} needs it: pip install torch"
            raise ImportError(line) from None
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({"__version__", *homes} if hasattr(sys.modules[package], "__version__") else homes)

    return load_name, names

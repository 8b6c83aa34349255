"""The compiled library as Python sees it: the same structs and functions as source/api.h."""

import ctypes
import threading
from ctypes import POINTER, c_char_p, c_float, c_int, c_int32, c_int64, c_size_t, c_void_p
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from regard.engine import build
from regard.errors import RegardError

VERSION = 9
NONE = -1  # stands for a linear layer or a norm that is not there


class EngineError(RegardError):
    """The engine could not do what it was asked to."""


class StackSpec(ctypes.Structure):
    _fields_ = [
        *(
            (name, c_int32)
            for name in ("width", "feed_forward_width", "activation", "is_gated", "pre_norm", "window", "vocabulary")
        ),
        *(
            (name, c_int32)
            for name in ("embedding_width", "embedding_norm", "embedding_widen", "final_norm", "rotates_neighbours")
        ),
        ("scale", c_float),
        ("embedding", c_void_p),
    ]


class AttentionSpec(ctypes.Structure):
    _fields_ = [
        *((name, c_int32) for name in ("qkv", "kv", "output", "heads", "kv_heads", "width")),
        ("scale", c_float),
        ("kv_head_of", POINTER(c_int32)),
        ("numbers", POINTER(c_int32)),
    ]


class LayerSpec(ctypes.Structure):
    _fields_ = [
        ("self", AttentionSpec),
        ("cross", AttentionSpec),
        *((name, c_int32) for name in ("crosses", "widen", "narrow", "self_norm", "cross_norm", "feed_forward_norm")),
    ]


class OutputSpec(ctypes.Structure):
    _fields_ = [
        (name, c_int32) for name in ("bridge", "dense", "dense_activation", "dense_norm", "output", "has_source")
    ]


class LookSpec(ctypes.Structure):
    _fields_ = [
        (name, c_int32) for name in ("kind", "layer", "rows", "heads", "kv_heads", "width", "first", "queries", "keys")
    ]


SPECS: tuple[type[ctypes.Structure], ...] = (StackSpec, AttentionSpec, LayerSpec, OutputSpec, LookSpec)
"""What both sides read: source/layout.cpp has the same, and both are compared when a library is loaded."""

FUNCTIONS: dict[str, tuple[Any, ...]] = {  # what it returns, then what it takes
    "regard_engine_version": (c_int,),
    "regard_layout": (c_char_p,),
    "regard_features": (c_char_p,),
    "regard_problem": (c_char_p,),
    "regard_model": (c_void_p, c_int),
    "regard_model_free": (None, c_void_p),
    "regard_model_bytes": (c_size_t, c_void_p),
    "regard_linear": (c_int, c_void_p, c_void_p, c_void_p, c_int, c_int, c_float),
    "regard_norm": (c_int, c_void_p, c_void_p, c_void_p, c_int, c_int, c_float),
    "regard_stack": (c_int, c_void_p, c_int, POINTER(StackSpec)),
    "regard_layer": (c_int, c_void_p, c_int, POINTER(LayerSpec)),
    "regard_table": (c_int, c_void_p, c_int, c_int, c_void_p, c_int, c_int),
    "regard_slopes": (c_int, c_void_p, c_int, c_void_p, c_int),
    "regard_output": (c_int, c_void_p, POINTER(OutputSpec)),
    "regard_image": (c_size_t, c_void_p, c_void_p),
    "regard_open": (c_void_p, c_void_p, c_size_t),
    "regard_state": (c_void_p, c_void_p),
    "regard_state_free": (None, c_void_p),
    "regard_state_bytes": (c_size_t, c_void_p),
    "regard_change": (c_int, c_void_p, c_int, c_int, c_void_p, c_void_p, c_int, c_void_p, c_int),
    "regard_watch": (c_int, c_void_p, c_int, c_int),
    "regard_weights": (c_int, c_void_p, POINTER(LookSpec), c_void_p, c_void_p, c_int),
    "regard_looks": (c_int, c_void_p, POINTER(LookSpec), c_void_p, c_void_p, c_void_p, c_int),
    "regard_large_pages": (None, c_void_p, c_size_t),
    "regard_read": (c_int, c_void_p, c_void_p, c_void_p, c_int, c_int, c_int),
    "regard_step": (c_int, c_void_p, c_void_p, c_void_p, c_int, c_int, c_void_p, c_int),
    "regard_select": (c_int, c_void_p, c_void_p, c_int),
    "regard_join": (c_int, c_void_p, c_void_p, c_void_p),
    "regard_fingerprint": (c_int, c_void_p, c_void_p, c_int, c_int, c_int, c_void_p),
    "regard_has_tiles": (c_int,),
    "regard_tile_product": (c_int, *2 * (c_void_p, c_int64, c_int64), c_void_p, c_void_p, *3 * (c_int64,), c_int),
    "regard_tile_cross_entropy": (c_int, *4 * (c_void_p,), *3 * (c_int64,), c_float, *5 * (c_void_p,)),
    "regard_top": (c_int, c_void_p, c_int, c_int, c_int, c_void_p, c_void_p, c_void_p, c_int),
}


def address(name: str, array: np.ndarray, dtype: type) -> int:
    """Where the numbers of an array begin: every array that C++ reads or writes comes by here."""
    if array.dtype != dtype or not array.flags.c_contiguous:
        rows = "row after row" if array.flags.c_contiguous else "not row after row"
        raise EngineError(f"{name} is {array.dtype}, {rows}: {np.dtype(dtype)}, row after row expected")
    return array.__array_interface__["data"][0]


def layout() -> list[str]:
    """Where the fields of each struct lie, and how long they are, as regard_layout() tells it."""
    lines = []
    for spec in SPECS:
        lines.append(f"{spec.__name__} 0 {ctypes.sizeof(spec)}")
        for name, *_ in spec._fields_:
            field = getattr(spec, name)
            lines.append(f"{spec.__name__}.{name} {field.offset} {field.size}")
    return lines


class Library:
    """The functions of a compiled library; each runs without holding up other Python threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._loaded = ctypes.CDLL(str(path))
        for name, (result, *arguments) in FUNCTIONS.items():
            function = getattr(self._loaded, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name.removeprefix("regard_"), function)
        if self.engine_version() != VERSION:
            raise OSError(f"{path}: version {self.engine_version()} of the engine, {VERSION} expected")
        theirs, ours = self.layout().decode().splitlines(), layout()
        if theirs != ours:
            pairs = zip_longest(theirs, ours, fillvalue="nothing")
            their, our = next((their, our) for their, our in pairs if their != our)
            raise OSError(f"{path}: of other sources: its structs have {their}, {our} expected (name, place, size)")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def check(self, code: int) -> None:
        """Raise what the library has to say if a call failed."""
        if code:
            raise EngineError(self.problem().decode(errors="replace"))

    def check_new(self, number: int | None) -> int:
        """The number or address of something new, if it was made."""
        if number is None or number == NONE:
            self.check(1)
        assert number is not None
        return number


_lock = threading.Lock()
_path: Path | None = None


def library(wait: bool = False) -> Library | None:
    """The library, once it is built; None until then, and where it cannot be had."""
    global _path
    if build.is_off():
        return None
    with _lock:
        _path = _path or build.library(wait)
        try:
            return None if _path is None else open_library(_path)
        except (OSError, AttributeError) as problem:  # made for another machine, or for another version
            build.refuse(" ".join(str(problem).split()))
            return None


@cache
def open_library(path: Path) -> Library:
    return Library(path)

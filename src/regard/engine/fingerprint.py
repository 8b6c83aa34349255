"""Whether a model is still the one that was packed: its parts, where their numbers lie, and what they come to.

Asked before every text, so what is asked then is cheap: a walk over the modules, and a few lines of memory of every
tensor. All numbers are looked at once a second at most, which finds a write through `.data` that the sample missed.
"""

import ctypes
import time
import weakref
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_module
from torch.nn.modules.dropout import _DropoutNd
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook
from torch.utils.hooks import RemovableHandle

from regard.engine.library import Library
from regard.engine.parts import Unsupported

LINES = 8  # of each tensor in the sample, 16 numbers each
INTERVAL = 1.0  # seconds between two looks at all numbers
clock: Callable[[], float] = time.monotonic

_alive: dict[int, "weakref.ref[Fingerprint]"] = {}
_hooks: list[RemovableHandle] = []


class Fingerprint:
    """What a model was when this was taken."""

    library: Library
    tensors: frozenset[int]

    def __init__(self, library: Library, model: nn.Module) -> None:
        self.library = library
        self.is_stepped = False
        """An optimiser has taken a step with weights of this model: fused ones leave no other trace."""
        tensors = [*model.parameters(), *model.buffers()]
        self.tensors = frozenset(map(id, tensors))
        _alive[id(self)] = weakref.ref(self, lambda _, key=id(self): _alive.pop(key, None))
        if not _hooks:
            _hooks.append(register_optimizer_step_post_hook(mark_stepped))
        self._gone: list[weakref.ref[nn.Module]] = []  # filled when a module dies, whose id then may be another's
        inner = [module for module in model.modules() if module is not model]
        self._modules = [weakref.ref(module, self._gone.append) for module in inner]
        self._parts = parts(model)
        spans: dict[int, int] = {}
        for tensor in tensors:
            if type(tensor) not in (Tensor, nn.Parameter) or tensor.layout != torch.strided:
                raise Unsupported(f"{type(tensor).__name__} is no plain tensor")
            if tensor.device.type == "cpu" and tensor.numel():
                spans[tensor.data_ptr()] = max(extent(tensor), spans.get(tensor.data_ptr(), 0))
        # Kept, so that the addresses stay what they are, whatever becomes of the tensors.
        self._storages = [tensor.untyped_storage() for tensor in tensors]
        self._data = (ctypes.c_void_p * len(spans))(*spans)
        self._bytes = (ctypes.c_size_t * len(spans))(*spans.values())
        self._looked = clock()
        self._sample, self._whole = self._value(LINES), self._value(0)

    def fits(self, model: nn.Module) -> bool:
        """Whether the model is still the same. Raises Unsupported if more than layers would run now."""
        if parts(model) != self._parts or self._gone or self.is_stepped:
            return False
        if self._value(LINES) != self._sample:
            return False
        now = clock()
        if now - self._looked < INTERVAL:
            return True
        self._looked = now
        return self._value(0) == self._whole

    def _value(self, lines: int) -> int:
        value = ctypes.c_uint64()
        threads = torch.get_num_threads()
        self.library.check(
            self.library.fingerprint(self._data, self._bytes, len(self._data), lines, threads, ctypes.byref(value))
        )
        return value.value


def parts(model: nn.Module) -> list[object]:
    """All modules and their kinds; where all weights lie, in what shape, and how often each was changed in place.

    Raises Unsupported if more than layers would run: hooks, dropout. It walks the modules itself: torch's own walk
    takes as long as a few steps of a small model.
    """
    if torch_module._global_forward_hooks or torch_module._global_forward_pre_hooks:
        raise Unsupported("hooks are at work in all models")
    description: list[object] = []
    left: list[nn.Module | None] = [model]
    module = model
    try:
        while left:
            module = left.pop()
            if module is None:
                continue
            state = module.__dict__
            if state["_forward_hooks"] or state["_forward_pre_hooks"] or state["training"] or "forward" in state:
                check_plain(module)
            description += (id(module), type(module))
            for tensors in (state["_parameters"], state["_buffers"]):
                if tensors:
                    for tensor in tensors.values():
                        if tensor is None:
                            continue
                        try:
                            where, version = tensor.data_ptr(), tensor._version
                        except (RuntimeError, ValueError):
                            where, version = address_without_version(tensor)
                        description += (id(tensor), where, version, tensor.shape, tensor.is_contiguous())
            if state["_modules"]:
                left += state["_modules"].values()
    except KeyError:
        raise Unsupported(f"{type(module).__name__} is no plain module") from None
    return description


def check_plain(module: nn.Module) -> None:
    """Raise Unsupported if calling the module runs more than its layer."""
    if module._forward_hooks or module._forward_pre_hooks:
        raise Unsupported("hooks are at work in the model")
    if "forward" in vars(module):
        raise Unsupported(f"the forward of a {type(module).__name__} was replaced")
    if module.training and vars(module).get("p" if isinstance(module, _DropoutNd) else "dropout"):
        raise Unsupported("dropout is at work in the model")


def address_without_version(tensor: Tensor) -> tuple[int, int]:
    """Where a tensor of inference mode lies, which does not count its changes; others have no memory of their own."""
    try:
        if tensor.is_inference():
            return tensor.data_ptr(), -1
    except (RuntimeError, ValueError):
        pass
    raise Unsupported("a tensor has no memory of its own")


def extent(tensor: Tensor) -> int:
    """The bytes from its first number to its last."""
    steps = sum((count - 1) * stride for count, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return (steps + 1) * tensor.element_size()


def mark_stepped(optimizer: Optimizer, *_: object) -> None:
    """Tell whoever packed these weights that an optimiser has changed them."""
    if not _alive:
        return
    changed = {id(weight) for group in optimizer.param_groups for weight in group["params"]}
    for reference in list(_alive.values()):
        fingerprint = reference()
        if fingerprint is not None and not changed.isdisjoint(fingerprint.tensors):
            fingerprint.is_stepped = True

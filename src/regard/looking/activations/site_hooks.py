"""Hooks on modules while somebody has sites open; taken away again without a trace.

One hook serves an end of a module, whoever looks there: all edits first, then everybody sees what was really used.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from regard.attention.taps import Tap, active_taps
from regard.errors import RegardError
from regard.looking.activations.parts import ModelParts
from regard.looking.activations.site import ORDER, Site, contributions, join_heads, split_heads
from regard.looking.activations.where import inputs_of, where

_lock = threading.Lock()
Entry = tuple[Tap, Site]
ROUNDINGS = 16  # of the largest number of a sum: the order of adding may differ, and nothing else


class EndHook:
    """What is done to what passes one end of a module. Blocks and stacks also tell where the model is."""

    def __init__(self, parts: ModelParts) -> None:
        self.parts = parts
        self.entries: tuple[Entry, ...] = ()
        self.users: int = 0
        self.handle: RemovableHandle | None = None

    def before(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A module is about to run."""
        if any(module is stack.module for stack in self.parts.stacks.values()):
            where.enter_stack(module, inputs_of(module, args, kwargs))
        name, x = first_input(args, kwargs)
        if x is None:
            return None
        is_block = bool(self.parts.names_of(module))
        if is_block:
            where.enter_block(self.parts, module, x, inputs_of(module, args, kwargs))
        changed = self.through(self.turn(x), None)
        if is_block:
            where.stream = self.turn(x) if changed is None else changed
        if changed is None:
            return None
        changed = self.back(changed, x)
        return ((changed, *args[1:]), kwargs) if name is None else (args, {**kwargs, name: changed})

    def after(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> Any:
        """A module has run."""
        x = first_output(output)
        if x is None:
            return None
        inner = first_input(args, kwargs)[1]
        changed = self.through(self.turn(x), None if inner is None else self.turn(inner))
        return None if changed is None else put_output(output, self.back(changed, x))

    def through(self, x: Tensor, inner: Tensor | None) -> Tensor | None:
        """All edits, then all who look; None where nothing was changed."""
        present = {id(tap) for tap in active_taps(tuple(tap for tap, _ in self.entries))}
        entries = [(tap, site) for tap, site in self.entries if id(tap) in present and runs_here(site, self.parts)]
        was_changed, before = False, where.stream
        for name, view in sorted({(site.name, site.view) for _, site in entries}, key=lambda it: ORDER.index(it[1])):
            if view == "check":
                check_sum(name, x)
                continue
            taps = [tap for tap, site in entries if site.name == name and tap.wants(name)]
            if not taps and view != "stream":
                continue
            site = next(site for _, site in entries if site.name == name)
            seen = edited = self.view(site, x, inner, before)
            if view != "whole" and any(tap.keeps_graph for tap in taps):
                edited = seen.clone()  # what the rest of the model reads comes from it, so that gradients reach it
            for tap in taps:
                edited = tap.change(name, edited)
            for tap in taps:
                tap.activation(name, edited)
            if edited is not seen:
                was_changed, x = True, put_view(site, x, seen, edited)
            if view == "stream":
                where.stream = edited
        return x if was_changed else None

    def view(self, site: Site, x: Tensor, inner: Tensor | None, before: Tensor | None) -> Tensor:
        if site.view == "heads":
            return split_heads(x, site.heads)
        if site.view == "contribution":
            assert site.projection is not None
            assert inner is not None
            return contributions(site.projection, inner, site.heads)
        if site.view == "stream":
            if before is None or before.shape != x.shape:
                raise RegardError(f"{site.name}: the block that it is part of was not met")
            return before + x
        return x

    def turn(self, x: Tensor) -> Tensor:
        """Batch first, also where a model has the length first, or both in one dimension (OPT's feed-forward)."""
        stream = where.stream
        if x.ndim == 2 and stream is not None and stream.ndim == 3 and len(x) == stream.shape[0] * stream.shape[1]:
            return x.unflatten(0, stream.shape[:2])
        return x if self.parts.batch_first or x.ndim != 3 else x.transpose(0, 1)

    def back(self, changed: Tensor, x: Tensor) -> Tensor:
        """The other way round, as x was."""
        if x.ndim == 2:
            return changed.reshape(len(x), -1)
        return changed if self.parts.batch_first or x.ndim != 3 else changed.transpose(0, 1)


def check_sum(name: str, x: Tensor) -> None:
    """Raise unless a block puts out what its stream was found to be."""
    stream = where.stream
    near = ROUNDINGS * torch.finfo(x.dtype).eps * x.detach().abs().max()
    if stream is None or stream.shape != x.shape or bool((stream - x).detach().abs().max() > near):
        block = name.removesuffix(".sum")
        raise RegardError(f"{block}.stream.middle: what is written in {block} does not add up to what it puts out")


def put_view(site: Site, x: Tensor, seen: Tensor, edited: Tensor) -> Tensor:
    """What passes, so that the view of it is the edited one."""
    if site.view == "heads":
        return join_heads(edited)
    if site.view == "contribution":
        return x + (edited - seen).sum(1)
    return x + (edited - seen) if site.view == "stream" else edited


def runs_here(site: Site, parts: ModelParts) -> bool:
    """Whether it is this site that its module serves now: modules may stand at several depths or in two stacks."""
    if site.block:
        return site.block == where.block
    stack = parts.stacks.get(site.name.partition(".")[0])
    return stack is None or stack.module is where.stack


def first_input(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str | None, Tensor | None]:
    """What a module reads: its first argument, or the first that it is given by name."""
    if args:
        return None, args[0] if isinstance(args[0], Tensor) else None
    return next(((name, value) for name, value in kwargs.items() if isinstance(value, Tensor)), (None, None))


def first_output(output: Any) -> Tensor | None:
    """What a module put out: a tensor, the first of several, or the logits among others."""
    x = getattr(output, "logits", None) if not isinstance(output, Tensor | tuple | list) else output
    x = x[0] if isinstance(x, tuple | list) and x else x
    return x if isinstance(x, Tensor) else None


def put_output(output: Any, x: Tensor) -> Any:
    if isinstance(output, Tensor):
        return x
    if isinstance(output, tuple | list):
        return type(output)((x, *output[1:]))
    return replace(output, logits=x)


@contextmanager
def open_sites(parts: ModelParts, tap: Tap, sites: list[Site]) -> Iterator[None]:
    """This tap is at work at these sites until the block ends."""
    blocks = dict.fromkeys(block.block for _, block in parts)
    stacks = dict.fromkeys(stack.module for stack in parts.stacks.values())
    ends: list[tuple[nn.Module, str, Entry | None]] = [(module, "input", None) for module in (*stacks, *blocks)]
    ends += [(site.access.module, site.access.end, (tap, site)) for site in sites if site.access is not None]
    ends += chained(parts, tap, sites)
    for module, end, entry in ends:
        put_entry(parts, module, end, entry)
    try:
        yield
    finally:
        for module, end, entry in reversed(ends):
            take_entry(module, end, entry)
        where.leave()


def chained(parts: ModelParts, tap: Tap, sites: list[Site]) -> list[tuple[nn.Module, str, Entry | None]]:
    """A stream that is a sum is added up sublayer by sublayer to the end of its block, and held to what that puts out:
    a block that adds up in another way is refused."""
    from regard.looking.activations.listing import stream_site

    result: list[tuple[nn.Module, str, Entry | None]] = []
    for name in dict.fromkeys(site.block for site in sites if site.view == "stream"):
        block = parts.blocks[name]
        for sublayer in block.sublayers:
            step = stream_site(f"{name}.sum.{sublayer.kind}", sublayer, parts.width)
            after = {"self": "middle", "cross": "after_cross"}.get(sublayer.kind)
            if step.access is not None and not any(site.name == f"{name}.stream.{after}" for site in sites):
                result.append((step.access.module, step.access.end, (tap, step)))
        result.append((block.block, "output", (tap, Site(f"{name}.sum", (), None, "check"))))
    return result


def put_entry(parts: ModelParts, module: nn.Module, end: str, entry: Entry | None) -> None:
    with _lock:
        hooks: dict[str, EndHook] = vars(module).setdefault("_regard_sites", {})
        if end not in hooks:
            hook = hooks[end] = EndHook(parts)
            hook.handle = (
                module.register_forward_pre_hook(hook.before, with_kwargs=True)
                if end == "input"
                else module.register_forward_hook(hook.after, with_kwargs=True)
            )
        hook = hooks[end]
        hook.users += 1
        if entry is not None:
            hook.entries = (*hook.entries, entry)


def take_entry(module: nn.Module, end: str, entry: Entry | None) -> None:
    with _lock:
        hooks: dict[str, EndHook] = vars(module)["_regard_sites"]
        hook = hooks[end]
        hook.users -= 1
        if entry is not None:
            entries = list(hook.entries)
            entries.remove(entry)
            hook.entries = tuple(entries)
        if not hook.users:
            assert hook.handle is not None
            hook.handle.remove()
            del hooks[end]
            if not hooks:
                del vars(module)["_regard_sites"]

"""A run that is done: what a page is told of it, and what it may ask about."""

import ctypes
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from regard.attention import Pattern
from regard.errors import lookup
from regard.viewer import maps, payload, pyramid
from regard.viewer.along import Along
from regard.viewer.asking import Found, found
from regard.viewer.edit_effect import edit_effect
from regard.viewer.limits import Limits
from regard.viewer.payload import RunRequest
from regard.viewer.pyramid import Pyramid


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """A request and what came out. Pyramids come in one by one; nothing else ever changes."""

    id: str
    task: Any
    request: RunRequest
    result: Found
    patterns: dict[str, Pattern]
    payload: payload.RunPayload
    size: int
    pyramids: dict[str, Pyramid] = field(default_factory=dict)

    def pattern(self, layer: str) -> Pattern:
        return lookup(self.patterns, layer, "layer")

    def build_pyramids(self, progress: Along) -> None:
        """The overview: one pass over the weights of every layer."""
        costs = {
            name: pattern.shape[1] * pattern.shape[2] * pattern.shape[3] for name, pattern in self.patterns.items()
        }
        total, done = max(sum(costs.values()), 1), 0
        progress.at("pooling")
        for name, pattern in self.patterns.items():
            if (level := pyramid.stored_level(pattern)) is not None:
                share, before = costs[name] / total, done / total
                self.pyramids[name] = pyramid.build_pyramid(
                    pattern,
                    level,
                    lambda fraction, share=share, before=before: progress.at("pooling", before + share * fraction),
                )
            done += costs[name]
        release_memory()


def finish_run(
    name: str,
    task: Any,
    request: RunRequest,
    progress: Along,
    limits: Limits,
    base: FinishedRun | None,
    clock: Callable[[], float],
) -> FinishedRun:
    """Ask, compare with the base if there is one, and put it all together."""
    result = found(task, request, progress, limits)
    release_memory()
    patterns = {layer: maps.with_row_statistics(look.pattern) for layer, look in result.looks.items()}
    effect = None
    if base is not None and base.request.model == request.model:
        effect = edit_effect(task, (base.id, base.result, base.request.edits), (result, request.edits))
    run = run_payload(name, task.name, request, result, patterns, effect, clock())
    size = sum(round(maps.size_of(pattern) * (1 + pyramid.SHARE)) for pattern in patterns.values())
    return FinishedRun(name, task, request, result, patterns, run, size)


def run_payload(
    name: str,
    task: str,
    request: RunRequest,
    result: Found,
    patterns: dict[str, Pattern],
    effect: payload.EditEffect | None,
    seconds: float,
) -> payload.RunPayload:
    """What a page is told of a run."""
    return payload.RunPayload(
        id=name,
        model=request.model,
        task=task,
        text=result.sentences[request.sentence] if result.sentences else request.text,
        second=request.second,
        sentences=list(result.sentences),
        sentence=request.sentence,
        answer=result.answer,
        sides=list(result.sides),
        layers=[layer_info(layer, pattern, result) for layer, pattern in patterns.items()],
        beam_tree=result.tree,
        alignment=result.alignment,
        candidates=list(result.candidates),
        edits=request.edits,
        edit_effect=effect,
        seconds=seconds,
    )


def release_memory() -> None:
    """What was freed goes back to the system, where the C library keeps it otherwise."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def layer_info(name: str, pattern: Pattern, result: Found) -> payload.LayerInfo:
    _, heads, queries, keys = pattern.shape
    return payload.LayerInfo(
        name=name,
        heads=heads,
        queries=queries,
        keys=keys,
        rows=result.looks[name].rows,
        columns=result.looks[name].columns,
        mask=maps.mask_name(pattern),
        score=type(pattern.score).__name__,
        levels=pyramid.levels(pattern),
        base=pyramid.stored_level(pattern),
    )

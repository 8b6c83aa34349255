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
from regard.viewer.difference import edit_effect
from regard.viewer.limits import Limits
from regard.viewer.payload import RunRequest
from regard.viewer.pyramid import Pyramid


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """What was asked and found. Pyramids come in one by one; nothing else ever changes."""

    id: str
    task: Any
    request: RunRequest
    result: Found
    patterns: dict[str, Pattern]
    payload: payload.RunPayload
    size: int
    pyramids: dict[str, Pyramid] = field(default_factory=dict)

    def pattern(self, place: str) -> Pattern:
        return lookup(self.patterns, place, "place")

    def build_pyramids(self, along: Along) -> None:
        """The overview: one pass over the weights of every place."""
        costs = {
            name: pattern.shape[1] * pattern.shape[2] * pattern.shape[3] for name, pattern in self.patterns.items()
        }
        total, done = max(sum(costs.values()), 1), 0
        along.at("pooling")
        for name, pattern in self.patterns.items():
            if (level := pyramid.stored_level(pattern)) is not None:
                share, before = costs[name] / total, done / total
                self.pyramids[name] = pyramid.build_pyramid(
                    pattern, level, lambda part, share=share, before=before: along.at("pooling", before + share * part)
                )
            done += costs[name]
        release_memory()


def finish_run(
    name: str,
    task: Any,
    ask: RunRequest,
    along: Along,
    limits: Limits,
    base: FinishedRun | None,
    clock: Callable[[], float],
) -> FinishedRun:
    """Ask, compare with the base if there is one, and put it all together."""
    one = found(task, ask, along, limits)
    release_memory()
    patterns = {place: maps.with_row_statistics(look.pattern) for place, look in one.looks.items()}
    change = None
    if base is not None and base.request.model == ask.model:
        change = edit_effect(task, (base.id, base.result, base.request.edits), (one, ask.edits))
    told = run_payload(name, task.name, ask, one, patterns, change, clock())
    size = sum(round(maps.size_of(pattern) * (1 + pyramid.SHARE)) for pattern in patterns.values())
    return FinishedRun(name, task, ask, one, patterns, told, size)


def run_payload(
    name: str,
    task: str,
    ask: RunRequest,
    one: Found,
    patterns: dict[str, Pattern],
    change: payload.EditEffect | None,
    seconds: float,
) -> payload.RunPayload:
    """What a page is told of a run."""
    return payload.RunPayload(
        id=name,
        model=ask.model,
        task=task,
        text=one.sentences[ask.sentence] if one.sentences else ask.text,
        second=ask.second,
        sentences=list(one.sentences),
        sentence=ask.sentence,
        answer=one.answer,
        sides=list(one.sides),
        layers=[layer_info(place, pattern, one) for place, pattern in patterns.items()],
        beam_tree=one.tree,
        alignment=one.alignment,
        candidates=list(one.candidates),
        edits=ask.edits,
        edit_effect=change,
        seconds=seconds,
    )


def release_memory() -> None:
    """What was freed goes back to the system, where the C library keeps it otherwise."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def layer_info(name: str, pattern: Pattern, one: Found) -> payload.LayerInfo:
    _, heads, queries, keys = pattern.shape
    return payload.LayerInfo(
        name=name,
        heads=heads,
        queries=queries,
        keys=keys,
        rows=one.looks[name].rows,
        columns=one.looks[name].columns,
        mask=maps.mask_name(pattern),
        score=type(pattern.score).__name__,
        levels=pyramid.levels(pattern),
        base=pyramid.stored_level(pattern),
    )

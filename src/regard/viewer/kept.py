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
from regard.viewer.difference import difference
from regard.viewer.limits import Limits
from regard.viewer.payload import Ask
from regard.viewer.pyramid import Pyramid


@dataclass(frozen=True, eq=False)
class Kept:
    """What was asked and found. Pyramids come in one by one; nothing else ever changes."""

    id: str
    task: Any
    ask: Ask
    found: Found
    patterns: dict[str, Pattern]
    told: payload.Run
    size: int
    pyramids: dict[str, Pyramid] = field(default_factory=dict)

    def pattern(self, place: str) -> Pattern:
        return lookup(self.patterns, place, "place")

    def pool(self, along: Along) -> None:
        """The overview: one pass over the weights of every place."""
        costs = {
            name: pattern.shape[1] * pattern.shape[2] * pattern.shape[3] for name, pattern in self.patterns.items()
        }
        total, done = max(sum(costs.values()), 1), 0
        along.at("pooling")
        for name, pattern in self.patterns.items():
            if (level := pyramid.base(pattern)) is not None:
                share, before = costs[name] / total, done / total
                self.pyramids[name] = pyramid.built(
                    pattern, level, lambda part, share=share, before=before: along.at("pooling", before + share * part)
                )
            done += costs[name]
        give_back()


def kept(
    name: str,
    task: Any,
    ask: Ask,
    along: Along,
    limits: Limits,
    base: Kept | None,
    clock: Callable[[], float],
) -> Kept:
    """Ask, compare with the base if there is one, and put it all together."""
    one = found(task, ask, along, limits)
    give_back()
    patterns = {place: maps.known(look.pattern) for place, look in one.looks.items()}
    change = None
    if base is not None and base.ask.model == ask.model:
        change = difference(task, (base.id, base.found, base.ask.edits), (one, ask.edits))
    told = told_of(name, task.name, ask, one, patterns, change, clock())
    size = sum(round(maps.size_of(pattern) * (1 + pyramid.SHARE)) for pattern in patterns.values())
    return Kept(name, task, ask, one, patterns, told, size)


def told_of(
    name: str,
    task: str,
    ask: Ask,
    one: Found,
    patterns: dict[str, Pattern],
    change: payload.Difference | None,
    seconds: float,
) -> payload.Run:
    """What a page is told of a run."""
    return payload.Run(
        id=name,
        model=ask.model,
        task=task,
        text=one.sentences[ask.sentence] if one.sentences else ask.text,
        second=ask.second,
        sentences=list(one.sentences),
        sentence=ask.sentence,
        answer=one.answer,
        sides=list(one.sides),
        places=[place_of(place, pattern, one) for place, pattern in patterns.items()],
        tree=one.tree,
        alignment=one.alignment,
        candidates=list(one.candidates),
        edits=ask.edits,
        difference=change,
        seconds=seconds,
    )


def give_back() -> None:
    """What was freed goes back to the system, where the C library keeps it otherwise."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def place_of(name: str, pattern: Pattern, one: Found) -> payload.Place:
    _, heads, queries, keys = pattern.shape
    return payload.Place(
        name=name,
        heads=heads,
        queries=queries,
        keys=keys,
        rows=one.looks[name].rows,
        columns=one.looks[name].columns,
        mask=maps.mask_of(pattern),
        score=type(pattern.score).__name__,
        levels=pyramid.levels(pattern),
        base=pyramid.base(pattern),
    )

"""A run that is done: what a page is told of it, and what it may ask about."""

from collections.abc import Callable
from dataclasses import dataclass, field

from regard.attention import Pattern
from regard.errors import RegardError, lookup
from regard.tasks import Task
from regard.viewer import maps, pyramid
from regard.viewer.edit_effect import edit_effect
from regard.viewer.limits import Limits
from regard.viewer.overflow import refuse_overflow
from regard.viewer.payload import RunPayload, RunRequest
from regard.viewer.pyramid import Pyramid
from regard.viewer.run_payload import run_payload
from regard.viewer.run_progress import RunProgress
from regard.viewer.run_result import RunResult
from regard.viewer.task_runs import run_task


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """A request and what came out. Pyramids come in one by one; nothing else ever changes. What was only seen, as in a
    notebook, has no task."""

    id: str
    own_task: Task | None
    request: RunRequest
    result: RunResult
    patterns: dict[str, Pattern]
    payload: RunPayload
    pyramids: dict[str, Pyramid] = field(default_factory=dict)

    @property
    def task(self) -> Task:
        """The task that ran."""
        if self.own_task is None:
            raise RegardError("what was only looked at has no model that could be asked")
        return self.own_task

    def pattern(self, layer: str) -> Pattern:
        return lookup(self.patterns, layer, "layer")

    def needs_pyramid(self, layer: str, level: int | None = None) -> bool:
        """Whether a level of a layer, or its overview, comes from a pyramid that is not there yet."""
        if layer in self.pyramids:
            return False
        stored = pyramid.stored_level(self.pattern(layer))
        return stored is not None and (level is None or level >= stored)

    def build_pyramids(self, progress: RunProgress) -> None:
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


def finish_run(
    name: str,
    task: Task,
    request: RunRequest,
    progress: RunProgress,
    limits: Limits,
    base: FinishedRun | None,
    clock: Callable[[], float],
) -> FinishedRun:
    """Ask, compare with the base if there is one, and put it all together."""
    result = run_task(task, request, progress, limits)
    patterns = {layer: maps.with_row_statistics(watched.pattern) for layer, watched in result.layers.items()}
    refuse_overflow(result, patterns)
    effect = None
    if base is not None and base.request.model == request.model:
        effect = edit_effect(task, (base.id, base.result, base.request.edits), (result, request.edits))
    run = run_payload(name, task.name, request, result, patterns, effect, clock())
    return FinishedRun(name, task, request, result, patterns, run)

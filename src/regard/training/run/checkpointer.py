"""Which checkpoints a run writes, and which it keeps."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from regard.models import Model
from regard.training.recipe.recipe import Recipe
from regard.training.run.export import Exporter
from regard.training.run.state import CheckpointStore, TrainingProgress


@dataclass
class Checkpointer:
    """Writes checkpoints, and removes those that are not needed any more."""

    checkpoints: CheckpointStore
    exporter: Exporter
    model: Callable[[], Model]
    optimiser_state: Callable[[], dict[str, Tensor]]
    recipe: Recipe
    writes: bool = True

    def save(self, progress: TrainingProgress, scores: dict[str, float]) -> None:
        model, memory, step = self.model(), self.optimiser_state(), progress.step
        if not self.writes:
            return
        self.checkpoints.save(
            progress, memory, lambda beside: self.exporter.write(model, beside, step=step, scores=scores)
        )
        self.remove_unneeded(progress)

    def remove_unneeded(self, progress: TrainingProgress) -> None:
        """Keep the newest, the best, and the last regular ones: those that an interruption wrote are no regular ones.

        What is newer still is damaged, and will be written again.
        """
        if not self.writes:
            return
        train = self.recipe.train
        steps = self.checkpoints.steps()
        newer = [step for step in steps if step > progress.step]
        regular = [step for step in steps if 0 < step <= progress.step and step % train.save_every == 0]
        last = regular[-max(train.keep, train.average) :]
        self.checkpoints.keep_only({progress.step, progress.best_step, *last, *newer})

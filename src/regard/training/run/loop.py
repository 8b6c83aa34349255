"""The loop: steps, evaluations, saves, and the end."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from regard.errors import RegardError
from regard.training.data.batch_source import BatchSource, mix_seeds
from regard.training.objectives.objective import SegmentMemory
from regard.training.optimisation.learner import Learner
from regard.training.optimisation.schedules import learning_rate_at
from regard.training.optimisation.training_step import LearnerCall, StepResult, training_step
from regard.training.recipe.recipe import TrainRecipe
from regard.training.run.log import TrainingLog
from regard.training.run.processes import World
from regard.training.run.reports import TrainingReport
from regard.training.run.signals import Stopped, StopRequest
from regard.training.run.state import TrainingProgress

HIGHER_IS_BETTER = ("bleu", "chrf", "accuracy", "exact", "f1")
"""Scores of which more is better; of all others, less."""

Evaluate = Callable[[Callable[[], None]], dict[str, float]]
"""Scores on the valid set; calls what it is given between two pieces of work, and stops if that raises."""


class Diverged(RegardError):
    """Gradients that are no numbers, again and again."""


@dataclass
class Loop:
    """Everything that takes part in a training, and how far it is.

    `save` writes a checkpoint, `evaluate` gives scores. `learner` is what computes losses:
    the Learner itself, or what wraps it.
    """

    train: TrainRecipe
    learner: LearnerCall
    model: Learner
    optimiser: torch.optim.Optimizer
    batch_source: BatchSource
    save: Callable[[TrainingProgress, dict[str, float]], None]
    evaluate: Evaluate | None
    log: TrainingLog
    report: TrainingReport
    world: World
    stop: StopRequest
    progress: TrainingProgress = TrainingProgress()
    memory: SegmentMemory | None = None  # from the last batch to the next, where a model remembers
    seconds: float = 0.0  # that earlier starts took
    is_late: bool = False  # all minutes of the recipe are over
    began: float = 0.0  # when it would have begun, had it not been interrupted

    def run(self) -> TrainingProgress:
        """Go on to the last step; on being told to stop, save and raise Stopped. Saves twice in a row are one.

        A save precedes each evaluation, so that one which fails costs no step; what it found is saved after it.
        """
        saved = self.progress.step if self.progress.step else -1
        self.began = time.monotonic() - self.seconds
        try:
            while True:
                scores: dict[str, float] = {}
                is_evaluated = self.is_due(self.train.evaluate_every or self.train.save_every)
                if is_evaluated and self.evaluate is not None and self.progress.evaluated_step < self.progress.step:
                    if saved != self.progress.step:
                        self.save(self.progress_to_save(), {})
                        saved = self.progress.step
                    scores = self.evaluate_now(self.evaluate)
                    saved = -1
                is_saved = self.is_due(self.train.save_every) or self.progress.best_step == self.progress.step
                if (is_saved or self.is_over()) and saved != self.progress.step:
                    self.save(self.progress_to_save(), scores)
                    saved = self.progress.step
                if self.is_over():
                    return self.progress
                self.check()
                self.step()
        except Stopped:
            if saved != self.progress.step:
                self.save(self.progress_to_save(), {})
            self.world.wait()  # nobody leaves while another is still writing
            raise

    def check(self) -> None:
        """Raise Stopped if one of the processes was told to stop."""
        if self.world.any(self.stop.signal_number is not None):
            raise Stopped

    def is_due(self, every: int) -> bool:
        step = self.progress.step
        return step > 0 and (step % every == 0 or step >= self.train.steps or self.is_late)

    def is_over(self) -> bool:
        return end_of(self.train, self.progress, is_late=self.is_late) is not None

    def progress_to_save(self) -> TrainingProgress:
        self.progress = replace(self.progress, log_length=self.log.synced_length(), processes=self.world.size)
        return self.progress

    def step(self) -> None:
        """One more step. Everything random about it follows from its number."""
        train, step = self.train, self.progress.step + 1
        started = time.perf_counter()
        first = (step - 1) * train.accumulate
        numbers = range(first, first + train.accumulate)
        batches = [self.batch_source[number].to(self.world.device) for number in numbers]
        torch.manual_seed(mix_seeds(train.seed, step, self.world.rank))
        learning_rate = learning_rate_at(
            step,
            peak=train.learning_rate,
            schedule=train.schedule,
            warmup=train.warmup,
            steps=train.steps,
            minimum=train.min_learning_rate,
            cooldown=train.cooldown,
        )
        self.model.train()
        result = training_step(
            self.learner,
            batches,
            self.optimiser,
            learning_rate=learning_rate,
            max_norm=train.clip_norm,
            world=self.world,
            memory=self.memory,
        )
        self.memory = result.memory
        epoch = self.batch_source.epoch_and_number(numbers[0])[0]
        self.progress = replace(self.progress, step=step, **self.count_step(result, step, numbers[0]))
        if step % train.log_every == 0 or step == train.steps:
            self.write_log(epoch, learning_rate, result.norm)
        seconds = time.perf_counter() - started
        self.log.time(step, seconds=round(seconds, 4), tokens_per_second=round(result.count / seconds, 1))
        loss = result.cross_entropy / max(result.count, 1)
        values = {"epoch": epoch + 1, "loss": loss, "learning_rate": learning_rate, "tokens/s": result.count / seconds}
        self.report.step(step, values)
        if train.minutes:
            self.is_late = self.world.any(time.monotonic() - self.began >= 60 * train.minutes)

    def count_step(self, result: StepResult, step: int, batch: int) -> dict[str, float]:
        """The sums since the last line of the log, and the steps in a row that were skipped."""
        if not result.skipped:
            before = self.progress
            cross_entropy = before.cross_entropy + result.cross_entropy
            sums = {"loss": before.loss + result.loss, "cross_entropy": cross_entropy}
            return sums | {"count": before.count + result.count, "skipped_in_a_row": 0}
        skipped = self.progress.skipped_in_a_row + 1
        epoch, number = self.batch_source.epoch_and_number(batch)
        where = f"step {step}, batch {number} of epoch {epoch + 1}"
        self.log.write(step, skipped=where, norm=str(result.norm))
        self.report.say(f"{where}: the gradient is no number: skipped")
        if skipped >= self.train.non_finite:
            raise Diverged(
                f"{where}: no finite gradient for {skipped} steps in a row: a lower train.learning_rate, a longer "
                "train.warmup or train.clip_norm may help"
            )
        return {"skipped_in_a_row": skipped}

    def write_log(self, epoch: int, learning_rate: float, norm: float) -> None:
        """A line of the log: means over the positions since the line before."""
        progress = self.progress
        if progress.count:
            means = {"loss": progress.cross_entropy / progress.count, "objective": progress.loss / progress.count}
            self.log.write(
                progress.step, epoch=epoch, **means, learning_rate=learning_rate, norm=norm, tokens=progress.count
            )
        self.progress = replace(progress, loss=0.0, cross_entropy=0.0, count=0)

    def evaluate_now(self, evaluate: Evaluate) -> dict[str, float]:
        """Scores, and whether they are the best so far."""
        step = self.progress.step
        started = time.perf_counter()
        self.model.eval()
        with torch.no_grad():
            scores = evaluate(self.check)
        self.log.write(step, valid=scores)
        self.log.time(step, evaluation=round(time.perf_counter() - started, 3))
        self.report.scores(step, scores)
        score, best = scores[self.train.metric], self.progress.best
        loss, best_loss = scores.get("loss", math.inf), self.progress.best_loss
        is_tied = score == best and best_loss is not None and loss < best_loss  # as at BLEU 0, while it learns
        is_best = math.isfinite(score) and (best is None or is_tied or is_better(self.train.metric, score, best))
        since_best = 0 if is_best else self.progress.evaluations_since_best + 1
        finite_loss = loss if math.isfinite(loss) else None
        changes = {"best": score, "best_step": step, "best_loss": finite_loss} if is_best else {}
        self.progress = replace(self.progress, evaluated_step=step, evaluations_since_best=since_best, **changes)
        return scores


def end_of(train: TrainRecipe, progress: TrainingProgress, *, is_late: bool = False) -> str | None:
    """Why a training is over, in words; None: it is not."""
    if progress.step >= train.steps:
        return f"all {train.steps:,} steps are done"
    if 0 < train.patience <= progress.evaluations_since_best:
        times = progress.evaluations_since_best
        return f"no better {train.metric} in {times} evaluations (train.patience = {train.patience})"
    return f"{train.minutes:g} minutes are over (train.minutes)" if is_late else None


def is_better(metric: str, score: float, other: float) -> bool:
    return score > other if metric in HIGHER_IS_BETTER else score < other

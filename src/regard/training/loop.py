"""The loop: steps, evaluations, saves, and the end."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch

from regard.errors import RegardError
from regard.training.feed import BatchSource, mixed
from regard.training.learner import Learner
from regard.training.log import TrainingLog
from regard.training.objectives.objective import SegmentMemory
from regard.training.processes import World
from regard.training.recipe import TrainRecipe
from regard.training.reports import TrainingReport
from regard.training.schedules import rate_at
from regard.training.signals import Stop, Stopped
from regard.training.state import TrainingProgress
from regard.training.update import StepResult, update

HIGHER = ("bleu", "chrf", "accuracy", "f1")
"""Scores of which more is better; of all others, less."""

Evaluate = Callable[[Callable[[], None]], dict[str, float]]
"""Scores on the valid set; calls what it is given between two pieces of work, and stops if that raises."""


class Diverged(RegardError):
    """Gradients that are no numbers, again and again."""


@dataclass
class Loop:
    """Everything that takes part in a training, and how far it is.

    `save` writes a checkpoint of what it is told, `evaluate` gives scores. `learner` is what computes losses:
    the Learner itself, or what wraps it.
    """

    train: TrainRecipe
    learner: Any
    model: Learner
    optimiser: torch.optim.Optimizer
    feed: BatchSource
    save: Callable[[TrainingProgress, dict[str, float]], None]
    evaluate: Evaluate | None
    log: TrainingLog
    report: TrainingReport
    world: World
    stop: Stop
    progress: TrainingProgress = TrainingProgress()
    carried: SegmentMemory | None = None  # from the last batch to the next, where a model remembers

    def run(self) -> TrainingProgress:
        """Go on to the last step; on being told to stop, save and raise Stopped. Saves twice in a row are one."""
        saved = self.progress.step if self.progress.step else -1
        try:
            while True:
                scores: dict[str, float] = {}
                is_judged = self.is_due(self.train.evaluate_every or self.train.save_every)
                if is_judged and self.evaluate is not None and self.progress.evaluated < self.progress.step:
                    scores = self.scored(self.evaluate)
                    saved = -1
                is_kept = self.is_due(self.train.save_every) or self.progress.best_step == self.progress.step
                if (is_kept or self.is_over()) and saved != self.progress.step:
                    self.save(self.logged(), scores)
                    saved = self.progress.step
                if self.is_over():
                    return self.progress
                self.check()
                self.step()
        except Stopped:
            if saved != self.progress.step:
                self.save(self.logged(), {})
            self.world.wait()  # nobody leaves while another is still writing
            raise

    def check(self) -> None:
        """Raise Stopped if one of the processes was told to stop."""
        if self.world.any(self.stop.asked is not None):
            raise Stopped

    def is_due(self, every: int) -> bool:
        step = self.progress.step
        return step > 0 and (step % every == 0 or step >= self.train.steps)

    def is_over(self) -> bool:
        patience = self.train.patience
        return self.progress.step >= self.train.steps or bool(patience and self.progress.waited >= patience)

    def logged(self) -> TrainingProgress:
        self.progress = replace(self.progress, log=self.log.length(), world=self.world.size)
        return self.progress

    def step(self) -> None:
        """One more step. Everything random about it follows from its number."""
        train, step = self.train, self.progress.step + 1
        begun = time.perf_counter()
        first = (step - 1) * train.accumulate
        numbers = range(first, first + train.accumulate)
        batches = [self.feed[number].to(self.world.device) for number in numbers]
        torch.manual_seed(mixed(train.seed, step, self.world.rank))
        rate = rate_at(
            step,
            rate=train.rate,
            schedule=train.schedule,
            warmup=train.warmup,
            steps=train.steps,
            floor=train.floor,
            cooldown=train.cooldown,
        )
        self.model.train()
        done = update(
            self.learner,
            batches,
            self.optimiser,
            rate=rate,
            most=train.clip,
            world=self.world,
            carried=self.carried,
        )
        self.carried = done.carried
        epoch = self.feed.place(numbers[0])[0]
        self.progress = replace(self.progress, step=step, **self.counted(done, step, numbers[0]))
        if step % train.log_every == 0 or step == train.steps:
            self.wrote(epoch, rate, done.norm)
        seconds = time.perf_counter() - begun
        self.log.time(step, seconds=round(seconds, 4), tokens_per_second=round(done.count / seconds, 1))
        told = {"loss": done.plain / max(done.count, 1), "rate": rate, "tokens/s": done.count / seconds}
        self.report.step(step, {"epoch": epoch + 1, **told})

    def counted(self, done: StepResult, step: int, batch: int) -> dict[str, Any]:
        """The sums since the last line of the log, and the steps in a row that were skipped."""
        if not done.skipped:
            before = self.progress
            sums = {"loss": before.loss + done.loss, "plain": before.plain + done.plain}
            return sums | {"count": before.count + done.count, "streak": 0}
        streak = self.progress.streak + 1
        epoch, place = self.feed.place(batch)
        where = f"step {step}, batch {place} of epoch {epoch + 1}"
        self.log.write(step, skipped=where, norm=str(done.norm))
        self.report.say(f"{where}: the gradient is no number: skipped")
        if streak >= self.train.non_finite:
            raise Diverged(
                f"{where}: no finite gradient for {streak} steps in a row: a lower train.rate, a longer train.warmup "
                "or train.clip may help"
            )
        return {"streak": streak}

    def wrote(self, epoch: int, rate: float, norm: float) -> None:
        """A line of the log: means over the places since the line before."""
        now = self.progress
        if now.count:
            means = {"loss": now.plain / now.count, "objective": now.loss / now.count}
            self.log.write(now.step, epoch=epoch, **means, rate=rate, norm=norm, tokens=now.count)
        self.progress = replace(now, loss=0.0, plain=0.0, count=0)

    def scored(self, evaluate: Evaluate) -> dict[str, float]:
        """Scores, and whether they are the best so far."""
        step = self.progress.step
        begun = time.perf_counter()
        self.model.eval()
        with torch.no_grad():
            scores = evaluate(self.check)
        self.log.write(step, valid=scores)
        self.log.time(step, evaluation=round(time.perf_counter() - begun, 3))
        self.report.scored(step, scores)
        if self.train.score not in scores:
            raise RegardError(f"train.score = {self.train.score!r}: known here are {', '.join(scores)}")
        mine, best = scores[self.train.score], self.progress.best
        is_better = math.isfinite(mine) and (best is None or better(self.train.score, mine, best))
        news = {"best": mine, "best_step": step, "waited": 0} if is_better else {"waited": self.progress.waited + 1}
        self.progress = replace(self.progress, evaluated=step, **news)
        return scores


def better(score: str, mine: float, other: float) -> bool:
    return mine > other if score in HIGHER else mine < other

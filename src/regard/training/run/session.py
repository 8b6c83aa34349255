"""A recipe is followed, from its files to a folder that can be used; the same call goes on where it was."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from regard.checkpoints import CheckpointError
from regard.checkpoints.files import check_manifest, write_with_manifest
from regard.errors import RegardError
from regard.files import remove_folder, sweep, write_file
from regard.training.data.batch_source import BatchSource
from regard.training.data.readers import read_training_data
from regard.training.data.synthetic import FOLDER as SYNTHETIC
from regard.training.data.synthetic import with_synthetic_data
from regard.training.data.training_data import TrainingData
from regard.training.data.vocabulary import FOLDER as TOKENIZER
from regard.training.data.vocabulary import tokenizer_files
from regard.training.evaluation.evaluator import Evaluator
from regard.training.model.averaging import mean_weights, restore_weights
from regard.training.model.start import StartingModel, starting_model
from regard.training.optimisation.learner import Learner
from regard.training.optimisation.optimiser import make_optimiser, moments, restore_moments
from regard.training.recipe.names import check_recipe
from regard.training.recipe.reading import CHECKPOINTS, RecipeError, changed_keys, read_run_recipe, write_recipe
from regard.training.recipe.recipe import Recipe
from regard.training.run.checkpointer import Checkpointer
from regard.training.run.export import Exporter, token_ids
from regard.training.run.inputs import INPUTS, RunInputs, check_sources, check_tokenizer
from regard.training.run.log import LOG, TrainingLog, read_log, seconds_so_far
from regard.training.run.loop import Loop, end_of
from regard.training.run.out_of_memory import memory_errors
from regard.training.run.processes import World, join_processes
from regard.training.run.reports import SilentReport, TrainingReport, format_values, make_report
from regard.training.run.segment_memory import pack, unpack
from regard.training.run.sharing import parallelise, whole_model
from regard.training.run.signals import catch_stop_signals
from regard.training.run.state import (
    LOCK,
    CheckpointStore,
    TrainingProgress,
    lock_run,
    read_optimiser_state,
    read_progress,
)
from regard.training.run.tensorboard import TensorBoardWriter

RECIPE, RESULT = "recipe.toml", "model"


def train(
    recipe: Recipe,
    *,
    device: str = "cpu",
    reporting: TrainingReport | None = None,
    accept_changed_data: bool = False,
    finish: bool = False,
) -> Path:
    """Train, or go on training; the folder of the finished model. Raises Stopped once it was told to stop and saved.

    `finish` makes the result of what was learned so far, without another step; a later call goes on from there.

    A run whose texts, tokenizer or start model changed since is refused, unless `accept_changed_data`: then it goes on
    with what is there now, and what changed is said and logged.
    """
    check_recipe(recipe)
    with memory_errors(), ExitStack() as exit_stack:
        world = exit_stack.enter_context(join_processes(device))
        run = Path(recipe.run)
        if world.is_first:
            if not run.exists():
                exit_stack.enter_context(removed_if_refused(run))
            exit_stack.enter_context(lock_run(run))
            write_run_recipe(recipe, run)
        speaker = (reporting or make_report(recipe.train.steps)) if world.is_first else SilentReport()
        exit_stack.callback(speaker.close)
        return Session(recipe, run, world, speaker, accept_changed_data, finish).run_or_resume()


@contextmanager
def removed_if_refused(run: Path) -> Iterator[None]:
    """A new run that was refused before anything was made for it leaves no folder."""
    try:
        yield
    except RegardError:
        if run.is_dir() and {path.name for path in run.iterdir()} <= {LOCK, RECIPE}:
            remove_folder(run)
        raise


def write_run_recipe(recipe: Recipe, run: Path) -> None:
    """Write the recipe into its run; where there is one, it must ask for the same, unless it never came to a step."""
    path = run / RECIPE
    before = read_run_recipe(path) if path.is_file() else recipe
    keys = changed_keys(before, recipe)
    if keys and CheckpointStore(run / CHECKPOINTS).steps():
        raise RecipeError(f"{path}: this run has another {keys[0]}: go on as it was, or choose another run")
    if keys:
        made = [TOKENIZER, *([SYNTHETIC] if before.data.make.kind else [])]  # for the recipe that was refused
        for folder in (run / name for name in made):
            if folder.is_dir():
                remove_folder(folder)
    write_file(path, write_recipe(recipe))


@dataclass
class Session:
    """One process's part of a training."""

    recipe: Recipe
    run: Path
    world: World
    report: TrainingReport
    accept_changed_data: bool = False
    finishes: bool = False

    def run_or_resume(self) -> Path:
        """From the newest checkpoint, or from the beginning, to the end."""
        recipe, world = self.recipe, self.world
        checkpoints = CheckpointStore(self.run / CHECKPOINTS)
        inputs, data = self.read_inputs(checkpoints) if world.is_first else (RunInputs({}), None)
        world.wait()
        data = data or self.read_data()
        start = starting_model(recipe, data, self.report.say)
        model = start.model.to(world.device)
        latest = self.latest(checkpoints)
        if self.finishes and (latest is None or latest[1].step == 0):
            raise RegardError(f"{self.run}: nothing was learned here yet, so there is nothing to finish")
        progress = TrainingProgress(processes=world.size)
        if latest is not None:
            restore_weights(model, latest[0])
            progress = latest[1]
            self.report.say(f"going on from step {progress.step}: {latest[0]}")
            if progress.processes != world.size:
                self.report.say(
                    f"{world.size} processes instead of {progress.processes}: other random numbers from here on"
                )
        # From here on the first process writes what the others have just read.
        if world.any(world.is_first and self.is_done(progress)):
            self.report.say(f"finished already, after {progress.step} steps: {self.run / RESULT}")
            return self.run / RESULT
        with ExitStack() as exit_stack:
            log = TrainingLog(self.run, progress.log_length, writes=world.is_first)
            exit_stack.callback(log.close)
            if recipe.train.tensorboard and world.is_first:
                tensorboard = TensorBoardWriter.of(self.run, progress.step, self.report.say)
                log.listeners += [] if tensorboard is None else [tensorboard]
            progress = self.log_changes(inputs, log, progress)
            batch_source = BatchSource(
                data.examples,
                data.sampler,
                data.objective,
                seed=recipe.train.seed,
                part=(world.rank, world.size),
                workers=recipe.train.workers,
            )
            exit_stack.callback(batch_source.close)
            return self.learn(
                data, start, progress, None if latest is None else latest[0], checkpoints, batch_source, log
            )

    def learn(
        self,
        data: TrainingData,
        start: StartingModel,
        progress: TrainingProgress,
        folder: Path | None,
        checkpoints: CheckpointStore,
        batch_source: BatchSource,
        log: TrainingLog,
    ) -> Path:
        """Put everything together, and run the loop; `folder` is the checkpoint to go on from."""
        recipe, train, world, model = self.recipe, self.recipe.train, self.world, start.model
        if world.size > 1 and recipe.model.kind == "xl" and recipe.model.memory_length:
            raise RecipeError(f"model.memory_length: what is carried is saved by one process, got {world.size}")
        learner = Learner(model, data.objective, smoothing=train.label_smoothing, precision=train.precision)
        parallel_learner = parallelise(learner, world, train)
        current_model = whole_model(model, start.plan.config)
        exporter = Exporter(
            recipe, start.plan, token_ids(data.tokenizer, data.start_token), tokenizer_files(self.run), data.labels
        )
        evaluator = Evaluator.of(recipe, data)
        optimiser = make_optimiser(
            model,
            train.optimiser,
            learning_rate=train.learning_rate,
            betas=train.betas,
            epsilon=train.epsilon,
            weight_decay=train.weight_decay,
            lora_rank=train.lora_rank,
            lora_alpha=train.lora_alpha,
        )
        names: dict[torch.Tensor, str] = {weight: name for name, weight in model.named_parameters()}
        saved = {} if folder is None else read_optimiser_state(folder)
        restore_moments(optimiser, names, saved)
        checkpointer = Checkpointer(
            checkpoints,
            exporter,
            current_model,
            lambda: moments(optimiser, names) | pack(loop.memory),
            recipe,
            world.is_first,
        )
        with catch_stop_signals() as stop:
            loop = Loop(
                train=train,
                learner=parallel_learner,
                model=learner,
                optimiser=optimiser,
                batch_source=batch_source,
                save=checkpointer.save,
                evaluate=None
                if evaluator is None
                else (lambda check: evaluator.scores(learner.with_model(current_model()), check)),
                log=log,
                report=self.report,
                world=world,
                stop=stop,
                progress=progress,
                memory=unpack(saved, world.device),
                seconds=seconds_so_far(self.run, progress.step) if world.is_first else 0.0,
            )
            if folder is None:
                checkpointer.save(progress, {})  # finds out now, not after hours, whether it can be written
            else:
                checkpointer.remove_unneeded(progress)  # which a kill may have kept it from
            done = progress if self.finishes else loop.run()
            why = end_of(train, done, is_late=loop.is_late) or f"asked to finish at step {done.step:,}"
            self.report.say(f"stopped after {done.step:,} steps: {why}")
            world.wait()
            last_evaluator = Evaluator.of(recipe, data, is_last=True)
            return self.finish(
                done, checkpoints, exporter, learner.with_model(current_model()), last_evaluator, log, loop.check
            )

    def latest(self, checkpoints: CheckpointStore) -> tuple[Path, TrainingProgress] | None:
        """The checkpoint to go on from. The first process chooses: another machine may not see yet what it sees."""
        latest = checkpoints.latest(self.report.say, self.run / LOG) if self.world.is_first else None
        step = self.world.from_first(-1 if latest is None else latest[1].step)
        if step < 0 or self.world.is_first:
            return latest
        return checkpoints.path(step), read_progress(checkpoints.path(step))

    def read_inputs(self, checkpoints: CheckpointStore) -> tuple[RunInputs, TrainingData]:
        """What the first process does before the others: clear up, and read what must be as it was."""
        checkpoints.sweep()
        for name in (RECIPE, INPUTS, TOKENIZER, RESULT, SYNTHETIC):
            sweep(self.run, name)
        accept = self.accept_changed_data
        recipe = with_synthetic_data(self.recipe, self.run)
        inputs = check_sources(recipe, self.run, accept_changed=accept, is_begun=bool(checkpoints.steps()))
        data = self.read_data()
        return check_tokenizer(inputs, self.run, accept_changed=accept), data

    def log_changes(self, inputs: RunInputs, log: TrainingLog, progress: TrainingProgress) -> TrainingProgress:
        """Log the accepted changes that the log does not have yet; scores from before them are no measure any more."""
        logged = sum("changed_data" in line for line in read_log(self.run)) if self.world.is_first else 0
        changes = inputs.changes[logged:]
        for change in changes:
            self.report.say(f"changed data accepted: {change}")
            log.write(progress.step, changed_data=change)
        if not self.world.any(bool(changes)):
            return progress
        return replace(progress, best=None, best_step=-1, evaluations_since_best=0)

    def read_data(self) -> TrainingData:
        return read_training_data(with_synthetic_data(self.recipe, self.run), self.run, self.report.say)

    def is_done(self, progress: TrainingProgress) -> bool:
        """Whether the result is there already, and of this step."""
        lines = read_log(self.run)
        if not lines or "final" not in lines[-1] or lines[-1]["step"] != progress.step:
            return False
        try:
            check_manifest(self.run / RESULT)
        except CheckpointError:
            return False
        train = self.recipe.train
        is_late = 0 < 60 * train.minutes <= seconds_so_far(self.run, progress.step)
        return (self.run / RESULT).is_dir() and end_of(train, progress, is_late=is_late) is not None

    def finish(
        self,
        progress: TrainingProgress,
        checkpoints: CheckpointStore,
        exporter: Exporter,
        learner: Learner,
        evaluator: Evaluator | None,
        log: TrainingLog,
        check: Callable[[], None],
    ) -> Path:
        """The result: the mean of the last checkpoints, the best one, or the last."""
        steps = self.result_steps(progress, checkpoints)
        learner.model.load_state_dict(mean_weights([checkpoints.path(step) for step in steps]))
        learner.eval()
        what = f"The mean of the checkpoints of steps {', '.join(map(str, steps))}." if len(steps) > 1 else ""
        self.report.say(f"the result is {self.result_in_words(steps, progress)}")
        scores: dict[str, float] = {}
        if evaluator is not None:
            with torch.no_grad():
                scores = evaluator.scores(learner, check)
            self.report.say(f"the result on the valid set: {format_values(scores)}")
        if self.world.is_first:
            step = steps[-1]
            write_with_manifest(
                self.run / RESULT,
                lambda beside: exporter.write(learner.model, beside, step=step, scores=scores, note=what),
            )
        log.write(progress.step, final=steps, valid=scores)
        log.synced_length()
        self.report.say(f"finished after {progress.step} steps: {self.run / RESULT}")
        self.world.wait()
        return self.run / RESULT

    def result_in_words(self, steps: list[int], progress: TrainingProgress) -> str:
        """Which weights became the result, and why these."""
        if len(steps) > 1:
            return f"the mean of steps {', '.join(f'{step:,}' for step in steps)} (train.average)"
        if steps == [progress.best_step] and progress.best is not None:
            return f"step {steps[0]:,}, which has the best {self.recipe.train.metric} so far, {progress.best:.4g}"
        return f"step {steps[0]:,}, the last"

    def result_steps(self, progress: TrainingProgress, checkpoints: CheckpointStore) -> list[int]:
        """The steps whose checkpoints make up the result."""
        train = self.recipe.train
        if train.average > 1:
            regular = [step for step in checkpoints.steps() if step and step % train.save_every == 0]
            return regular[-train.average :] or [progress.step]
        return [progress.best_step if progress.best_step >= 0 else progress.step]

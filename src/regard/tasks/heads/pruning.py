"""A model without its weakest heads, as a folder, with what that cost."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from regard.card import CARD
from regard.checkpoints import save_model
from regard.checkpoints.files import CONFIG, MANIFEST
from regard.errors import RegardError
from regard.files import write_file
from regard.looking import prune, weakest
from regard.models import Model
from regard.tasks.evaluation import evaluate
from regard.tasks.heads.head_data import HeadData, first, head_data, held_out
from regard.tasks.heads.scoring import score_heads
from regard.tasks.loading import load
from regard.tasks.task import Task
from regard.text import Corpus
from regard.training.data.batch_source import BatchSource, mix_seeds
from regard.training.data.samplers import BucketSampler
from regard.training.optimisation.learner import Learner
from regard.training.optimisation.optimiser import make_optimiser
from regard.training.optimisation.training_step import training_step
from regard.training.recipe.recipe import TrainRecipe
from regard.training.run.state import OPTIMISER, STATE

REPORT = "pruning.json"
LEFT = {CONFIG, MANIFEST, CARD, OPTIMISER, STATE, REPORT}  # files of the old folder that the new one has its own of
Say = Callable[[str], None]
"""Told what is being done, a line at a time."""


@dataclass(frozen=True)
class Tuning:
    """How a pruned model learns on: steps of so many tokens, at a rate that falls evenly to 0."""

    steps: int = 0
    learning_rate: float = 1e-4
    tokens: int = 2048
    seed: int = 1


@dataclass(frozen=True)
class Pruning:
    """What was done, and the scores before and after, of text that nothing was learned from."""

    folder: str
    by: str
    keep: float
    pruned: dict[str, list[int]]
    heads: tuple[int, int]
    parameters: tuple[int, int]
    bytes: tuple[int, int]
    tuned: int
    before: dict[str, float]
    after: dict[str, float]


def prune_task(
    task: Task,
    corpus: Corpus,
    folder: str | Path,
    *,
    keep: float,
    by: str = "importance",
    by_layer: bool = False,
    test: Corpus | None = None,
    limit: int = 1000,
    tuning: Tuning = Tuning(),
    say: Say = lambda line: None,
) -> Pruning:
    """Judge the heads by some text, take the weakest out, let the rest learn on if asked to, and write a folder.

    Scores before and after are of `test`, or of every tenth sample of the corpus, which is then used for nothing else.
    `limit` is how many samples heads are judged by, and how many are measured at most.
    """
    learns, measured = held_out(first(corpus)) if test is None else (first(corpus), first(test))
    judging, measured = learns.first(limit), measured.first(limit)
    say(f"before: measured by {len(measured.numbers)} samples")
    before = dict(evaluate(task, measured).scores)
    material = head_data(task, judging)
    say(f"heads judged by {by}, on {len(judging.numbers)} samples")
    _, scores = score_heads(task, material, by, keep=keep, by_layer=by_layer)
    gone = weakest(task.model, scores, keep)
    if not gone:
        raise RegardError(f"a share of {keep:g} keeps every head: there is nothing to take out")
    small = prune(task.model, gone)
    if tuning.steps:
        say(f"learns on for {tuning.steps} steps")
        tune(small, head_data(task, learns), tuning)
    folder = save_pruned(task, small, folder)
    say(f"after: {folder} measured")
    after = dict(evaluate(load(folder, device=str(task.device), task=task.name), measured).scores)
    counts = [sum(weight.numel() for weight in model.parameters()) for model in (task.model, small)]
    sizes = [weights_in(path) for path in (task.checkpoint.folder, folder)]
    heads = sum(len(row) for row in scores.values())
    left = heads - sum(map(len, gone.values()))
    report = Pruning(
        str(folder),
        by,
        keep,
        gone,
        (heads, left),
        (counts[0], counts[1]),
        (sizes[0], sizes[1]),
        tuning.steps,
        before,
        after,
    )
    write_file(folder / REPORT, json.dumps(asdict(report), indent=1) + "\n")
    write_file(folder / CARD, card(task, report))
    return report


def tune(model: Model, material: HeadData, tuning: Tuning) -> None:
    """Learn on from the material: Adam, as many steps as were asked for."""
    lengths = np.array([[len(part) for part in row] for row in material.rows])
    recipe = TrainRecipe(batch_tokens=tuning.tokens, seed=tuning.seed)
    feed = BatchSource(material.rows, BucketSampler(lengths, recipe), material.objective, seed=tuning.seed)
    learner = Learner(model, material.objective).train()
    optimiser = make_optimiser(
        model, "adam", learning_rate=tuning.learning_rate, betas=(0.9, 0.98), epsilon=1e-9, weight_decay=0.0
    )
    device = next(model.parameters()).device
    with torch.random.fork_rng(devices=[]):
        for step in range(tuning.steps):
            torch.manual_seed(mix_seeds(tuning.seed, step))
            rate = tuning.learning_rate * (1 - step / tuning.steps)
            training_step(learner, [feed[step].to(device)], optimiser, learning_rate=rate, max_norm=1.0)
    learner.eval()


def save_pruned(task: Task, model: Model, folder: str | Path) -> Path:
    """The model in a folder, weights stored as they were, with all that the old folder has beside them."""
    old = task.checkpoint
    if Path(folder).exists() and Path(folder).samefile(old.folder):
        raise RegardError(f"{folder}: the model itself is there; name another folder to write to")
    beside = [file for file in sorted(old.folder.iterdir()) if file.is_file() and file.name not in LEFT]
    files = [file for file in beside if ".safetensors" not in file.name]
    return save_model(model, folder, old.config, old.architecture, files=files, spare=old.spare, dtypes=old.dtypes)


def weights_in(folder: Path) -> int:
    """Bytes of weights."""
    return sum(file.stat().st_size for file in folder.glob("*.safetensors") if file.name != OPTIMISER)


def card(task: Task, report: Pruning) -> str:
    """The card of the whole model, and what was done to it."""
    path = task.checkpoint.folder / CARD
    old = path.read_text(encoding="utf-8").rstrip() + "\n\n" if path.is_file() else f"# {Path(report.folder).name}\n\n"
    rows = "".join(f"| {name} | {report.before[name]:.4f} | {report.after[name]:.4f} |\n" for name in report.before)
    tuned = f" It then learned on for {report.tuned} steps." if report.tuned else ""
    return (
        f"{old}## Pruned\n\n{report.heads[1]} of {report.heads[0]} heads were kept, chosen by {report.by} with `regard "
        f"prune`; `pruned` in config.json names the others.{tuned} On text that neither was used for:\n\n"
        f"| score | before | after |\n|---|---:|---:|\n{rows}"
    )

"""What a run would take, found out by a few of its steps."""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import torch

from regard.checkpoints.device import check_device
from regard.training.data.batch_source import BatchSource, mix_seeds
from regard.training.data.readers import read_training_data
from regard.training.data.synthetic import with_synthetic_data
from regard.training.data.vocabulary import FOLDER
from regard.training.evaluation.evaluator import Evaluator
from regard.training.model.start import starting_model
from regard.training.optimisation.learner import Learner
from regard.training.optimisation.optimiser import make_optimiser
from regard.training.optimisation.training_step import training_step
from regard.training.recipe.names import check_recipe
from regard.training.recipe.recipe import Recipe
from regard.training.run.out_of_memory import memory_errors

TRIAL_STEPS, TRIAL_SECONDS = 4, 60.0  # steps, and the seconds after which no further one is tried

Estimate = dict[str, float | None]
"""What there is how much of, and how long it takes; None where the system does not say."""


def estimate(recipe: Recipe, *, device: str = "cpu", say: Callable[[str], None] = lambda line: None) -> Estimate:
    """Parameters, memory, steps an epoch and time. Nothing is written into the run."""
    check_recipe(recipe)
    run, torch_device = Path(recipe.run), torch.device(check_device(device))
    with memory_errors(), tempfile.TemporaryDirectory() as folder:
        home = run if (run / FOLDER).is_dir() else Path(folder)
        data = read_training_data(with_synthetic_data(recipe, home), home, say)
        train = recipe.train
        model = starting_model(recipe, data, say).model.to(torch_device)
        Evaluator.of(recipe, data)
        batch_source = BatchSource(data.examples, data.sampler, data.objective, seed=train.seed)
        learner = Learner(model, data.objective, smoothing=train.label_smoothing, precision=train.precision)
        optimiser = make_optimiser(
            model,
            train.optimiser,
            learning_rate=0.0,
            betas=train.betas,
            epsilon=train.epsilon,
            weight_decay=0.0,
            lora_rank=train.lora_rank,
            lora_alpha=train.lora_alpha,
        )
        times: list[float] = []
        counts: list[int] = []
        begin = time.perf_counter()
        while len(times) < TRIAL_STEPS and time.perf_counter() - begin < TRIAL_SECONDS:
            torch.manual_seed(mix_seeds(train.seed, len(times)))
            started = time.perf_counter()
            first = len(times) * train.accumulate
            batches = [batch_source[first + part].to(torch_device) for part in range(train.accumulate)]
            counts.append(training_step(learner, batches, optimiser, learning_rate=0.0).count)
            times.append(time.perf_counter() - started)
        seconds = median(times[1:] or times)  # the first one also makes room for everything
        every = max(1, data.sampler.count(0) // train.accumulate)
        weights, memory = sum(weight.numel() for weight in model.parameters()), peak_memory(torch_device)
        return {
            "parameters": weights,
            "examples": len(data.examples),
            "vocabulary": len(data.tokenizer),
            "steps_an_epoch": every,
            "epochs": round(train.steps / every, 2),
            "memory_mb": None if memory is None else round(memory / 2**20),
            "checkpoint_mb": round(weights * 12 / 2**20, 1),
            "seconds_a_step": round(seconds, 4),
            "tokens_per_second": round(median(counts) / seconds, 1),
            "hours": round(seconds * train.steps / 3600, 2),
        }


def peak_memory(torch_device: torch.device) -> int | None:
    """The most memory that was in use so far, in bytes; None where the system does not say."""
    if torch_device.type == "cuda":
        return torch.cuda.max_memory_allocated(torch_device)
    try:
        import resource
    except ImportError:  # Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def format_estimate(numbers: Estimate) -> str:
    """The same in words."""
    memory = numbers["memory_mb"]
    used = "memory: this system does not say" if memory is None else f"{memory:,} MB of memory"
    return "\n".join(
        [
            f"{numbers['parameters']:,} parameters, {numbers['vocabulary']:,} words in the vocabulary",
            f"{numbers['examples']:,} examples, {numbers['steps_an_epoch']:,} steps an epoch,"
            f" {numbers['epochs']} epochs",
            f"{used}, {numbers['checkpoint_mb']} MB a checkpoint",
            f"{numbers['seconds_a_step']} s a step, {numbers['tokens_per_second']:,} target tokens/s,"
            f" about {numbers['hours']} hours in all, evaluations apart",
        ]
    )

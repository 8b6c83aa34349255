"""Others that guess hidden words: how common a word is, and a recurrent network."""

import shutil
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.training.data.batch_source import BatchSource, mix_seeds
from regard.training.data.readers import read_training_data
from regard.training.data.training_data import TrainingData
from regard.training.data.vocabulary import FOLDER
from regard.training.optimisation.losses import cross_entropy
from regard.training.optimisation.optimiser import make_optimiser
from regard.training.optimisation.schedules import learning_rate_at
from regard.training.optimisation.training_step import training_step
from regard.training.recipe.recipe import Recipe, TrainRecipe

Say = Callable[[str], None]


def read(recipe: Recipe, run: Path | None, home: Path, say: Say) -> TrainingData:
    """The data of a recipe, with a run's own tokeniser if there is one; the run itself is left alone."""
    if run is not None and (run / FOLDER).is_dir():
        shutil.copytree(run / FOLDER, home / FOLDER)
    return read_training_data(recipe, home, say)


def unigram(data: TrainingData) -> Callable[[Any], Tensor]:
    """How wrong one is who knows only how often every word was read, and that any word may come."""
    rows: Any = data.examples
    counts = torch.bincount(torch.from_numpy(rows.tokens.astype("int64")), minlength=len(data.tokenizer)) + 1.0
    surprise = counts.sum().log() - counts.log()
    return lambda batch: surprise[batch.answers].sum()


class Recurrent(nn.Module):
    """A network that reads both ways, word after word: Cho et al. 2014, Schuster and Paliwal 1997.

    Words are scored by the table that they came from, after a dense layer, as BERT does it.
    """

    def __init__(self, words: int, width: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.table = nn.Embedding(words, width)
        nn.init.normal_(self.table.weight, std=0.02)
        self.dropout = nn.Dropout(dropout)
        between = dropout if layers > 1 else 0.0
        self.units = nn.GRU(width, hidden, layers, batch_first=True, bidirectional=True, dropout=between)
        self.dense = nn.Linear(2 * hidden, width)
        self.norm = nn.LayerNorm(width)
        self.bias = nn.Parameter(torch.zeros(words))

    def forward(self, batch: Any, carried: None = None) -> tuple[Tensor, Tensor, None]:
        """The loss to learn from, and the plain one: the same here. Nothing is carried to the next batch."""
        x, _ = self.units(self.dropout(self.table(batch.inputs)))
        x = self.dropout(x.flatten(0, 1).index_select(0, batch.places))
        x = self.norm(F.gelu(self.dense(x)))
        return *cross_entropy(x, self.table.weight, batch.answers, bias=self.bias), None


def recurrent(weights: int, words: int, width: int, layers: int, dropout: float) -> Recurrent:
    """The network whose number of weights is nearest to the one given."""
    with torch.device("meta"):
        sizes = {hidden: size(Recurrent(words, width, hidden, layers, dropout)) for hidden in range(8, 1025, 8)}
    hidden = min(sizes, key=lambda hidden: abs(sizes[hidden] - weights))
    return Recurrent(words, width, hidden, layers, dropout)


def size(model: nn.Module) -> int:
    return sum(weight.numel() for weight in model.parameters())


def learn(model: Recurrent, data: TrainingData, train: TrainRecipe, steps: int, rate: float, say: Say) -> float:
    """Learn from the batches of the recipe, in its order; the seconds that it took."""
    feed = BatchSource(data.examples, data.sampler, data.objective, seed=train.seed)
    optimiser = make_optimiser(
        model,
        train.optimiser,
        learning_rate=rate,
        betas=train.betas,
        epsilon=train.epsilon,
        weight_decay=train.weight_decay,
    )
    warmup = min(train.warmup, steps // 10)
    begun, plain, count = time.perf_counter(), 0.0, 0
    model.train()
    for step in range(1, steps + 1):
        torch.manual_seed(mix_seeds(train.seed, step))
        now = learning_rate_at(
            step, peak=rate, schedule=train.schedule, warmup=warmup, steps=steps, minimum=train.min_learning_rate
        )
        done = training_step(model, [feed[step - 1]], optimiser, learning_rate=now, max_norm=train.clip_norm)
        plain, count = plain + done.cross_entropy, count + done.count
        if step % max(1, steps // 20) == 0:
            passed = time.perf_counter() - begun
            say(f"GRU: step {step} of {steps}, loss {plain / count:.3f}, {passed:.0f} s")
            plain, count = 0.0, 0
    model.eval()
    return time.perf_counter() - begun


@torch.inference_mode()
def mean(loss: Callable[[Any], Tensor], batches: Iterable[Any]) -> float:
    """A loss, summed for each batch, as the mean over all hidden words."""
    sums = [(float(loss(batch)), batch.count) for batch in batches]
    return sum(total for total, _ in sums) / sum(count for _, count in sums)

"""How good a model is on texts that it does not learn from."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import eq

import torch

from regard.models import Model
from regard.text import Tokenizer
from regard.training.evaluation.sacre_bleu import SacreBleu
from regard.training.objectives.objective import ExampleBatch
from regard.training.optimisation.learner import Learner

BATCH_TOKENS = 2048  # source tokens that are translated at a time

Check = Callable[[], None]
"""Called between two pieces of work; raises if the work is to stop."""


@dataclass(frozen=True)
class Totals:
    """Sums over positions: the loss, how many there are, and of how many the likeliest answer is right, if counted."""

    loss: float = 0.0
    count: int = 0
    correct: float | None = None

    def __add__(self, other: "Totals") -> "Totals":
        correct = (
            None if self.correct is None and other.correct is None else (self.correct or 0.0) + (other.correct or 0.0)
        )
        return Totals(self.loss + other.loss, self.count + other.count, correct)

    def means(self) -> dict[str, float]:
        """The mean loss, its perplexity, and the share that is right."""
        mean = self.loss / max(self.count, 1)
        scores = {"loss": mean, "perplexity": perplexity(mean)}
        return scores if self.correct is None else scores | {"accuracy": self.correct / max(self.count, 1)}


def perplexity(loss: float) -> float:
    return math.exp(min(loss, 700))  # beyond, it is no number any more


def loss_totals(learner: Learner, batches: Iterable[ExampleBatch], check: Check = lambda: None) -> Totals:
    """The losses of all batches, each read after the one before it where a model remembers."""
    totals, memory = Totals(), None
    device = next(learner.model.parameters()).device
    for batch in batches:
        check()
        loss = learner.loss(batch.to(device), memory=memory)
        memory = loss.memory
        totals += Totals(float(loss.cross_entropy), batch.count, None if loss.correct is None else float(loss.correct))
    return totals


def held_out_scores(learner: Learner, batches: Iterable[ExampleBatch], check: Check = lambda: None) -> dict[str, float]:
    """The mean loss of all positions, its perplexity, and how often the likeliest answer is right if it is counted."""
    return loss_totals(learner, batches, check).means()


@dataclass(frozen=True)
class TranslationSet:
    """Sources as tokens, and what they should become. `max_new_tokens` are written at most; None: by the source.

    With `is_exact` texts are right or wrong, and nothing else is counted.
    """

    sources: Sequence[Sequence[int]]
    references: Sequence[str]
    tokenizer: Tokenizer
    start: int
    beam: int = 1
    length_penalty: float = 1.0
    max_new_tokens: int | None = None
    is_exact: bool = False

    def scores(self, model: Model, check: Check = lambda: None) -> dict[str, float]:
        """BLEU and chrF as sacreBLEU counts them; or the share of texts that are the reference, word for word."""
        if self.is_exact:
            texts = self.translations(model, check)
            return {"exact": sum(map(eq, texts, self.references)) / max(1, len(texts))}
        scores = SacreBleu().scores(self.translations(model, check), self.references)
        return {name: score.score for name, score in scores.items()}

    def translations(self, model: Model, check: Check) -> list[str]:
        """The translations, in the order of the sources; those of like length are written together."""
        order = sorted(range(len(self.sources)), key=lambda row: (-len(self.sources[row]), row))
        texts: dict[int, str] = {}
        while order:
            check()
            rows = order[: max(1, BATCH_TOKENS // (len(self.sources[order[0]]) * self.beam))]
            order = order[len(rows) :]
            for row, ids in zip(rows, self.decode(model, [self.sources[row] for row in rows]), strict=True):
                texts[row] = self.tokenizer.target.decode(ids)
        return [texts[row] for row in range(len(self.sources))]

    def decode(self, model: Model, sources: list[Sequence[int]]) -> list[tuple[int, ...]]:
        from regard.decoding import Constraints, decode

        specials = self.tokenizer.target.specials
        device = next(model.parameters()).device
        longest = max(map(len, sources))
        tokens = torch.zeros(len(sources), longest, dtype=torch.long)
        attention_mask = torch.zeros(len(sources), longest, dtype=torch.bool)
        for row, source in enumerate(sources):
            tokens[row, : len(source)] = torch.tensor(source)
            attention_mask[row, : len(source)] = True
        starts = torch.full((len(sources), 1), self.start)
        is_reader = hasattr(model, "encode")
        prefix = starts if is_reader else torch.cat([tokens, starts], 1)
        prefix_attention_mask = (
            None if is_reader else torch.cat([attention_mask, torch.ones_like(starts, dtype=torch.bool)], 1)
        )
        answers = decode(
            model,
            tokens.to(device) if is_reader else None,
            attention_mask=attention_mask.to(device) if is_reader else None,
            prefix=prefix.to(device),
            prefix_attention_mask=None if prefix_attention_mask is None else prefix_attention_mask.to(device),
            beam=self.beam,
            max_new_tokens=[self.max_new_tokens or 2 * len(source) + 20 for source in sources],
            length_penalty=self.length_penalty,
            constraints=Constraints(
                ends=() if specials.eos is None else (specials.eos,),
                banned=() if specials.pad is None else (specials.pad,),
            ),
        )
        return [answer.best.ids for answer in answers]

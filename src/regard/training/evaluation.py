"""How good a model is on texts that it does not learn from."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from regard.errors import RegardError
from regard.models import Model
from regard.text import Tokenizer
from regard.training.learner import Learner

ROOM = 2048  # source tokens that are translated at a time

Check = Callable[[], None]
"""Called between two pieces of work; raises if the work is to stop."""


def held_out(learner: Learner, batches: Iterable[Any], check: Check = lambda: None) -> dict[str, float]:
    """The mean loss of all places, its perplexity, and how often the likeliest answer is right if that is counted."""
    plain = right = 0.0
    count, counts_right = 0, False
    device = next(learner.model.parameters()).device
    for batch in batches:
        check()
        loss = learner.loss(batch.to(device))
        plain, count = plain + float(loss.plain), count + batch.count
        if loss.right is not None:
            right, counts_right = right + float(loss.right), True
    mean = plain / max(count, 1)
    scores = {"loss": mean, "perplexity": math.exp(min(mean, 700))}
    return scores | ({"accuracy": right / max(count, 1)} if counts_right else {})


@dataclass(frozen=True)
class Translations:
    """Sources as tokens, and what they should become."""

    sources: Sequence[Sequence[int]]
    references: Sequence[str]
    tokenizer: Tokenizer
    start: int
    beam: int = 1
    length_penalty: float = 1.0

    def scores(self, model: Model, check: Check = lambda: None) -> dict[str, float]:
        """BLEU (Papineni et al. 2002) and chrF (Popović 2015) as sacreBLEU counts them."""
        try:
            import sacrebleu
        except ImportError:
            raise RegardError(
                "BLEU is counted by sacrebleu, which is not installed: pip install 'regard[train]'"
            ) from None
        found = self.written(model, check)
        references = [list(self.references)]
        bleu = sacrebleu.corpus_bleu(found, references, force=True).score
        return {"bleu": bleu, "chrf": sacrebleu.corpus_chrf(found, references).score}

    def written(self, model: Model, check: Check) -> list[str]:
        """The translations, in the order of the sources; those of like length are written together."""
        order = sorted(range(len(self.sources)), key=lambda row: (-len(self.sources[row]), row))
        found: dict[int, str] = {}
        while order:
            check()
            rows = order[: max(1, ROOM // (len(self.sources[order[0]]) * self.beam))]
            order = order[len(rows) :]
            for row, ids in zip(rows, self.decoded(model, [self.sources[row] for row in rows]), strict=True):
                found[row] = self.tokenizer.target.decode(ids)
        return [found[row] for row in range(len(self.sources))]

    def decoded(self, model: Any, sources: list[Sequence[int]]) -> list[tuple[int, ...]]:
        from regard.decoding import Rules, decode

        specials = self.tokenizer.target.specials
        device = next(model.parameters()).device
        longest = max(map(len, sources))
        tokens = torch.zeros(len(sources), longest, dtype=torch.long)
        real = torch.zeros(len(sources), longest, dtype=torch.bool)
        for row, source in enumerate(sources):
            tokens[row, : len(source)] = torch.tensor(source)
            real[row, : len(source)] = True
        starts = torch.full((len(sources), 1), self.start)
        is_reader = hasattr(model, "encode")
        prefix = starts if is_reader else torch.cat([tokens, starts], 1)
        prefix_real = None if is_reader else torch.cat([real, torch.ones_like(starts, dtype=torch.bool)], 1)
        answers = decode(
            model,
            tokens.to(device) if is_reader else None,
            real=real.to(device) if is_reader else None,
            prefix=prefix.to(device),
            prefix_real=None if prefix_real is None else prefix_real.to(device),
            beam=self.beam,
            max_length=[2 * len(source) + 20 for source in sources],
            length_penalty=self.length_penalty,
            rules=Rules(
                ends=() if specials.eos is None else (specials.eos,),
                banned=() if specials.pad is None else (specials.pad,),
            ),
        )
        return [answer.best.ids for answer in answers]

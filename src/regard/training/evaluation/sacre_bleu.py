"""Scores of written texts as sacreBLEU counts them (Post 2018), with the signature that says how."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from regard.errors import RegardError, lookup

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric


@dataclass(frozen=True)
class SacreBleu:
    """BLEU (Papineni et al. 2002) and chrF (Popović 2015). Making one says what is missing, before hours of work."""

    tokenize: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        _ = self.metrics

    @cached_property
    def metrics(self) -> "dict[str, Metric]":
        try:
            from sacrebleu.metrics.bleu import BLEU
            from sacrebleu.metrics.chrf import CHRF
        except ImportError:
            missing = "BLEU is counted by sacrebleu, which is not installed: pip install 'regard[train]'"
            raise RegardError(missing) from None
        lookup(dict.fromkeys(BLEU.TOKENIZERS), self.tokenize, "tokeniser of sacreBLEU")
        try:
            bleu = BLEU(tokenize=self.tokenize, lowercase=self.lowercase, force=True)
        except (ImportError, RuntimeError, OSError) as problem:  # some come with packages and files of their own
            reason = str(problem).strip().split("\n")[0]
            raise RegardError(f"sacreBLEU cannot tokenise as {self.tokenize}: {reason}") from None
        return {"bleu": bleu, "chrf": CHRF(lowercase=self.lowercase)}

    def scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Any]:
        """What sacreBLEU says about the texts found, one reference for each: its own values, with a `score`."""
        return {name: metric.corpus_score(hypotheses, [list(references)]) for name, metric in self.metrics.items()}

    def signatures(self) -> dict[str, str]:
        """How the last scores were counted."""
        return {name: str(metric.get_signature()) for name, metric in self.metrics.items()}

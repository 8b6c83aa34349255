"""What a translator's confidence is worth: learned from translations that a reference judges, measured on others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from regard.errors import RegardError
from regard.tasks.align import TextPair
from regard.tasks.confidence import Calibration
from regard.tasks.translate import TranslateTask
from regard.training.evaluation.sacre_bleu import SacreBleu

BAD = 30.0  # chrF: a translation below it is a bad one
LINES = 200  # texts that are translated at a time


@dataclass(frozen=True)
class JudgedTranslation:
    """The signs of one sentence (tasks/confidence.py), and the chrF of its translation."""

    signs: Mapping[str, float]
    chrf: float

    @property
    def is_good(self) -> bool:
        return self.chrf >= BAD


def judge(task: TranslateTask, pairs: Sequence[TextPair]) -> Iterator[JudgedTranslation]:
    """The translations of all texts that are one sentence: a reference of several tells nothing of each."""
    chrf = SacreBleu().metrics["chrf"]
    for first in range(0, len(pairs), LINES):
        some = pairs[first : first + LINES]
        for (_, reference), answer in zip(some, task([source for source, _ in some]), strict=True):
            if len(answer.confidence.sentences) == 1:
                (sentence,) = answer.confidence.sentences
                score = chrf.sentence_score(answer.text, [reference]).score
                yield JudgedTranslation(sentence.signs, score)


def halves(pairs: Sequence[TextPair]) -> tuple[Sequence[TextPair], Sequence[TextPair]]:
    """Pairs to learn from, and others to measure on: in turns, so that both are of all parts of a file."""
    return pairs[::2], pairs[1::2]


def calibrate(judged: Sequence[JudgedTranslation]) -> Calibration:
    """How the signs are to be weighed."""
    return Calibration.fit([one.signs for one in judged], [one.is_good for one in judged])


def roc_area(scores: Sequence[float], is_positive: Sequence[bool]) -> float:
    """How often a positive has a higher score than a negative: the area under the ROC curve; a tie counts half."""
    numbers, truth = np.asarray(scores, dtype=np.float64), np.asarray(is_positive, dtype=bool)
    positives, negatives = numbers[truth], np.sort(numbers[~truth])
    if not len(positives) or not len(negatives):
        raise RegardError("an area needs both: good translations and bad ones")
    below, up_to = (np.searchsorted(negatives, positives, side) for side in ("left", "right"))
    return float((below + up_to).mean() / 2 / len(negatives))


def calibration_error(chances: Sequence[float], truth: Sequence[bool], bins: int = 10) -> float:
    """How far chances are from what happened, on average: expected calibration error, Guo et al. 2017."""
    numbers, happened = np.asarray(chances, dtype=np.float64), np.asarray(truth, dtype=bool)
    which = np.minimum((numbers * bins).astype(int), bins - 1)
    gaps = [
        (which == number).mean() * abs(numbers[which == number].mean() - happened[which == number].mean())
        for number in np.unique(which)
    ]
    return float(sum(gaps))

"""Texts as bags of words, and a logistic regression on them: the least that a classifier has to beat."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from regard.text import LabelledCorpus

STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0)  # of C, of which the valid set chooses
Examples = Sequence[tuple[str, str]]
"""(label, text)"""


@dataclass(frozen=True)
class Split:
    """What is learned from, what chooses, and what counts."""

    train: Examples
    valid: Examples
    test: Examples


def sst2(folder: Path) -> Split:
    parts = [list(LabelledCorpus(folder / "sst2" / f"{part}.tsv.xz", "last")) for part in ("train", "dev", "test")]
    return Split(*parts)


def trec(folder: Path) -> Split:
    """The last tenth of the training set chooses, as in the recipe."""
    train, test = (list(LabelledCorpus(folder / "trec" / f"{part}.txt.xz", "coarse")) for part in ("train", "test"))
    cut = int(len(train) * 0.9)
    return Split(train[:cut], train[cut:], test)


SPLITS = {"sst2": sst2, "trec": trec}


@dataclass(frozen=True)
class Right:
    """How many answers are right, as shares."""

    valid: float
    test: float
    note: str = ""


def regression(split: Split, *, together: int = 1) -> Right:
    """Counts of words, or of up to so many `together`."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    bags = CountVectorizer(lowercase=True, token_pattern=r"\S+", ngram_range=(1, together))
    counted = bags.fit_transform(text for _, text in split.train)
    found: list[tuple[Right, float]] = []
    for strength in STRENGTHS:
        model = LogisticRegression(C=strength, max_iter=2000).fit(counted, [label for label, _ in split.train])
        shares = [
            float(model.score(bags.transform(text for _, text in part), [label for label, _ in part]))
            for part in (split.valid, split.test)
        ]
        found.append((Right(*shares, note=f"C = {strength:g}, {counted.shape[1]:,} features"), strength))
    return max(found, key=lambda pair: (pair[0].valid, -pair[1]))[0]


def trained(split: Split, folder: Path) -> Right:
    """A model of ours, from its folder or from its run's."""
    import regard

    classify = regard.load(folder / "model" if (folder / "model").is_dir() else folder, task="classify")
    shares = []
    for part in (split.valid, split.test):
        answers = classify([text for _, text in part], cut=True)
        right = sum(answer.label == label for answer, (label, _) in zip(answers, part, strict=True))
        shares.append(right / len(part))
    weights = sum(weight.numel() for weight in classify.model.parameters())
    return Right(*shares, note=f"{weights / 1e6:.2f}M parameters")

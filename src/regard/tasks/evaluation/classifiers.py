"""Classifiers: how often they are right, and about which labels."""

import math
from collections.abc import Sequence

from regard.errors import RegardError
from regard.tasks.classify import ClassifyTask
from regard.tasks.evaluation.measures import WORDS, Evaluation, EvaluationConfig, OnShare, by_length, counting, samples
from regard.tasks.inputs import EncodedText
from regard.tasks.processors.processor import TextTooLong
from regard.text import Corpus, DataError

LABEL = "label"
TINY = 1e-45  # no probability is less


def classifiers(
    task: ClassifyTask, corpus: Corpus, config: EvaluationConfig, on_progress: OnShare | None = None
) -> Evaluation:
    """Accuracy, F1 as the mean over labels (those that occur or were predicted), and the loss."""
    labels = task.processor.labels
    if task.processor.for_tokens or task.processor.is_multiple or len(labels) < 2:
        raise RegardError(f"{task.checkpoint.folder}: one label out of several for each text is what can be evaluated")
    if corpus.columns != (LABEL, "text"):
        raise DataError(
            f"{corpus.location(0)}: labels and texts expected, the corpus has {' and '.join(corpus.columns)}"
        )
    pairs = samples(corpus)
    right, texts = [label for label, _ in pairs], [text for _, text in pairs]
    encoded: list[EncodedText] = []
    for line, (label, text) in enumerate(pairs):
        if label not in labels:
            known = ", ".join(labels[:8]) + (", …" if len(labels) > 8 else "")
            raise DataError(f"{corpus.location(line)}: a label that the model does not know: {label!r}; known: {known}")
        try:
            encoded.append(task.read(text, cut=config.cut))
        except TextTooLong as problem:
            raise DataError(f"{corpus.location(line)}: {problem}") from None
    scores_of_texts = task.run(encoded, progress=counting(on_progress, len(texts)))
    predicted = [labels[row.argmax()] for row in scores_of_texts]
    table = by_label(right, predicted)
    chances = (float(row[labels.index(label)]) for row, label in zip(scores_of_texts, right, strict=True))
    missed = (-math.log(max(chance, TINY)) for chance in chances)
    scores = {
        "accuracy": share(right, predicted),
        "f1": sum(row["f1"] for row in table.values()) / len(table),
        "loss": sum(missed) / len(right),
    }
    lengths = {
        name: {
            "texts": len(lines),
            "accuracy": share([right[line] for line in lines], [predicted[line] for line in lines]),
        }
        for name, lines in by_length(texts).items()
    }
    return Evaluation("classify", len(texts), scores, tables={LABEL: table, WORDS: lengths})


def share(right: Sequence[str], predicted: Sequence[str]) -> float:
    return sum(one == other for one, other in zip(right, predicted, strict=True)) / len(right)


def by_label(right: Sequence[str], predicted: Sequence[str]) -> dict[str, dict[str, float]]:
    """Precision, recall and their harmonic mean of each label; 0 where there is nothing to divide by."""
    table: dict[str, dict[str, float]] = {}
    for label in sorted({*right, *predicted}):
        hits = sum(one == other == label for one, other in zip(right, predicted, strict=True))
        texts, answers = right.count(label), predicted.count(label)
        table[label] = {
            "texts": texts,
            "precision": hits / answers if answers else 0.0,
            "recall": hits / texts if texts else 0.0,
            "f1": 2 * hits / (texts + answers),
        }
    return table

"""A task and a corpus become scores."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from regard.errors import RegardError
from regard.tasks.evaluation.answerers import answerers
from regard.tasks.evaluation.classifiers import classifiers
from regard.tasks.evaluation.measures import Evaluation, EvaluationConfig, EvaluationOptions, OnShare
from regard.tasks.evaluation.readers import language_models, masked_models
from regard.tasks.evaluation.translators import translators
from regard.tasks.generate import GenerateTask
from regard.tasks.task import Task
from regard.tasks.translate import TranslateTask
from regard.text import Corpus, DataError, LabelledCorpus, PlainCorpus, Stories, SwappedCorpus, pairs

MEASURES: dict[str, Callable[..., Evaluation]] = {
    "translate": translators,
    "generate": language_models,
    "fill": masked_models,
    "classify": classifiers,
    "answer": answerers,
}
"""How the models of a task are measured."""


def evaluate(
    task: Task, corpus: Corpus | Stories, *, on_progress: OnShare | None = None, **config: Unpack[EvaluationOptions]
) -> Evaluation:
    """Measure a model: `evaluate(regard.load("folder"), pairs(["test.en", "test.de"]), beam=5).scores`.

    Pairs for a translator, Labelled for a classifier, Stories for a memory network, Plain(path, ends=True) for a model
    of text; see EvaluationConfig for what can be asked. Which texts are computed together changes no score.
    """
    return MEASURES[kind_of(task, corpus.columns)](task, corpus, replace(EvaluationConfig(), **config), on_progress)


def kind_of(task: Task, columns: tuple[str, ...]) -> str:
    """What is measured: that of the task, but a language model may have learned to translate."""
    if isinstance(task, GenerateTask) and columns == ("source", "target"):
        return "translate"
    if task.name not in MEASURES:
        raise RegardError(f"{task.checkpoint.folder}: can {task.name}; known scores are for {', '.join(MEASURES)}")
    if task.name == "translate" and columns != ("source", "target"):
        raise DataError(f"pairs of texts expected, the corpus has {' and '.join(columns)}")
    return task.name


def is_translator(task: Task) -> bool:
    """Whether the model of a task has learned to translate."""
    return TranslateTask.serves(task.model.config, task.checkpoint.folder)


def corpus_for(task: Task, files: Sequence[str | Path], *, swap: bool = False, label: str = "last") -> Corpus | Stories:
    """The files as a model of this task is measured by them; `label` says where a line has its label."""
    if task.name == "translate" or (isinstance(task, GenerateTask) and (len(files) == 2 or is_translator(task))):
        return SwappedCorpus(pairs(files)) if swap else pairs(files)
    if len(files) != 1:
        raise DataError(f"one file expected to {task.name} with, got {len(files)}")
    if task.name == "answer":
        return Stories.at(files[0])
    return (
        LabelledCorpus(Path(files[0]), label)
        if task.name == "classify"
        else PlainCorpus(Path(files[0]), line_ends=True)
    )

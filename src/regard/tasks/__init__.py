"""Text in, text out: a model, its tokeniser, and what they are for."""

from regard.decoding import Sampling
from regard.tasks.alignment import Alignment
from regard.tasks.answer import AnswerResult, AnswerTask, HopWeights
from regard.tasks.classify import Classification, ClassifyTask, TokenLabel, TokenLabels
from regard.tasks.embed import EmbedTask, TextEmbedding
from regard.tasks.fill import FillCandidate, FilledText, FillTask
from regard.tasks.generate import GenerateTask, Generation
from regard.tasks.load import TASKS, load
from regard.tasks.task import Task, TextTooLong
from regard.tasks.translate import TranslateTask
from regard.tasks.translation import Translation

__all__ = [
    "TASKS",
    "Alignment",
    "AnswerResult",
    "AnswerTask",
    "Classification",
    "ClassifyTask",
    "EmbedTask",
    "FillCandidate",
    "FillTask",
    "FilledText",
    "GenerateTask",
    "Generation",
    "HopWeights",
    "Sampling",
    "Task",
    "TextEmbedding",
    "TextTooLong",
    "TokenLabel",
    "TokenLabels",
    "TranslateTask",
    "Translation",
    "load",
]  # fmt: skip

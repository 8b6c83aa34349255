"""Text in, text out: a model, its tokeniser, and what they are for.

The names are loaded when first used: results, and the modules in `processors`, take no torch.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from regard.lazy import lazy_names

if TYPE_CHECKING:
    from regard.decoding import Sampling
    from regard.tasks.alignment import Alignment
    from regard.tasks.answer import AnswerTask
    from regard.tasks.async_task import AsyncTask
    from regard.tasks.classify import ClassifyTask
    from regard.tasks.embed import EmbedTask
    from regard.tasks.fill import FillTask
    from regard.tasks.generate import GenerateTask
    from regard.tasks.loading import load
    from regard.tasks.processors.answer import AnswerResult, HopWeights
    from regard.tasks.processors.classify import Classification, TokenLabel, TokenLabels
    from regard.tasks.processors.embed import TextEmbedding
    from regard.tasks.processors.fill import FillCandidate, FilledText
    from regard.tasks.processors.generate import Generation
    from regard.tasks.processors.processor import TextTooLong
    from regard.tasks.task import Task
    from regard.tasks.text_attribution import attribute_text
    from regard.tasks.torch_loading import TASKS
    from regard.tasks.translate import TranslateTask
    from regard.tasks.translation import Translation

__all__ = [
    "TASKS",
    "Alignment",
    "AnswerResult",
    "AnswerTask",
    "AsyncTask",
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
    "attribute_text",
    "load",
]  # fmt: skip

_PUBLIC = {
    "Alignment": ".alignment",
    "AnswerResult": ".processors.answer",
    "AnswerTask": ".answer",
    "AsyncTask": ".async_task",
    "Classification": ".processors.classify",
    "ClassifyTask": ".classify",
    "EmbedTask": ".embed",
    "FillCandidate": ".processors.fill",
    "FillTask": ".fill",
    "FilledText": ".processors.fill",
    "GenerateTask": ".generate",
    "Generation": ".processors.generate",
    "HopWeights": ".processors.answer",
    "Sampling": "regard.decoding",
    "TASKS": ".torch_loading",
    "Task": ".task",
    "TextEmbedding": ".processors.embed",
    "TextTooLong": ".processors.processor",
    "TokenLabel": ".processors.classify",
    "TokenLabels": ".processors.classify",
    "TranslateTask": ".translate",
    "Translation": ".translation",
    "attribute_text": ".text_attribution",
    "load": ".loading",
}

__getattr__: Callable[[str], object]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = lazy_names(__name__, _PUBLIC)

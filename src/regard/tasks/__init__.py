"""Text in, text out: a model, its tokeniser, and what they are for."""

from regard.decoding import Sampling
from regard.tasks.alignment import Alignment
from regard.tasks.answer import Answer, Answered, Hops
from regard.tasks.classify import Classified, Classify, Tag, Tagged
from regard.tasks.embed import Embed, Embedded
from regard.tasks.fill import Choice, Fill, Filled
from regard.tasks.generate import Generate, Generated
from regard.tasks.load import TASKS, load
from regard.tasks.task import Task, TextTooLong
from regard.tasks.translate import Translate
from regard.tasks.translated import Translated

__all__ = [
    "TASKS", "Alignment", "Answer", "Answered", "Choice", "Classified", "Classify", "Embed", "Embedded", "Fill",
    "Filled", "Generate",
    "Generated", "Hops", "Sampling", "Tag", "Tagged", "Task", "TextTooLong", "Translate", "Translated", "load",
]  # fmt: skip

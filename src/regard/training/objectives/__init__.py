"""What a model can learn to do."""

from regard.training.objectives.align import AlignmentObjective
from regard.training.objectives.answer import AnswerObjective
from regard.training.objectives.classify import ClassificationObjective
from regard.training.objectives.masked import MaskedObjective
from regard.training.objectives.next_token import NextTokenObjective
from regard.training.objectives.objective import LossSums, Objective, Row
from regard.training.objectives.tag import TagObjective
from regard.training.objectives.translate import TranslationObjective

OBJECTIVES: dict[str, type[Objective]] = {
    objective.name: objective
    for objective in (
        TranslationObjective,
        NextTokenObjective,
        MaskedObjective,
        ClassificationObjective,
        TagObjective,
        AnswerObjective,
        AlignmentObjective,
    )
}

__all__ = [
    "OBJECTIVES",
    "AlignmentObjective",
    "AnswerObjective",
    "ClassificationObjective",
    "LossSums",
    "MaskedObjective",
    "NextTokenObjective",
    "Objective",
    "Row",
    "TagObjective",
    "TranslationObjective",
]

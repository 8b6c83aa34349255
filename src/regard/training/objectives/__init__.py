"""What a model can learn to do."""

from regard.training.objectives.answer import Answer
from regard.training.objectives.classify import Classify
from regard.training.objectives.masked import Masked
from regard.training.objectives.next_token import NextToken
from regard.training.objectives.objective import Loss, Objective, Row
from regard.training.objectives.translate import Translate

OBJECTIVES: dict[str, type[Objective]] = {
    objective.name: objective for objective in (Translate, NextToken, Masked, Classify, Answer)
}

__all__ = ["OBJECTIVES", "Answer", "Classify", "Loss", "Masked", "NextToken", "Objective", "Row", "Translate"]

"""How good a model is on texts whose answers are known."""

from regard.tasks.evaluation.measures import Evaluation, EvaluationConfig
from regard.tasks.evaluation.measuring import corpus_for, evaluate

__all__ = ["Evaluation", "EvaluationConfig", "corpus_for", "evaluate"]

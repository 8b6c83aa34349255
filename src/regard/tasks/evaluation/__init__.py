"""How good a model is on texts whose answers are known."""

from regard.tasks.evaluation.measures import Asked, Evaluation
from regard.tasks.evaluation.measuring import corpus_for, evaluate

__all__ = ["Asked", "Evaluation", "corpus_for", "evaluate"]

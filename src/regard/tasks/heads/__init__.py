"""Which heads of a model matter on some text, and the model without the others."""

from regard.tasks.heads.head_data import HeadData, head_data
from regard.tasks.heads.pruning import Pruning, prune_task
from regard.tasks.heads.scoring import JUDGES, HeadScores, score_heads

__all__ = ["JUDGES", "HeadData", "HeadScores", "Pruning", "head_data", "prune_task", "score_heads"]

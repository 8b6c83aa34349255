"""Which heads of a model matter on some text, and the model without the others."""

from regard.tasks.heads.judging import JUDGES, HeadScores, score_heads
from regard.tasks.heads.material import HeadData, head_data
from regard.tasks.heads.pruning import Pruning, prune_task

__all__ = ["JUDGES", "HeadData", "HeadScores", "Pruning", "head_data", "prune_task", "score_heads"]

"""Which heads of a model matter on some text, and the model without the others."""

from regard.tasks.heads.judging import JUDGES, HeadScores, judged
from regard.tasks.heads.material import Material, material_of
from regard.tasks.heads.pruning import Pruning, pruned

__all__ = ["JUDGES", "HeadScores", "Material", "Pruning", "judged", "material_of", "pruned"]

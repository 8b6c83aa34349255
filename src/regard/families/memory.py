"""Memory networks: Sukhbaatar et al. 2015. Written in our own layout."""

from regard.config import MemoryNetworkConfig
from regard.families import generic
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe


def plan(model: ModelRecipe, data: DataSizes) -> ModelPlan:
    """Layers are hops, and positions are sentences that it knows the time of. Word 0 is none."""
    return generic.plan(
        MemoryNetworkConfig(
            data.vocabulary,
            model.width,
            hops=model.layers[0],
            tying=model.weight_tying,
            projects=model.hop_projection,
            memories=model.max_positions,
            max_words=data.sentence_words,
        )
    )


FAMILY = generic.family(MemoryNetworkConfig(40, 8, hops=2, memories=6, max_words=5), plan)

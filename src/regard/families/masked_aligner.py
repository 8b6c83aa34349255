"""Models that say which words belong together, and nothing else: Chen et al. 2021. Written in our own layout."""

from dataclasses import replace

from regard.config import MaskedAlignerConfig
from regard.errors import RecipeError
from regard.families import generic, marian
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe
from regard.families.sizes import Sizes, example_sizes


def config(sizes: Sizes, layers: int) -> MaskedAlignerConfig:
    return MaskedAlignerConfig(marian.side(sizes, sizes.width**0.5), layers)


def plan(model: ModelRecipe, data: DataSizes) -> ModelPlan:
    """The first number of layers is of what reads, the last of what guesses."""
    if data.target_vocabulary is not None:
        raise RecipeError("tokenizer.joint: an aligner has one table of words for both texts")
    sizes = Sizes.of_recipe(model, data.vocabulary, "relu")
    made = generic.plan(config(sizes, model.layers[-1]))
    return replace(made, config_entries={**made.config_entries, "max_position_embeddings": model.max_positions})


FAMILY = generic.family(config(replace(example_sizes("relu"), dropout=0.0), 2), plan)

"""Decoders with a memory: Dai et al. 2019. Written in our own layout."""

from dataclasses import replace

from regard.config import (
    AttentionConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    OutputConfig,
    ScoreConfig,
    StackConfig,
    XLConfig,
)
from regard.families import generic
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe
from regard.families.sizes import Sizes, example_sizes


def config(sizes: Sizes, memory: int, output: OutputConfig) -> XLConfig:
    """Norms before each part, distances in the score; `memory` positions back are seen, if not 0."""
    stack = StackConfig(
        layers=sizes.layers,
        width=sizes.width,
        attention=AttentionConfig(sizes.heads, dropout=sizes.attention_dropout, score=ScoreConfig("xl")),
        feed_forward=FeedForwardConfig(sizes.feed_forward_width, sizes.activation, dropout=sizes.feed_forward_dropout),
        window=memory + 1 if memory else None,
        dropout=sizes.dropout,
    )
    return XLConfig(
        EmbeddedStackConfig(EmbeddingConfig(sizes.vocabulary, dropout=sizes.embedding_dropout), stack), output
    )


def plan(model: ModelRecipe, data: DataSizes) -> ModelPlan:
    sizes = Sizes.of_recipe(model, data.vocabulary, "gelu-tanh")
    return generic.plan(config(sizes, model.memory_length, OutputConfig(model.tied_embedding, bias=model.output_bias)))


FAMILY = generic.family(config(replace(example_sizes("relu"), dropout=0.0), 4, OutputConfig()), plan)

"""Recurrent translators that look at their source: Bahdanau et al. 2015, Luong et al. 2015. In our own layout."""

from typing import Literal

from regard.config import AlignConfig, AlignerConfig, OutputConfig, RecurrentConfig
from regard.errors import RecipeError, lookup
from regard.families import generic
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe

ALIGNMENT_SCORES: dict[str, tuple[str, Literal["before", "after"]]] = {
    "additive": ("additive", "before"),
    "concat": ("additive", "after"),
    "general": ("bilinear", "after"),
    "dot": ("dot", "after"),
    "cosine": ("cosine", "after"),
    "tempered": ("tempered", "after"),
    "softcap": ("softcap", "after"),
    "kernel": ("kernel", "after"),
    "location": ("location", "after"),
    "multihead": ("multihead", "after"),
}
"""Scores as the papers call them: which one it is, and whether the state asks before it reads a word or after."""


def plan(model: ModelRecipe, data: DataSizes) -> ModelPlan:
    """Bahdanau's with `score = "additive"`. Annotations, both ways together, are as wide as the decoder's state."""
    words = model.embedding_width or model.width
    align = align_config(model, words)
    before = align is not None and align.look == "before"
    config = AlignerConfig(
        RecurrentConfig(data.vocabulary, words, model.width // 2, model.layers[0]),
        RecurrentConfig(data.target_vocabulary or data.vocabulary, words, model.width, model.layers[-1]),
        align,
        cell=model.cell,
        deep=model.activation or ("maxout" if before else "tanh"),
        skips=before,
        feeding=model.input_feeding,
        output=OutputConfig(model.tied_embedding, bias=model.output_bias),
        shared=model.shared_embedding and data.target_vocabulary is None,
        dropout=model.dropout,
    )
    return generic.plan(config)


def align_config(model: ModelRecipe, words: int) -> AlignConfig | None:
    """How the source is looked at, if it is."""
    if model.score.settings or model.position.kind or model.attention.kind:
        raise RecipeError("an alignment has a score of some kind, without settings: no position, no other attention")
    named = model.score.kind or "additive"
    if named == "none":
        return None
    score, when = lookup(ALIGNMENT_SCORES, named, "score (model.score.kind)")
    return AlignConfig(score, when, model.heads, words, model.local or None, model.local_window)


FAMILY = generic.family(
    AlignerConfig(RecurrentConfig(40, 10, 12), RecurrentConfig(40, 10, 24), AlignConfig("multihead", "after", 4)),
    plan,
)

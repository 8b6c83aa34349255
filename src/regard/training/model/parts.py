"""Parts that a recipe puts into a family's model: [model.position], [model.score], [model.attention].

A model that its family still has words for is written in the family's layout, any other in our own. What cannot go
together is found out before the first step, by a few tokens through one layer of it.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from inspect import signature
from typing import TypeVar

import torch

from regard.attention import SCORES
from regard.attention.efficient import ATTENTION_METHODS
from regard.checkpoints.files import first_line
from regard.checkpoints.save import differences
from regard.config import Config, PartSizes
from regard.errors import RecipeError, RegardError, lookup
from regard.families import LAYOUTS, generic
from regard.families.options import Options
from regard.families.recipe import ModelPlan, ModelRecipe, PartRecipe
from regard.models import (
    AttentionMethodConfig,
    DecoderConfig,
    EmbeddedStackConfig,
    EncoderConfig,
    Model,
    PositionConfig,
    ScoreConfig,
    TransformerConfig,
    build,
)
from regard.positions import POSITIONS
from regard.training.model.size import check_size

TOKENS = 5  # of the trial, at most
AnyConfig = TypeVar("AnyConfig")


def with_parts(config: Config, model: ModelRecipe) -> Config:
    """A family's config with the parts that a recipe names."""
    if not any(part.kind for part in (model.position, model.score, model.attention)):
        return config
    if not isinstance(config, EncoderConfig | DecoderConfig | TransformerConfig):
        raise RecipeError(f"model.kind = {model.kind!r} has no position, score or attention of another kind")
    changes = {
        field.name: stack_with_parts(part, model, is_causal=field.name == "decoder")
        for field in fields(config)
        if isinstance(part := getattr(config, field.name), EmbeddedStackConfig)
    }
    return replace(config, **changes)


def stack_with_parts(side: EmbeddedStackConfig, model: ModelRecipe, *, is_causal: bool) -> EmbeddedStackConfig:
    """One stack, its sizes filled in where a part wants to know them."""
    attention = side.stack.attention
    sizes = PartSizes(
        width=side.stack.width,
        heads=attention.heads,
        head_width=attention.head_width or side.stack.width // attention.heads,
        length=model.max_positions,
        both_ways=not is_causal,
    )
    if model.position.kind:
        cls = lookup(POSITIONS, model.position.kind, "position scheme (model.position.kind)")
        settings = settings_of(cls, model.position, sizes.arguments(cls), "model.position")
        side = replace(side, position=PositionConfig(model.position.kind, settings))
    if model.score.kind:
        cls = lookup(SCORES, model.score.kind, "score (model.score.kind)")
        settings = settings_of(cls, model.score, {}, "model.score", filled=("heads", "width"))
        attention = replace(attention, scale=None, score=ScoreConfig(model.score.kind, settings))
    if model.attention.kind not in ("", "full"):
        cls = lookup(ATTENTION_METHODS, model.attention.kind, "attention method (model.attention.kind)")
        settings = settings_of(cls, model.attention, sizes.arguments(cls), "model.attention")
        attention = replace(attention, method=AttentionMethodConfig(model.attention.kind, settings))
    return replace(side, stack=replace(side.stack, attention=attention))


def settings_of(
    cls: type, part: PartRecipe, sizes: Mapping[str, object], where: str, filled: tuple[str, ...] = ()
) -> dict[str, object]:
    """The settings of a part: what the recipe says, and the sizes that its constructor asks for by name."""
    known = {name: one for name, one in signature(cls).parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD}
    for key in part.settings:
        if key not in known or key in filled:
            names = ", ".join(name for name in known if name not in filled) or "no settings"
            raise RecipeError(f"unknown key '{where}.{key}': {part.kind} has {names}")
    settings = {**sizes, **part.settings}
    missing = [name for name, one in known.items() if one.default is one.empty and name not in (*settings, *filled)]
    if missing:
        raise RecipeError(f"{where}: kind = {part.kind!r} needs {', '.join(missing)}")
    return settings


def has_words(config: Config, architecture: str, entries: Mapping[str, object]) -> bool:
    """Whether a family can say all of a config in its own layout."""
    family = LAYOUTS[str(entries["model_type"])]
    try:
        written = {**entries, **family.write(config, architecture), "architectures": [architecture]}
        return not differences(config, family.read(Options(written, "config.json"), architecture))
    except (RegardError, KeyError, AttributeError, TypeError):
        return False


def own_layout(config: Config, entries: Mapping[str, object]) -> ModelPlan:
    """How a model is written that no family has words for."""
    longest = {key: entries[key] for key in ("max_position_embeddings",) if key in entries}
    plan = generic.plan(config)
    return replace(plan, config_entries={**plan.config_entries, **longest})


def try_out(config: Config, length: int) -> None:
    """Raise RecipeError, in one line, where parts of a model do not go together, or it is larger than this machine.

    `length` is how many tokens it can read. Settings of parts go to constructors as a recipe has them, so that anything
    may be raised about one.
    """
    try:
        check_size(config)
        if not isinstance(config, EncoderConfig | DecoderConfig | TransformerConfig):
            return
        model, tokens = build_small(config).eval(), torch.arange(min(TOKENS, length))[None] % 2
        mask = torch.ones_like(tokens, dtype=torch.bool)
        with torch.no_grad():
            if isinstance(config, TransformerConfig):
                model(tokens, tokens, attention_mask=mask)
            else:
                model(tokens, attention_mask=mask)
    except RecipeError:
        raise
    except (RegardError, ValueError, TypeError, ArithmeticError, LookupError, RuntimeError) as problem:
        raise RecipeError(f"the parts of this model do not go together: {first_line(problem)}") from None


def build_small(config: Config) -> Model:
    """A model of this config with one layer a stack, whose weights nobody has drawn a seed for."""
    changes = {
        field.name: replace(part, stack=replace(part.stack, layers=1, distinct=None, pruned={}))
        for field in fields(config)
        if isinstance(part := getattr(config, field.name), EmbeddedStackConfig)
    }
    with torch.random.fork_rng(devices=[]):
        return build(replace(config, **changes))

"""Parts that a recipe puts into a family's model: [model.position], [model.score], [model.attention].

The names of parts and of their settings are in tables that the caller has: those of the library, or others with the
same names, where torch is not to be loaded.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from inspect import signature

from regard.config import (
    AttentionMethodConfig,
    Config,
    DecoderConfig,
    EmbeddedStackConfig,
    EncoderConfig,
    PartSizes,
    PositionConfig,
    ScoreConfig,
    StackConfig,
    TransformerConfig,
)
from regard.errors import RecipeError, lookup
from regard.families.recipe import ModelRecipe, PartRecipe

Part = Callable[..., object]


@dataclass(frozen=True)
class PartTables:
    """What a recipe can name: each entry is called with the settings of its part."""

    positions: Mapping[str, Part]
    scores: Mapping[str, Part]
    methods: Mapping[str, Part]


def with_parts(config: Config, model: ModelRecipe, tables: PartTables) -> Config:
    """A family's config with the parts that a recipe names, and without those that it leaves out."""
    names_parts = any(part.kind for part in (model.position, model.score, model.attention))
    if not names_parts and not model.value_width and not changes_blocks(model):
        return config
    if not isinstance(config, EncoderConfig | DecoderConfig | TransformerConfig):
        raise RecipeError(f"model.kind = {model.kind!r} has no position, score, attention or values of another kind")
    changes = {
        field.name: stack_with_parts(part, model, tables, is_causal=field.name == "decoder")
        for field in fields(config)
        if isinstance(part := getattr(config, field.name), EmbeddedStackConfig)
    }
    return replace(config, **changes)


def stack_with_parts(
    side: EmbeddedStackConfig, model: ModelRecipe, tables: PartTables, *, is_causal: bool
) -> EmbeddedStackConfig:
    """One stack, its sizes filled in where a part wants to know them."""
    attention = side.stack.attention
    sizes = PartSizes(
        width=side.stack.width,
        heads=attention.heads,
        head_width=attention.head_width or side.stack.width // attention.heads,
        length=model.max_positions,
        both_ways=not is_causal,
    )
    if model.value_width:
        attention = replace(attention, value_width=model.value_width)
    if model.position.kind:
        part = lookup(tables.positions, model.position.kind, "position scheme (model.position.kind)")
        settings = settings_of(part, model.position, sizes.arguments(part), "model.position")
        side = replace(side, position=PositionConfig(model.position.kind, settings))
    if model.score.kind:
        part = lookup(tables.scores, model.score.kind, "score (model.score.kind)")
        settings = settings_of(part, model.score, {}, "model.score", filled=("heads", "width"))
        attention = replace(attention, scale=None, score=ScoreConfig(model.score.kind, settings))
    if model.attention.kind not in ("", "full"):
        part = lookup(tables.methods, model.attention.kind, "attention method (model.attention.kind)")
        settings = settings_of(part, model.attention, sizes.arguments(part), "model.attention")
        attention = replace(attention, method=AttentionMethodConfig(model.attention.kind, settings))
    return replace(side, stack=with_blocks(replace(side.stack, attention=attention), model))


def changes_blocks(model: ModelRecipe) -> bool:
    """Whether the layers are to be otherwise than their family has them."""
    return bool(not model.feed_forward or not model.residual or model.norm or model.norm_place)


def with_blocks(stack: StackConfig, model: ModelRecipe) -> StackConfig:
    """Layers with the norm that a recipe names, where it wants it, and without the parts that it leaves out."""
    if not model.feed_forward:
        stack = replace(stack, feed_forward=replace(stack.feed_forward, width=0))
    if model.norm:
        stack = replace(stack, norm=replace(stack.norm, kind=model.norm))
    if model.norm_place:
        stack = replace(stack, pre_norm=model.norm_place == "pre", final_norm=model.norm_place == "pre")
    return replace(stack, residual=model.residual)


def settings_of(
    part: Part, recipe: PartRecipe, sizes: Mapping[str, object], where: str, filled: tuple[str, ...] = ()
) -> dict[str, object]:
    """The settings of a part: what the recipe says, and the sizes that it asks for by name."""
    known = {name: one for name, one in signature(part).parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD}
    for key in recipe.settings:
        if key not in known or key in filled:
            names = ", ".join(name for name in known if name not in filled) or "no settings"
            raise RecipeError(f"unknown key '{where}.{key}': {recipe.kind} has {names}")
    settings = {**sizes, **recipe.settings}
    missing = [name for name, one in known.items() if one.default is one.empty and name not in (*settings, *filled)]
    if missing:
        raise RecipeError(f"{where}: kind = {recipe.kind!r} needs {', '.join(missing)}")
    return settings

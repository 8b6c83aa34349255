"""Whether a model that a recipe puts together can be built, and in whose layout it is written.

A model that its family still has words for is written in the family's layout, any other in our own. What cannot go
together is found out before the first step, by a few tokens through one layer of it.
"""

from collections.abc import Mapping
from dataclasses import fields, replace

import torch

from regard.attention import SCORES
from regard.attention.efficient import ATTENTION_METHODS
from regard.checkpoints.files import first_line
from regard.checkpoints.save import differences
from regard.config import Config
from regard.errors import RecipeError, RegardError
from regard.families import LAYOUTS, generic
from regard.families.options import Options
from regard.families.recipe import ModelPlan
from regard.families.recipe_parts import PartTables
from regard.models import DecoderConfig, EmbeddedStackConfig, EncoderConfig, Model, TransformerConfig, build
from regard.positions import POSITIONS
from regard.training.model.size import check_size

TOKENS = 5  # of the trial, at most
LIBRARY = PartTables(POSITIONS, SCORES, ATTENTION_METHODS)
"""What a recipe can name."""


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

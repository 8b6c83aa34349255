"""A config.json becomes a config of ours, checked to the last key and number."""

from regard.config import Config
from regard.errors import CheckpointError
from regard.families.config_types import check_types
from regard.families.family import Family
from regard.families.options import Options
from regard.families.pruned import without_pruned_heads

DEEPEST = 1024  # layers; a config that asks for more would take for ever to build


def read_model_config(family: Family, options: Options, architecture: str) -> Config:
    """The model that a config describes, without the heads that it says were taken out."""
    config = without_pruned_heads(family.read(options, architecture), options)
    options.done()
    check_types(config, options.where)
    for side in (getattr(config, "encoder", None), getattr(config, "decoder", None)):
        if side is not None and not 0 <= side.stack.layers <= DEEPEST:
            raise CheckpointError(
                f"{options.where}: {side.stack.layers} layers, more than {DEEPEST} or fewer than none"
            )
    return config

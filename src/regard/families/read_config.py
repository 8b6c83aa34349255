"""A config.json becomes a config of ours, checked to the last key and number."""

from regard.config import Config, EmbeddedStackConfig, FeatureStackConfig, VisionConfig
from regard.errors import CheckpointError
from regard.families.family import Family
from regard.families.options import Options
from regard.families.pruned import without_pruned_heads


def read_model_config(family: Family, options: Options, architecture: str) -> Config:
    """The model that a config describes, without the heads that it says were taken out."""
    config = without_pruned_heads(family.read(options, architecture), options)
    options.done()
    tensors, blocks = len(options.tensors), blocks_of(config)
    if tensors and blocks > tensors:  # told before they are built
        raise CheckpointError(f"{options.where}: {blocks} layers, which {tensors} tensors cannot fill")
    return config


def blocks_of(config: Config) -> int:
    """How many blocks of layers a model has that have weights of their own."""
    sides = [getattr(config, name, None) for name in ("encoder", "decoder")]
    stacks = [side.stack for side in sides if isinstance(side, EmbeddedStackConfig | FeatureStackConfig)]
    stacks += [config.stack] if isinstance(config, VisionConfig) else []
    return sum(len(stack.shared()) for stack in stacks)

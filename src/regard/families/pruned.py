"""Heads that were taken out, as a config says it."""

from typing import TypeVar

from regard.config import Config, DecoderConfig, EncoderConfig
from regard.config.pruning import with_pruned
from regard.errors import CheckpointError
from regard.families.options import Options

AnyConfig = TypeVar("AnyConfig", bound=Config)


def without_pruned_heads(config: AnyConfig, options: Options) -> AnyConfig:
    """A config without the heads that `pruned` names by layer, {"encoder.0.self": [1, 3]}, in any family.

    Models of one stack may have been pruned by transformers before its version 5, as `pruned_heads`: {"0": [1, 3]}.
    """
    pruned = heads_by_layer(options, "pruned")
    for layer, heads in heads_by_layer(options, "pruned_heads").items():
        if not isinstance(config, EncoderConfig | DecoderConfig):
            raise CheckpointError(f"{options.where}: pruned_heads is not supported for models of two stacks")
        layer_name = f"{'encoder' if isinstance(config, EncoderConfig) else 'decoder'}.{layer}.self"
        pruned[layer_name] = [*pruned.get(layer_name, ()), *heads]
    return with_pruned(config, pruned) if pruned else config


def heads_by_layer(options: Options, key: str) -> dict[str, list[int]]:
    """The numbers of some heads, by layer."""
    layers = options.object(key)
    for heads in layers.values():
        if not isinstance(heads, list) or not all(type(head) is int for head in heads):
            options.refuse(key, "a list of heads for each layer")
    return dict(layers)

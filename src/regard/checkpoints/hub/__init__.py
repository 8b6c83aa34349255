"""Everybody else's weights: one file per family, a config reader and a table of names."""

from typing import Any

from regard.checkpoints.files import CheckpointError
from regard.checkpoints.hub import bert
from regard.checkpoints.hub.family import Config, Family, architecture_of, build

FAMILIES: dict[str, Family] = {kind: family for family in (bert.FAMILY,) for kind in family.kinds}


def family_of(config: dict[str, Any], where: str) -> Family:
    """The family that a config belongs to."""
    kind = config.get("model_type")
    if kind not in FAMILIES:
        raise CheckpointError(f"{where}: model_type = {kind!r} is not supported, only {', '.join(sorted(FAMILIES))}")
    return FAMILIES[kind]


__all__ = ["FAMILIES", "Config", "Family", "architecture_of", "build", "family_of"]

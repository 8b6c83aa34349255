"""What a file of this folder says about its family."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from regard.checkpoints.options import Options
from regard.checkpoints.tensor_names import TensorNames
from regard.config import Config


@dataclass(frozen=True)
class Family:
    """A config reader and a table of names, both ways.

    `kinds` are the values of model_type; `read` turns a config and an architecture into ours, `write` does the
    reverse (architecture and all); `names` is the table of tensors for a config of ours and an architecture.
    """

    kinds: tuple[str, ...]
    architectures: tuple[str, ...]
    read: Callable[[Options, str], Config]
    write: Callable[[Any, str], dict[str, Any]]
    names: Callable[[Any, str], TensorNames]


def architecture_of(config: Mapping[str, Any], family: Family) -> str:
    """The class that a config was saved by; the family's bare model where it does not say."""
    named = config.get("architectures") or [family.architectures[0]]
    return str(named[0])

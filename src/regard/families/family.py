"""What a file of this folder says about its family."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from regard.config import (
    ClassificationHeadConfig,
    Config,
    DecoderConfig,
    EncoderConfig,
    OutputConfig,
    TransformerConfig,
)
from regard.errors import CheckpointError
from regard.families.options import Options
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe
from regard.families.tensor_names import TensorNames
from regard.settings import Settings, shown

Preset = TransformerConfig | EncoderConfig | DecoderConfig


@dataclass(frozen=True)
class ExampleModel:
    """A small model of a family, the architecture that it is saved as, and what config.json says beside its numbers."""

    config: Config
    architecture: str
    config_entries: Mapping[str, object]


class DecoderHeads(TypedDict, total=False):
    """What an architecture has on top of a decoder, as its config takes it."""

    output: OutputConfig | None
    classify: ClassificationHeadConfig


class EncoderHeads(DecoderHeads, total=False):
    """And on top of an encoder."""

    pooler: str
    follows: bool


@dataclass(frozen=True)
class Family:
    """All that is known of a family. None of it needs torch.

    In checkpoints: `model_type` and `architectures` are what config.json calls it; `read` turns a config and an
    architecture into ours, `write` does the reverse; `names` is the table of tensors for a config of ours and an
    architecture. In recipes: `kind` is the model.kind that it is a family of, `plan` makes a model of a recipe, and
    `labelling` is the architecture that labels are taught to. `presets` are published models by name, each made for
    a number of words; `example` is a small model for tests.
    """

    name: str
    architectures: tuple[str, ...]
    read: Callable[[Options, str], Config]
    write: Callable[[Any, str], dict[str, object]]  # Any: the kind of config that this family reads
    names: Callable[[Any, str], TensorNames]  # the same
    example: Callable[[], ExampleModel]
    model_type: str = ""
    presets: Mapping[str, Callable[..., Preset]] = field(default_factory=dict)
    kind: str = ""
    plan: Callable[[ModelRecipe, DataSizes], ModelPlan] | None = None
    labelling: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "model_type", self.model_type or self.name)


def architecture_of(config: Mapping[str, object], family: Family, where: str) -> str:
    """The class that a config was saved by; the family's bare model where it does not say."""
    named = Settings(config, where, CheckpointError).list("architectures") or [family.architectures[0]]
    if named[0] not in family.architectures:
        supported = ", ".join(family.architectures)
        raise CheckpointError(f"{where}: architecture {shown(named[0])} is not supported, only {supported}")
    return named[0]

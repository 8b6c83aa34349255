"""Whatever no outside family has words for, in a layout of our own: the config as it is, tensors under our own names.

`config.json` has the model_type `regard`, the kind of the model under `kind`, and the dataclass of its config under
`model`, part by part. Reading goes by the types of the fields: a key that a part does not have, or a value of another
type, is an error that names it.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, fields, is_dataclass, replace
from typing import Any, get_type_hints

from regard.config import (
    AlignerConfig,
    Config,
    DecoderConfig,
    EncoderConfig,
    GlimpseConfig,
    MaskedAlignerConfig,
    MemoryNetworkConfig,
    OutputConfig,
    PositionConfig,
    SpeechConfig,
    TransformerConfig,
    VisionConfig,
    XLConfig,
)
from regard.config.ranges import POSITIONS
from regard.config.value_types import choices, is_of, type_name
from regard.errors import CheckpointError, list_names
from regard.families import bert
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe
from regard.families.sizes import example_sizes
from regard.families.tensor_names import OWN_NAMES, TensorNames
from regard.settings import shown

KIND = "regard"
CONFIGS: dict[str, type[Config]] = {
    "encoder": EncoderConfig,
    "decoder": DecoderConfig,
    "transformer": TransformerConfig,
    "speech": SpeechConfig,
    "xl": XLConfig,
    "alignment": AlignerConfig,
    "masked-aligner": MaskedAlignerConfig,
    "memory": MemoryNetworkConfig,
    "vision": VisionConfig,
    "glimpse": GlimpseConfig,
}
"""Every kind of model, by the name that recipes use."""
ARCHITECTURES = {
    "encoder": "Encoder",
    "decoder": "Decoder",
    "transformer": "Transformer",
    "speech": "SpeechTransformer",
    "xl": "TransformerXL",
    "alignment": "Aligner",
    "masked-aligner": "MaskedAligner",
    "memory": "MemoryNetwork",
    "vision": "VisionTransformer",
    "glimpse": "GlimpseNetwork",
}
"""And the class of its models."""


def kind_of(config: Config) -> str:
    """What a config is called in CONFIGS."""
    return next(kind for kind, cls in CONFIGS.items() if type(config) is cls)


def read(options: Options, architecture: str) -> Config:
    options.need("kind")
    kind = options.one_of("kind", "", CONFIGS)
    options.integer_or_none("max_position_embeddings", None, POSITIONS)  # how much it is meant to read, for tasks
    return from_json(CONFIGS[kind], options.need("model"), f"{options.where}: model")


def write(config: Config, architecture: str) -> dict[str, object]:
    return {"model_type": KIND, "kind": kind_of(config), "model": asdict(config)}


def names(config: Config, architecture: str) -> TensorNames:
    return OWN_NAMES


def plan(config: Config) -> ModelPlan:
    """How a model is written that no other library has a layout for."""
    return ModelPlan(config, ARCHITECTURES[kind_of(config)], {"model_type": KIND})


def family(config: Config, planner: Callable[[ModelRecipe, DataSizes], ModelPlan] | None = None) -> Family:
    """A family that is written in this layout alone, named after the kind of its models; `config` is its example."""
    kind = kind_of(config)
    entries = {"model_type": KIND}
    return Family(
        kind,
        (ARCHITECTURES[kind],),
        read,
        write,
        names,
        lambda: ExampleModel(config, ARCHITECTURES[kind], entries),
        model_type=KIND,
        kind=kind if planner else "",
        plan=planner,
    )


def from_json(cls: Any, data: object, where: str) -> Any:
    """A dataclass, whichever, from what `asdict` and JSON made of it; `where` is its path, for errors."""
    if not isinstance(data, Mapping):
        raise CheckpointError(f"{where}: the fields of a {cls.__name__} expected, got {shown(data)}")
    known_fields = {field.name: field for field in fields(cls)}
    if unknown := data.keys() - known_fields.keys():
        raise CheckpointError(f"{where}: unknown {list_names(unknown)}; a {cls.__name__} has {', '.join(known_fields)}")
    required = {name for name, field in known_fields.items() if field.default is field.default_factory is MISSING}
    if missing := required - data.keys():
        raise CheckpointError(f"{where}: missing {list_names(missing)}")
    hints = get_type_hints(cls, include_extras=True)
    return cls(**{name: value_of(hints[name], value, f"{where}.{name}") for name, value in data.items()})


def value_of(hint: object, value: object, where: str) -> object:
    """A value of JSON as the type of a field wants it."""
    for choice in choices(hint):
        if is_dataclass(choice) and isinstance(value, Mapping):
            return from_json(choice, value, where)
    if not is_of(hint, value):
        raise CheckpointError(f"{where}: {type_name(hint)} expected, got {shown(value)}")
    return value


def example() -> ExampleModel:
    """BERT with a penalty of distances instead of learned positions, which BERT's own config cannot say."""
    side = replace(bert.side(example_sizes("gelu")), position=PositionConfig("alibi", {"heads": 4}))
    return ExampleModel(EncoderConfig(side, OutputConfig()), "Encoder", {"model_type": KIND})


FAMILY = Family(KIND, tuple(ARCHITECTURES.values()), read, write, names, example)

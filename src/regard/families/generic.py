"""Whatever no outside family has words for, in a layout of our own: the config as it is, tensors under our own names.

`config.json` has the model_type `regard`, the kind of the model under `kind`, and the dataclass of its config under
`model`, part by part. Reading goes by the types of the fields: a key that a part does not have, or a value of another
type, is an error that names it.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, fields, is_dataclass, replace
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from regard.config import (
    AlignerConfig,
    Config,
    DecoderConfig,
    EncoderConfig,
    GlimpseConfig,
    MemoryNetworkConfig,
    OutputConfig,
    PositionConfig,
    TransformerConfig,
    VisionConfig,
    XLConfig,
)
from regard.errors import CheckpointError, list_names
from regard.families import bert
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe
from regard.families.sizes import example_sizes
from regard.families.tensor_names import OWN_NAMES, TensorNames

KIND = "regard"
CONFIGS: dict[str, type[Config]] = {
    "encoder": EncoderConfig,
    "decoder": DecoderConfig,
    "transformer": TransformerConfig,
    "xl": XLConfig,
    "alignment": AlignerConfig,
    "memory": MemoryNetworkConfig,
    "vision": VisionConfig,
    "glimpse": GlimpseConfig,
}
"""Every kind of model, by the name that recipes use."""
ARCHITECTURES = {
    "encoder": "Encoder",
    "decoder": "Decoder",
    "transformer": "Transformer",
    "xl": "TransformerXL",
    "alignment": "Aligner",
    "memory": "MemoryNetwork",
    "vision": "VisionTransformer",
    "glimpse": "GlimpseNetwork",
}
"""And the class of its models."""
COUNTS = ("layers", "hops", "size", "patch", "glimpses")
MOST = 1024  # layers, hops, pixels a side: a config that asks for more would take for ever to build


def kind_of(config: Config) -> str:
    """What a config is called in CONFIGS."""
    return next(kind for kind, cls in CONFIGS.items() if type(config) is cls)


def read(options: Options, architecture: str) -> Config:
    kind = options.need("kind")
    options.get("max_position_embeddings")  # how much it is meant to read: the business of tasks
    if kind not in CONFIGS:
        raise CheckpointError(f"{options.where}: kind = {kind!r}, one of {', '.join(CONFIGS)} expected")
    config = from_json(CONFIGS[kind], options.need("model"), f"{options.where}: model")
    check_counts(config, options.where)
    return config


def check_counts(config: Config, where: str) -> None:
    """Raise if a recurrent side, a memory network or a picture is larger than anyone means it to be."""
    parts: list[Any] = [config.reads, config.writes] if isinstance(config, AlignerConfig) else [config]
    for part in parts:
        for name in COUNTS:
            if not 1 <= (count := getattr(part, name, 1)) <= MOST:
                raise CheckpointError(f"{where}: {count} {name}, from 1 to {MOST} expected")


def write(config: Config, architecture: str) -> dict[str, Any]:
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


def from_json(cls: Any, data: Any, where: str) -> Any:
    """A dataclass from what `asdict` and JSON made of it; `where` is its path, for errors."""
    if not isinstance(data, Mapping):
        raise CheckpointError(f"{where}: the fields of a {cls.__name__} expected, got {data!r}")
    known_fields = {field.name: field for field in fields(cls)}
    if unknown := data.keys() - known_fields.keys():
        raise CheckpointError(f"{where}: unknown {list_names(unknown)}; a {cls.__name__} has {', '.join(known_fields)}")
    required = {name for name, field in known_fields.items() if field.default is field.default_factory is MISSING}
    if missing := required - data.keys():
        raise CheckpointError(f"{where}: missing {list_names(missing)}")
    hints = get_type_hints(cls)
    return cls(**{name: value_of(hints[name], value, f"{where}.{name}") for name, value in data.items()})


def value_of(hint: Any, value: Any, where: str) -> Any:
    """A value of JSON as the type of a field wants it."""
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if value is None and NoneType in options:
        return None
    for option in options:
        if is_dataclass(option) and isinstance(value, Mapping):
            return from_json(option, value, where)
        if is_of(option, value):
            return tuple(value) if isinstance(value, list) and get_origin(option) is tuple else value
    expected = " or ".join(
        "nothing" if option is NoneType else getattr(option, "__name__", str(option)) for option in options
    )
    raise CheckpointError(f"{where}: {expected} expected, got {value!r}")


def is_of(option: Any, value: Any) -> bool:
    """Whether a plain value of JSON is of a type; a whole number is a float, too."""
    origin = get_origin(option)
    if origin is Literal:
        return value in get_args(option)
    if origin in (list, tuple):
        kinds = get_args(option)
        return isinstance(value, list | tuple) and all(not kinds or is_of(kinds[0], item) for item in value)
    if origin is dict:
        return isinstance(value, dict)
    if option is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(option, type) and type(value) is option


def example() -> ExampleModel:
    """BERT with a penalty of distances instead of learned positions, which BERT's own config cannot say."""
    side = replace(bert.side(example_sizes("gelu")), position=PositionConfig("alibi", {"heads": 4}))
    return ExampleModel(EncoderConfig(side, OutputConfig()), "Encoder", {"model_type": KIND})


FAMILY = Family(KIND, tuple(ARCHITECTURES.values()), read, write, names, example)

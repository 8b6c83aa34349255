"""What a model of a config can be asked to do, as its folder says; no torch is needed to tell."""

from collections.abc import Callable
from pathlib import Path

from regard.config import (
    AlignerConfig,
    Config,
    DecoderConfig,
    EncoderConfig,
    MemoryNetworkConfig,
    TransformerConfig,
)
from regard.errors import CheckpointError
from regard.tasks.generation_config import GENERATION
from regard.tasks.processors.translate import START
from regard.untrusted import CONFIG, read_optional_json


def can_fill(config: Config, folder: Path) -> bool:
    return isinstance(config, EncoderConfig) and config.output is not None


def can_classify(config: Config, folder: Path) -> bool:
    if not isinstance(config, EncoderConfig | DecoderConfig) or config.classify is None:
        return False
    return config.classify.pool is not None or config.classify.labels > 1  # one label for a token is no choice


def can_translate(config: Config, folder: Path) -> bool:
    """A model of two parts can; one that only reads on if it learned to, after a token that its folder names."""
    if not isinstance(config, TransformerConfig | AlignerConfig | DecoderConfig) or config.output is None:
        return False
    files = (read_optional_json(folder / file) for file in (GENERATION, CONFIG))
    return not isinstance(config, DecoderConfig) or any(file.get(START) is not None for file in files)


def can_generate(config: Config, folder: Path) -> bool:
    return isinstance(config, DecoderConfig) and config.output is not None


def can_embed(config: Config, folder: Path) -> bool:
    return isinstance(config, EncoderConfig | DecoderConfig)


def can_answer(config: Config, folder: Path) -> bool:
    return isinstance(config, MemoryNetworkConfig)


PURPOSES: dict[str, Callable[[Config, Path], bool]] = {
    "fill": can_fill,
    "classify": can_classify,
    "translate": can_translate,
    "generate": can_generate,
    "embed": can_embed,
    "answer": can_answer,
}
"""By the name of a task; the first that fits is what a model is for."""


def purpose_of(config: Config, folder: Path) -> str:
    """What a model is for: sentence vectors where the folder says how to pool, else what its heads are made for."""
    if (folder / "modules.json").is_file() and can_embed(config, folder):
        return "embed"
    for name, fits in PURPOSES.items():
        if fits(config, folder):
            return name
    raise CheckpointError(
        f"{folder}: its model has no head that a task could use; regard.checkpoints loads it as it is"
    )

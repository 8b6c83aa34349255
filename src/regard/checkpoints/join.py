"""Two models become one that reads with the first and writes with the second."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from regard.checkpoints.files import CheckpointError
from regard.checkpoints.load import Checkpoint, load_model
from regard.checkpoints.save import save_model
from regard.checkpoints.tensors import write_row
from regard.errors import RegardError
from regard.families.encoder_decoder import ARCHITECTURE, KIND, READERS, WRITERS, with_prefix
from regard.families.family import Family
from regard.families.options import Options
from regard.models import Decoder, Encoder, EncoderConfig, Model, OutputConfig, Transformer, TransformerConfig
from regard.settings import Settings

WRITES = {"is_decoder": True, "add_cross_attention": True}


@runtime_checkable
class LoadedTask(Protocol):
    """Whatever was made from a checkpoint: a task."""

    @property
    def checkpoint(self) -> Checkpoint: ...


Joinable = Checkpoint | LoadedTask | Model | str | Path


@dataclass(frozen=True)
class JoinedModel:
    """A model made of two, its config as others would have it, and the weights that are `new` and want training.

    `spare` are tensors that this model has no use for and others look for.
    """

    model: Transformer
    config: dict[str, object]
    new: tuple[str, ...]
    spare: dict[str, Tensor]
    architecture: str = ARCHITECTURE

    def save(self, folder: str | Path, *, files: Iterable[Path] = ()) -> Path:
        """Write a folder that load_model reads, and transformers as an EncoderDecoderModel."""
        return save_model(self.model, folder, self.config, self.architecture, files=files, spare=self.spare)


def join(encoder: Joinable, decoder: Joinable, *, start: int | None = None, padding: int | None = None) -> JoinedModel:
    """Join two pretrained models into an encoder-decoder: Rothe et al. 2020.

    The encoder reads both ways, like BERT; the decoder is another such model, which from now on reads only back, or a
    GPT. Between them is new attention, and where their widths differ a new bridge. The models themselves stay as
    they are. `start` and `padding` are the tokens that targets begin with and are filled up with, for those who load
    what is saved; the decoder's own unless given.
    """
    source, target = join_part(encoder), join_part(decoder)
    reader, writer = source.model, target.model
    if not isinstance(reader, Encoder):
        raise RegardError(f"an encoder that reads both ways expected, got a {type(reader).__name__}")
    if not isinstance(writer, Encoder | Decoder):
        raise RegardError(f"a decoder or an encoder expected to write, got a whole {type(writer).__name__}")
    side = writer.config.encoder if isinstance(writer, Encoder) else writer.config.decoder
    config = TransformerConfig(
        reader.config.encoder,
        side,
        output_of(writer, target.config),
        shared=False,
        bridge=reader.config.encoder.stack.width != side.stack.width,
    )
    model = Transformer(config)
    new = fill_model(model, weights_of(reader), weights_of(writer))
    first_parameter = next(reader.parameters())
    model.to(device=first_parameter.device, dtype=first_parameter.dtype).train(reader.training)
    joined = joined_config(source.config, target.config, config)
    parts = Settings(joined, "config", CheckpointError)
    joined |= decoder_tokens(parts.object("decoder"), start, padding)
    return JoinedModel(model, joined, new, spare_of(reader, source, parts.object("encoder").get("model_type")))


@dataclass(frozen=True)
class JoinPart:
    """A model, and what its folder said if it had one."""

    model: Model
    config: dict[str, object] | None = None
    spare: Mapping[str, Tensor] | None = None


def join_part(model: Joinable) -> JoinPart:
    if isinstance(model, Encoder | Decoder | Transformer):
        return JoinPart(model)
    loaded = load_model(model) if isinstance(model, str | Path) else getattr(model, "checkpoint", model)
    if not isinstance(loaded, Checkpoint):
        raise RegardError(f"a model, a checkpoint or its folder expected, got {type(model).__name__}")
    return JoinPart(loaded.model, loaded.config, loaded.spare)


def output_of(writer: Encoder | Decoder, config: dict[str, object] | None) -> OutputConfig:
    """How words are scored; a model without a head gets the one that its family writes with."""
    if writer.config.output is not None:
        return writer.config.output
    kind = config.get("model_type") if config else None
    if config and isinstance(kind, str) and kind in WRITERS:
        options = Options({**config, **WRITES}, "decoder")
        return WRITERS[kind].read(options)[1] or OutputConfig()
    if isinstance(writer, Decoder):
        return OutputConfig(tied=True)
    return OutputConfig(tied=True, bias=True, transform=writer.config.encoder.stack.feed_forward.activation)


def weights_of(model: Model) -> dict[str, Tensor]:
    return {name: weight.detach() for name, weight in model.named_parameters(remove_duplicate=False)}


@torch.no_grad()
def fill_model(model: Transformer, read: Mapping[str, Tensor], write: Mapping[str, Tensor]) -> tuple[str, ...]:
    """Put the weights of both in; gives the names of those that neither had."""
    weights = {name: weight for name, weight in read.items() if name.startswith("encoder.")}
    for name, weight in write.items():
        side, _, rest = name.partition(".")
        if side in ("encoder", "decoder", "output"):
            weights[f"decoder.{rest}" if side == "encoder" else name] = weight
    new = []
    for name, parameter in model.named_parameters():
        if name in weights:
            parameter.copy_(weights[name])
        else:
            new.append(name)
    return tuple(new)


def joined_config(
    source: dict[str, object] | None, target: dict[str, object] | None, config: TransformerConfig
) -> dict[str, object]:
    """The config of both. Models that came without one are described as the first family that they fit."""
    if source is None:
        source = next(filter(None, (encoder_config(kind, config) for kind in READERS)), {})
    if target is None:
        target = next(filter(None, (decoder_config(kind, config) for kind in WRITERS)), {})
    return {"model_type": KIND, "encoder": source, "decoder": {**target, **WRITES}}


def decoder_tokens(decoder: Mapping[str, object], start: int | None, padding: int | None) -> dict[str, object]:
    """The tokens that targets begin with and are padded with: those given, or the decoder's own."""
    starts = (start, decoder.get("decoder_start_token_id"), decoder.get("bos_token_id"))
    choices = {"decoder_start_token_id": starts, "pad_token_id": (padding, decoder.get("pad_token_id"))}
    candidates = {name: [number for number in numbers if number is not None] for name, numbers in choices.items()}
    return {name: numbers[0] for name, numbers in candidates.items() if numbers}


def encoder_config(kind: str, config: TransformerConfig) -> dict[str, object] | None:
    """The config of an encoder in this family, if it can say everything."""
    family = READERS[kind]
    bare = family.architectures[0]
    try:
        entries = family.write(EncoderConfig(config.encoder), bare)
        again = family.read(Options(entries, kind), bare)
    except (CheckpointError, KeyError):
        return None
    return entries if isinstance(again, EncoderConfig) and again.encoder == config.encoder else None


def decoder_config(kind: str, config: TransformerConfig) -> dict[str, object] | None:
    """The config of a decoder in this family, if it can say everything."""
    try:
        entries = WRITERS[kind].write(config.decoder, config.output)
        again = WRITERS[kind].read(Options(entries, kind))
    except (CheckpointError, KeyError):
        return None
    return entries if again == (config.decoder, config.output) else None


def spare_of(reader: Encoder, source: JoinPart, kind: str | None) -> dict[str, Tensor]:
    """The encoder's pooler, under the name that others look for."""
    family: Family | None = READERS.get(kind or "")
    if family is None:
        return {}
    bare = family.architectures[0]
    names = family.names(EncoderConfig(reader.config.encoder), bare).spare
    spare = {
        f"encoder.{name}": tensor
        for name in names
        for old, tensor in (source.spare or {}).items()
        if has_ending(old, name)
    }
    if reader.config.pooler:
        own = weights_of(reader)
        table = with_prefix(
            family.names(EncoderConfig(reader.config.encoder, pooler=reader.config.pooler), bare), "encoder"
        )
        for row in table.rows:
            spare |= write_row(row, own[row.name]) if row.name.startswith("pooler.") else {}
    return spare


def has_ending(name: str, bare: str) -> bool:
    return name == bare or name.endswith(f".{bare}")

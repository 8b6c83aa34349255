"""Any encoder and any decoder, with attention from one to the other: Rothe et al. 2020."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from regard.config import (
    DecoderConfig,
    EmbeddedStackConfig,
    EncoderConfig,
    OutputConfig,
    StackConfig,
    TransformerConfig,
)
from regard.errors import CheckpointError
from regard.families import albert, bert, bert_generation, distilbert, gpt2, roberta
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.tensor_names import TensorName, TensorNames, weight_and_bias
from regard.settings import shown

KIND, ARCHITECTURE = "encoder-decoder", "EncoderDecoderModel"
Part = TypeVar("Part")
PRUNED = ("pruned", "pruned_heads")  # said of the whole: checkpoints/pruned.py


@dataclass(frozen=True)
class GenerativeFamily:
    """A family that can write: its language model, and the names of the layers that look at the source.

    BERT and its kind write as they fill in masked words, except that no token sees those after it.
    """

    family: Family
    architecture: str
    cross: Callable[[StackConfig], list[TensorName]]

    @property
    def is_masked(self) -> bool:
        return self.architecture.endswith("ForMaskedLM")

    def config(self, side: EmbeddedStackConfig, output: OutputConfig | None) -> EncoderConfig | DecoderConfig:
        return EncoderConfig(side, output) if self.is_masked else DecoderConfig(side, output)

    def read(self, options: Options) -> tuple[EmbeddedStackConfig, OutputConfig | None]:
        """The side and its scores; that it is a decoder and looks at a source is known here, and told no further."""
        if self.family is gpt2.FAMILY:  # which reads from left to right whatever it is told
            options.presume({"is_decoder": True})
        for key in ("is_decoder", "add_cross_attention"):
            if options.get(key) is not True:
                options.refuse(key, "true")
        options.only("cross_attention_hidden_size", None)
        flags = {"add_cross_attention": False, "is_decoder": not self.is_masked}
        plain = Options({**options.entries, **flags}, options.where)
        config = self.family.read(plain, self.architecture)
        options.read_keys |= plain.read_keys
        assert isinstance(config, EncoderConfig | DecoderConfig)
        return (config.encoder if isinstance(config, EncoderConfig) else config.decoder), config.output

    def write(self, side: EmbeddedStackConfig, output: OutputConfig | None) -> dict[str, object]:
        entries = self.family.write(self.config(side, output), self.architecture)
        return entries | {"is_decoder": True, "add_cross_attention": True}

    def names(self, side: EmbeddedStackConfig, output: OutputConfig | None) -> TensorNames:
        table = self.family.names(self.config(side, output), self.architecture)
        rows = [replace(row, name=decoder_name(row.name)) for row in table.rows]
        return replace(table, rows=(*rows, *self.cross(side.stack)))


def decoder_name(name: str) -> str:
    """Our name of a tensor of an encoder, where it is a decoder."""
    return f"decoder.{name.removeprefix('encoder.')}" if name.startswith("encoder.") else name


def bert_cross(root: str) -> Callable[[StackConfig], list[TensorName]]:
    def cross(config: StackConfig) -> list[TensorName]:
        rows = bert.stack(config, "decoder", f"{root}.encoder.layer", cross=True)
        return [row for row in rows if ".cross" in row.name]

    return cross


def gpt2_cross(config: StackConfig) -> list[TensorName]:
    return [row for row in gpt2.blocks(config, "transformer.", cross=True) if ".cross" in row.name]


READERS: dict[str, Family] = {
    family.name: family
    for family in (bert.FAMILY, *roberta.FAMILIES, distilbert.FAMILY, albert.FAMILY, bert_generation.FAMILY)
}
"""Families that can read the source, as their bare model: the first of their architectures."""

WRITERS: dict[str, GenerativeFamily] = {
    "bert": GenerativeFamily(bert.FAMILY, "BertForMaskedLM", bert_cross("bert")),
    **{
        family.name: GenerativeFamily(family, family.architectures[1], bert_cross("roberta"))
        for family in roberta.FAMILIES
    },
    "bert-generation": GenerativeFamily(bert_generation.FAMILY, "BertGenerationDecoder", bert_cross("bert")),
    "gpt2": GenerativeFamily(gpt2.FAMILY, "GPT2LMHeadModel", gpt2_cross),
}
"""Families that can write the target."""


def family(config: Mapping[str, object], where: str) -> Family:
    """The family of models that are joined from the two that a config names."""
    reader, writer = part_family(config, "encoder", READERS, where), part_family(config, "decoder", WRITERS, where)
    bare = reader.architectures[0]

    def read(options: Options, architecture: str) -> TransformerConfig:
        options.only("tie_encoder_decoder", False)
        options.ignore("vocab_size", "tie_word_embeddings")
        parts = [Options(options.object(side), f"{options.where}: {side}") for side in ("encoder", "decoder")]
        for part in parts:
            part.only("tie_encoder_decoder", False)
            part.ignore(*PRUNED)
        source = reader.read(parts[0], bare)
        assert isinstance(source, EncoderConfig)
        target, output = writer.read(parts[1])
        for part in parts:
            part.done()
        bridge = source.encoder.stack.width != target.stack.width
        return TransformerConfig(source.encoder, target, output, shared=False, bridge=bridge)

    def write(config_of_both: TransformerConfig, architecture: str) -> dict[str, object]:
        return {
            "model_type": KIND,
            "is_encoder_decoder": True,
            "encoder": reader.write(EncoderConfig(config_of_both.encoder), bare),
            "decoder": writer.write(config_of_both.decoder, config_of_both.output),
        }

    def names(config_of_both: TransformerConfig, architecture: str) -> TensorNames:
        table = with_prefix(reader.names(EncoderConfig(config_of_both.encoder), bare), "encoder")
        table += with_prefix(writer.names(config_of_both.decoder, config_of_both.output), "decoder")
        return table + TensorNames.of(weight_and_bias("bridge", "enc_to_dec_proj") if config_of_both.bridge else [])

    return Family(KIND, (ARCHITECTURE,), read, write, names, example)


def example() -> ExampleModel:
    """A BERT that reads and a GPT-2 that writes."""
    reader, writer = bert.example().config, gpt2.example().config
    assert isinstance(reader, EncoderConfig)
    assert isinstance(writer, DecoderConfig)
    parts = {"encoder": {"model_type": "bert"}, "decoder": {"model_type": "gpt2"}}
    config = TransformerConfig(reader.encoder, writer.decoder, writer.output, shared=False)
    return ExampleModel(config, ARCHITECTURE, {"model_type": KIND, **parts})


def part_family(config: Mapping[str, object], side: str, table: Mapping[str, Part], where: str) -> Part:
    """The family in a table that one side of a config names."""
    part = config.get(side)
    kind = part.get("model_type") if isinstance(part, Mapping) else None
    if not isinstance(kind, str) or kind not in table:
        supported = ", ".join(sorted(table))
        raise CheckpointError(f"{where}: model_type = {shown(kind)} is not supported as {side}, only {supported}")
    return table[kind]


def with_prefix(names: TensorNames, root: str) -> TensorNames:
    """The table of a model that is a part of another."""

    def prefixed(name: str) -> str:
        return f"{root}.{name}"

    def pairs(table: Mapping[str, str]) -> dict[str, str]:
        return {prefixed(copy): prefixed(original) for copy, original in table.items()}

    rows = [replace(row, file_names=tuple(map(prefixed, row.file_names))) for row in names.rows]
    return TensorNames.of(rows, pairs(names.copies), map(prefixed, names.spare), pairs(names.echoes), names.old_endings)

"""What the processors of all tasks share: a tokeniser, and how much of a text a model reads."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeGuard, TypeVar

from regard.config import (
    AlignerConfig,
    Config,
    DecoderConfig,
    EncoderConfig,
    MaskedAlignerConfig,
    MemoryNetworkConfig,
    TransformerConfig,
)
from regard.errors import RegardError
from regard.tasks.inputs import Text, text_list
from regard.text import Encoded, Tokenizer, TokenizerError

Input = TypeVar("Input")


LONGEST_TEXT = 1 << 14  # tokens, where a model would read any number: its time grows with their square


class TextTooLong(RegardError, ValueError):
    """A text of more tokens than the model reads."""


@dataclass(frozen=True)
class ModelDescription:
    """All that is known of a model without its weights: its folder, the entries of config.json, its own config."""

    folder: Path
    entries: dict[str, Any]  # of JSON
    config: Config


class Processor:
    """The first and the last step of a task: `read` gives the tokens of a text and where they stand, `answer` makes the
    result of what was read and of the numbers that came of it. Whoever computes these needs no more than tokens.

    `max_length` is how many tokens the model reads; None: any number.
    """

    can_cut: ClassVar[bool] = False

    def __init__(self, description: ModelDescription, tokenizer: Tokenizer | None) -> None:
        self.description = description
        self._tokenizer = tokenizer
        self.max_length: int | None = max_length_of(description)
        self.tables: EmbeddingTables = tables_of(description.config)

    @property
    def tokenizer(self) -> Tokenizer:
        if self._tokenizer is None:
            where = self.description.folder
            raise TokenizerError(f"{where}: was loaded without its tokeniser; the model itself takes token ids")
        return self._tokenizer

    def encode(
        self, text: Text, number: int | None = None, *, special: Collection[str] = (), cut: bool = False
    ) -> Encoded:
        """The tokens of a text, or one line that says how far it is too long."""
        first, second = (text, None) if isinstance(text, str) else text
        encoded = self.encode_whole(first, second, special=special)
        if len(encoded) <= self.read_limit:
            return encoded
        if cut:
            return encoded.cut(self.read_limit)
        advice = "; cut=True (--cut) reads only its beginning" if self.can_cut else ""
        raise TextTooLong(
            f"{text_name(number)} has {len(encoded)} tokens, the model reads at most {self.read_limit}{advice}"
        )

    @property
    def read_limit(self) -> int:
        """How many tokens are read of one text: as many as the model reads, or as can be waited for."""
        return LONGEST_TEXT if self.max_length is None else self.max_length

    def encode_whole(self, text: str, pair: str | None = None, *, special: Collection[str] = ()) -> Encoded:
        """The tokens of a text or of a pair, however many; all are tokens that the model knows."""
        encoded = self.tokenizer.encode(text, pair, special=special)
        self.check_known(encoded.ids)
        segment, segments = max(encoded.segments, default=0), self.tables.segments
        if segments and segment >= segments:
            where = self.description.folder
            raise TokenizerError(f"{where}: its tokeniser tells of segment {segment}, its model has {segments}, from 0")
        return encoded

    def check_known(self, ids: Iterable[int], vocabulary: int | None = None) -> None:
        """Raise if a tokeniser gives tokens that the model has no embedding for, of its source unless said."""
        vocabulary = self.tables.vocabulary if vocabulary is None else vocabulary
        if (largest := max(ids, default=0)) >= vocabulary:
            line = f"its tokeniser gives the number {largest}, its model has {vocabulary} tokens, from 0"
            raise TokenizerError(f"{self.description.folder}: {line}")

    @property
    def padding(self) -> int | None:
        """The token that fills a batch up, if the model has an embedding for it."""
        pad = self.tokenizer.specials.pad
        return pad if pad is not None and pad < self.tables.vocabulary else None


def is_alone(text: Text | Iterable[Text]) -> TypeGuard[Text]:
    """Whether a call is about one text, or a pair, and not about several."""
    return isinstance(text, str | tuple)


def read_all(text: Text | Iterable[Text], read: Callable[[Text, int | None], Input], first: int) -> list[Input]:
    """What is read of each text of a call; `read` is told the number that messages give it, if there are several."""
    if is_alone(text):
        return [read(text, None)]
    return [read(each, number) for number, each in enumerate(text_list(text), first)]


def text_name(number: int | None) -> str:
    """How a message names a text: by its number, if there are several."""
    return "the text" if number is None else f"text {number}"


def max_length_of(description: ModelDescription) -> int | None:
    """How many tokens a model reads: as many as it learned places for, or as its config says; None: any number."""
    config = description.config
    if isinstance(config, AlignerConfig | MemoryNetworkConfig):
        return None
    if isinstance(config, MaskedAlignerConfig):
        return description.entries.get("max_position_embeddings")
    assert isinstance(config, EncoderConfig | DecoderConfig | TransformerConfig)
    side = config.decoder if isinstance(config, DecoderConfig) else config.encoder
    if side.position.kind == "learned":
        return side.position.settings["length"]
    if side.position.kind == "buckets":
        return None
    return description.entries.get("max_position_embeddings")


@dataclass(frozen=True)
class EmbeddingTables:
    """How many tokens a model reads, and how many segments; none of these: it does not tell them apart."""

    vocabulary: int
    segments: int = 0


def tables_of(config: Config) -> EmbeddingTables:
    """What a model has embeddings for."""
    if isinstance(config, MemoryNetworkConfig):
        return EmbeddingTables(config.vocabulary)
    if isinstance(config, AlignerConfig):
        return EmbeddingTables(config.reads.vocabulary)
    if isinstance(config, MaskedAlignerConfig):
        return EmbeddingTables(config.reader.embedding.vocabulary)
    assert isinstance(config, EncoderConfig | DecoderConfig | TransformerConfig)
    embedding = (config.decoder if isinstance(config, DecoderConfig) else config.encoder).embedding
    return EmbeddingTables(embedding.vocabulary, embedding.segments)

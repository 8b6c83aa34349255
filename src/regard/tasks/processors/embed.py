"""A vector for a text: texts are read as the folder of a sentence model says."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from regard.config import EncoderConfig
from regard.pictures.labelled import LabelledNumbers, LabelledResult, numbered
from regard.tasks.inputs import EncodedText, Text
from regard.tasks.processors.pooling import Pooling, pooling_of
from regard.tasks.processors.processor import ModelDescription, Processor, text_name
from regard.text import Tokenizer, TokenizerError

LITTLE = 1e-8  # no vector is shorter, where one is divided by its length


@dataclass(frozen=True, eq=False)
class TextEmbedding(LabelledResult):
    """The vector of a text, and the tokens that it was made from."""

    text: Text
    vector: Float[np.ndarray, " width"]
    tokens: tuple[str, ...]

    def labelled(self) -> LabelledNumbers:
        return LabelledNumbers(self.vector, (numbered("dimension", len(self.vector)),))

    def similarity(self, other: "TextEmbedding") -> float:
        """The cosine of the angle between two vectors: 1 where they point the same way."""
        lengths = [max(float(np.linalg.norm(vector)), LITTLE) for vector in (self.vector, other.vector)]
        return float(self.vector @ other.vector) / (lengths[0] * lengths[1])


class EmbedProcessor(Processor):
    """Reads texts as the folder's modules.json says; else as they are."""

    can_cut = True

    def __init__(self, description: ModelDescription, tokenizer: Tokenizer | None) -> None:
        super().__init__(description, tokenizer)
        default = "mean_tokens" if isinstance(description.config, EncoderConfig) else "lasttoken"
        self.pooling: Pooling = pooling_of(description.folder, default)
        limits = [limit for limit in (self.max_length, self.pooling.max_length) if limit is not None]
        self.max_length: int | None = min(limits, default=None)

    def read(self, text: Text, number: int | None = None, *, cut: bool = False) -> EncodedText:
        parts = [text] if isinstance(text, str) else list(text)
        parts = [part.lower() for part in parts] if self.pooling.lower else parts
        first = self.pooling.prompt + parts[0]
        encoded = self.encode(first if len(parts) == 1 else (first, parts[1]), number, cut=cut)
        if not encoded.ids:
            raise TokenizerError(f"{text_name(number)} has no tokens: there is nothing to make a vector of")
        return EncodedText(text, encoded)

    def answer(self, text: EncodedText, vector: np.ndarray) -> TextEmbedding:
        return TextEmbedding(text.text, vector, text.encoded.tokens)

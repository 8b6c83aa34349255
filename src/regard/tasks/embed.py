"""A vector for a text: texts that mean the same lie close together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import overload

import numpy as np
from jaxtyping import Float

from regard.checkpoints import Checkpoint
from regard.config import Config
from regard.models import Decoder, DecoderConfig, Encoder, EncoderConfig
from regard.tasks.inputs import EncodedText, Text
from regard.tasks.pooling import pooling_of
from regard.tasks.task import OnProgress, Task, as_array, is_alone, read_all
from regard.text import Batch, Tokenizer

LITTLE = 1e-8  # no vector is shorter, where one is divided by its length


@dataclass(frozen=True, eq=False)
class TextEmbedding:
    """The vector of a text, and the tokens that it was made from."""

    text: Text
    vector: Float[np.ndarray, " width"]
    tokens: tuple[str, ...]

    def similarity(self, other: "TextEmbedding") -> float:
        """The cosine of the angle between two vectors: 1 where they point the same way."""
        lengths = [max(float(np.linalg.norm(vector)), LITTLE) for vector in (self.vector, other.vector)]
        return float(self.vector @ other.vector) / (lengths[0] * lengths[1])


class EmbedTask(Task):
    """Vectors for texts, pooled as the folder's modules.json says; else the mean of the tokens of a model that reads
    both ways, and the last token of one that reads on."""

    name = "embed"
    can_cut = True

    def __init__(self, checkpoint: Checkpoint, tokenizer: Tokenizer | None) -> None:
        super().__init__(checkpoint, tokenizer)
        default = "mean_tokens" if isinstance(self.model, Encoder) else "lasttoken"
        self.pooling = pooling_of(checkpoint.folder, default)
        limits = [limit for limit in (self.max_length, self.pooling.max_length) if limit is not None]
        self.max_length = min(limits, default=None)

    @classmethod
    def serves(cls, config: Config, folder: Path) -> bool:
        return isinstance(config, (EncoderConfig, DecoderConfig))

    @overload
    def __call__(  # pyright: ignore[reportOverlappingOverload]  (a str is an iterable, too)
        self, text: Text, *, cut: bool = ..., first: int = ..., progress: OnProgress | None = ...
    ) -> TextEmbedding: ...

    @overload
    def __call__(
        self, text: Iterable[Text], *, cut: bool = ..., first: int = ..., progress: OnProgress | None = ...
    ) -> list[TextEmbedding]: ...

    def __call__(
        self, text: Text | Iterable[Text], *, cut: bool = False, first: int = 1, progress: OnProgress | None = None
    ) -> TextEmbedding | list[TextEmbedding]:
        """The vector of one text, or of each of several. `cut` reads only the beginning of one that is too long."""
        texts = read_all(text, partial(self.read, cut=cut), first)
        answers = [self.answer(*pair) for pair in zip(texts, self.run(texts, progress=progress), strict=True)]
        return answers[0] if is_alone(text) else answers

    def read(self, text: Text, number: int | None = None, *, cut: bool = False) -> EncodedText:
        parts = [text] if isinstance(text, str) else list(text)
        parts = [part.lower() for part in parts] if self.pooling.lower else parts
        first = self.pooling.prompt + parts[0]
        return EncodedText(text, self.encode(first if len(parts) == 1 else (first, parts[1]), number, cut=cut))

    def run(self, texts: Sequence[EncodedText], *, progress: OnProgress | None = None) -> list[np.ndarray]:
        """The vector of each text, (width,)."""
        return self.in_batches([text.encoded for text in texts], self.embed_batch, progress)

    def embed_batch(self, batch: Batch) -> list[np.ndarray]:
        if isinstance(self.model, Encoder):
            x = self.model.hidden(batch.tokens, attention_mask=batch.attention_mask, segments=batch.segments)
        else:
            assert isinstance(self.model, Decoder)
            x = self.model.hidden(batch.tokens, attention_mask=batch.attention_mask)
        return list(as_array(self.pooling(x, batch.attention_mask)))

    def answer(self, text: EncodedText, vector: np.ndarray) -> TextEmbedding:
        return TextEmbedding(text.text, vector, text.encoded.tokens)

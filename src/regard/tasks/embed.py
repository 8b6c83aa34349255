"""A vector for a text: texts that mean the same lie close together."""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import overload

import numpy as np

from regard.config import Config
from regard.models import Decoder, Encoder
from regard.tasks.inputs import EncodedText, Text
from regard.tasks.pooling import pool_vectors
from regard.tasks.processors.embed import EmbedProcessor, TextEmbedding
from regard.tasks.processors.processor import is_alone, read_all
from regard.tasks.purposes import can_embed
from regard.tasks.task import OnProgress, Task, as_array
from regard.text import Batch


class EmbedTask(Task[EmbedProcessor]):
    """Vectors for texts, pooled as the folder's modules.json says; else the mean of the tokens of a model that reads
    both ways, and the last token of one that reads on."""

    name = "embed"
    processor_class = EmbedProcessor

    @classmethod
    def serves(cls, config: Config, folder: Path) -> bool:
        return can_embed(config, folder)

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
        return self.processor.read(text, number, cut=cut)

    def run(self, texts: Sequence[EncodedText], *, progress: OnProgress | None = None) -> list[np.ndarray]:
        """The vector of each text, (width,)."""
        return self.in_batches([text.encoded for text in texts], self.embed_batch, progress)

    def embed_batch(self, batch: Batch) -> list[np.ndarray]:
        if isinstance(self.model, Encoder):
            x = self.model.hidden(batch.tokens, attention_mask=batch.attention_mask, segments=batch.segments)
        else:
            assert isinstance(self.model, Decoder)
            x = self.model.hidden(batch.tokens, attention_mask=batch.attention_mask)
        return list(as_array(pool_vectors(x, batch.attention_mask, self.processor.pooling)))

    def answer(self, text: EncodedText, vector: np.ndarray) -> TextEmbedding:
        return self.processor.answer(text, vector)

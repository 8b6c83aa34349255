"""A vector for a text: texts that mean the same lie close together."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from regard.checkpoints import Checkpoint
from regard.checkpoints.hub import Config
from regard.models import Decoder, DecoderConfig, Encoder, EncoderConfig
from regard.tasks.pooling import pooling_of
from regard.tasks.task import Item, OnProgress, Task, Text
from regard.text import Batch, Encoded, Tokenizer


@dataclass(frozen=True, eq=False)
class TextEmbedding:
    """The vector of a text, and the tokens that it was made from."""

    text: Text
    vector: Float[Tensor, " width"]
    tokens: tuple[str, ...]

    def similarity(self, other: "TextEmbedding") -> float:
        """The cosine of the angle between two vectors: 1 where they point the same way."""
        return float(F.cosine_similarity(self.vector, other.vector, dim=0))


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
    def serves(cls, config: Config) -> bool:
        return isinstance(config, (EncoderConfig, DecoderConfig))

    def __call__(
        self, text: Text | Iterable[Text], *, cut: bool = False, first: int = 1, progress: OnProgress | None = None
    ) -> Any:
        """The vector of one text, or of each of several. `cut` reads only the beginning of one that is too long."""
        return self.answers(text, partial(self.read_text, cut=cut), self.embed_batch, progress, first)

    def read_text(self, text: Text, number: int | None, cut: bool) -> Encoded:
        parts = [text] if isinstance(text, str) else list(text)
        parts = [part.lower() for part in parts] if self.pooling.lower else parts
        first = self.pooling.prompt + parts[0]
        return self.read(first if len(parts) == 1 else (first, parts[1]), number, cut=cut)

    def embed_batch(self, batch: Batch, items: list[Item]) -> list[TextEmbedding]:
        if isinstance(self.model, Encoder):
            x = self.model.hidden(batch.tokens, attention_mask=batch.attention_mask, segments=batch.segments)
        else:
            assert isinstance(self.model, Decoder)
            x = self.model.hidden(batch.tokens, attention_mask=batch.attention_mask)
        vectors = self.pooling(x, batch.attention_mask)
        return [
            TextEmbedding(text, vector, encoded.tokens) for (text, encoded), vector in zip(items, vectors, strict=True)
        ]

"""Labels for texts, or for their tokens."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, overload

import numpy as np

from regard.checkpoints import Checkpoint, CheckpointError
from regard.config import Config
from regard.models import DecoderConfig, Encoder, EncoderConfig
from regard.tasks.inputs import EncodedText, Text
from regard.tasks.task import OnProgress, Task, as_array, is_alone, read_all
from regard.text import Batch, Tokenizer


@dataclass(frozen=True)
class Classification:
    """The likeliest label of a text, and the scores of all."""

    text: Text
    label: str
    score: float
    scores: Mapping[str, float]


@dataclass(frozen=True)
class TokenLabel:
    """The label of one token; `start` and `end` say where it stands in the text."""

    token: str
    label: str
    score: float
    start: int
    end: int


@dataclass(frozen=True)
class TokenLabels:
    """A text whose tokens have labels; what the tokeniser added has none."""

    text: Text
    tokens: tuple[TokenLabel, ...]


class ClassifyTask(Task):
    """Label texts: `classify("What a film!").label`; a pair of texts is a tuple.

    Scores are probabilities: of one label out of all, or of each by itself where the config says multi_label. A model
    with one label gives a number, not a probability.
    """

    name = "classify"
    can_cut = True

    def __init__(self, checkpoint: Checkpoint, tokenizer: Tokenizer | None) -> None:
        super().__init__(checkpoint, tokenizer)
        config: Any = checkpoint.model.config
        self.labels = labels_of(checkpoint.config, config.classify.labels, str(checkpoint.folder))
        self.for_tokens = config.classify.pool is None
        self.is_multiple = checkpoint.config.get("problem_type") == "multi_label_classification"

    @classmethod
    def serves(cls, config: Config, folder: Path) -> bool:
        return isinstance(config, (EncoderConfig, DecoderConfig)) and config.classify is not None

    @overload
    def __call__(  # pyright: ignore[reportOverlappingOverload]  (a str is an iterable, too)
        self, text: Text, *, cut: bool = ..., first: int = ..., progress: OnProgress | None = ...
    ) -> Classification | TokenLabels: ...

    @overload
    def __call__(
        self, text: Iterable[Text], *, cut: bool = ..., first: int = ..., progress: OnProgress | None = ...
    ) -> list[Classification | TokenLabels]: ...

    def __call__(
        self, text: Text | Iterable[Text], *, cut: bool = False, first: int = 1, progress: OnProgress | None = None
    ) -> Classification | TokenLabels | list[Classification | TokenLabels]:
        """Label one text, or each of several. `cut` reads only the beginning of a text that is too long."""
        texts = read_all(text, partial(self.read, cut=cut), first)
        answers = [self.answer(*pair) for pair in zip(texts, self.run(texts, progress=progress), strict=True)]
        return answers[0] if is_alone(text) else answers

    def read(self, text: Text, number: int | None = None, *, cut: bool = False) -> EncodedText:
        return EncodedText(text, self.encode(text, number, cut=cut))

    def run(self, texts: Sequence[EncodedText], *, progress: OnProgress | None = None) -> list[np.ndarray]:
        """The scores of all labels, (labels,) for each text, or (tokens, labels) where each token has one."""
        return self.in_batches([text.encoded for text in texts], self.score_batch, progress)

    def score_batch(self, batch: Batch) -> list[np.ndarray]:
        kwargs = {"segments": batch.segments} if isinstance(self.model, Encoder) else {}
        logits = self.model(batch.tokens, attention_mask=batch.attention_mask, **kwargs)
        if logits.shape[-1] > 1:
            logits = logits.sigmoid() if self.is_multiple else logits.softmax(-1)
        rows = zip(logits, batch.attention_mask, strict=True)
        return [as_array(row[mask] if self.for_tokens else row) for row, mask in rows]

    def answer(self, text: EncodedText, scores: np.ndarray) -> Classification | TokenLabels:
        if self.for_tokens:
            return self.token_labels(text, scores)
        row = scores.tolist()
        best = max(range(len(row)), key=row.__getitem__)
        return Classification(text.text, self.labels[best], row[best], dict(zip(self.labels, row, strict=True)))

    def token_labels(self, text: EncodedText, scores: np.ndarray) -> TokenLabels:
        encoded = text.encoded
        best = zip(scores.argmax(-1).tolist(), scores.max(-1).tolist(), strict=True)
        labels = [
            TokenLabel(encoded.tokens[index], self.labels[label], score, *encoded.offsets[index])
            for index, (label, score) in enumerate(best)
            if encoded.texts[index] is not None
        ]
        return TokenLabels(text.text, tuple(labels))


def labels_of(config: Mapping[str, Any], count: int, where: str) -> list[str]:
    """The names of labels; LABEL_0, LABEL_1, … where a config has none."""
    names = config.get("id2label") or {number: f"LABEL_{number}" for number in range(count)}
    try:
        numbered = {int(number): str(name) for number, name in names.items()}
        return [numbered[number] for number in range(count)]
    except (AttributeError, ValueError, KeyError):
        raise CheckpointError(f"{where}: id2label does not name the {count} labels 0 to {count - 1}") from None

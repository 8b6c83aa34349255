"""Labels for texts, or for their tokens."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch import Tensor

from regard.checkpoints import Checkpoint, CheckpointError
from regard.checkpoints.hub import Config
from regard.models import DecoderConfig, Encoder, EncoderConfig
from regard.tasks.task import Item, OnProgress, Task, Text
from regard.text import Batch, Encoded, Tokenizer


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
    def serves(cls, config: Config) -> bool:
        return isinstance(config, (EncoderConfig, DecoderConfig)) and config.classify is not None

    def __call__(
        self, text: Text | Iterable[Text], *, cut: bool = False, first: int = 1, progress: OnProgress | None = None
    ) -> Any:
        """Label one text, or each of several. `cut` reads only the beginning of a text that is too long."""
        return self.answers(text, partial(self.read_text, cut=cut), self.label_batch, progress, first)

    def read_text(self, text: Text, number: int | None, cut: bool) -> Encoded:
        return self.read(text, number, cut=cut)

    def label_batch(self, batch: Batch, items: list[Item]) -> list[Classification | TokenLabels]:
        kwargs = {"segments": batch.segments} if isinstance(self.model, Encoder) else {}
        scores = self.label_scores(self.model(batch.tokens, attention_mask=batch.attention_mask, **kwargs))
        if self.for_tokens:
            return [
                self.token_labels(text, encoded, scores[row][batch.attention_mask[row]])
                for row, (text, encoded) in enumerate(items)
            ]
        results: list[Classification | TokenLabels] = []
        for (text, _), row in zip(items, scores.tolist(), strict=True):
            best = max(range(len(row)), key=row.__getitem__)
            results.append(Classification(text, self.labels[best], row[best], dict(zip(self.labels, row, strict=True))))
        return results

    def label_scores(self, logits: Tensor) -> Tensor:
        if logits.shape[-1] == 1:
            return logits
        return logits.sigmoid() if self.is_multiple else logits.softmax(-1)

    def token_labels(self, text: Text, encoded: Encoded, scores: Tensor) -> TokenLabels:
        best = scores.max(-1)
        labels = [
            TokenLabel(encoded.tokens[index], self.labels[label], score, *encoded.offsets[index])
            for index, (label, score) in enumerate(zip(best.indices.tolist(), best.values.tolist(), strict=True))
            if encoded.texts[index] is not None
        ]
        return TokenLabels(text, tuple(labels))


def labels_of(config: Mapping[str, Any], count: int, where: str) -> list[str]:
    """The names of labels; LABEL_0, LABEL_1, … where a config has none."""
    names = config.get("id2label") or {number: f"LABEL_{number}" for number in range(count)}
    try:
        numbered = {int(number): str(name) for number, name in names.items()}
        return [numbered[number] for number in range(count)]
    except (AttributeError, ValueError, KeyError):
        raise CheckpointError(f"{where}: id2label does not name the {count} labels 0 to {count - 1}") from None

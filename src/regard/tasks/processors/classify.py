"""Labels for texts, or for their tokens: texts are read, and scores named."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.config import DecoderConfig, EncoderConfig
from regard.errors import CheckpointError
from regard.tasks.inputs import EncodedText, Text
from regard.tasks.processors.processor import ModelDescription, Processor
from regard.text import Tokenizer


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


class ClassifyProcessor(Processor):
    """Reads texts, and names their labels, or those of their tokens."""

    can_cut = True

    def __init__(self, description: ModelDescription, tokenizer: Tokenizer | None) -> None:
        super().__init__(description, tokenizer)
        config = description.config
        assert isinstance(config, EncoderConfig | DecoderConfig)
        assert config.classify is not None
        self.labels: list[str] = labels_of(description.entries, config.classify.labels, str(description.folder))
        self.for_tokens: bool = config.classify.pool is None
        self.is_multiple: bool = description.entries.get("problem_type") == "multi_label_classification"

    def read(self, text: Text, number: int | None = None, *, cut: bool = False) -> EncodedText:
        return EncodedText(text, self.encode(text, number, cut=cut))

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

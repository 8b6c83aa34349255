"""Labels for texts, or for their tokens."""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import overload

import numpy as np

from regard.config import Config
from regard.models import Encoder
from regard.tasks.inputs import EncodedText, Text
from regard.tasks.processors.classify import Classification, ClassifyProcessor, TokenLabels
from regard.tasks.processors.processor import is_alone, read_all
from regard.tasks.purposes import can_classify
from regard.tasks.task import OnProgress, Task, as_array
from regard.text import Batch


class ClassifyTask(Task[ClassifyProcessor]):
    """Label texts: `classify("What a film!").label`; a pair of texts is a tuple.

    Scores are probabilities: of one label out of all, or of each by itself where the config says multi_label. A model
    with one label gives a number, not a probability.
    """

    name = "classify"
    processor_class = ClassifyProcessor

    @classmethod
    def serves(cls, config: Config, folder: Path) -> bool:
        return can_classify(config, folder)

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
        return self.processor.read(text, number, cut=cut)

    def run(self, texts: Sequence[EncodedText], *, progress: OnProgress | None = None) -> list[np.ndarray]:
        """The scores of all labels, (labels,) for each text, or (tokens, labels) where each token has one."""
        return self.in_batches([text.encoded for text in texts], self.score_batch, progress)

    def score_batch(self, batch: Batch) -> list[np.ndarray]:
        kwargs = {"segments": batch.segments} if isinstance(self.model, Encoder) else {}
        logits = self.model(batch.tokens, attention_mask=batch.attention_mask, **kwargs)
        if logits.shape[-1] > 1:
            logits = logits.sigmoid() if self.processor.is_multiple else logits.softmax(-1)
        rows = zip(logits, batch.attention_mask, strict=True)
        return [as_array(row[mask] if self.processor.for_tokens else row) for row, mask in rows]

    def answer(self, text: EncodedText, scores: np.ndarray) -> Classification | TokenLabels:
        return self.processor.answer(text, scores)

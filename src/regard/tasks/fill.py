"""Words that were left out."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import overload

from regard.config import Config
from regard.tasks.inputs import GappedText, Text
from regard.tasks.processors.fill import FilledText, FillProcessor, GapProbabilities
from regard.tasks.processors.processor import is_alone, read_all
from regard.tasks.purposes import can_fill
from regard.tasks.task import OnProgress, Task, as_array
from regard.text import Batch


class FillTask(Task[FillProcessor]):
    """Guess the words behind each mask: `fill("Paris is the [MASK] of France.").text`."""

    name = "fill"
    processor_class = FillProcessor

    @classmethod
    def serves(cls, config: Config, folder: Path) -> bool:
        return can_fill(config, folder)

    @overload
    def __call__(  # pyright: ignore[reportOverlappingOverload]  (a str is an iterable, too)
        self, text: Text, *, top: int = ..., first: int = ..., progress: OnProgress | None = ...
    ) -> FilledText: ...

    @overload
    def __call__(
        self, text: Iterable[Text], *, top: int = ..., first: int = ..., progress: OnProgress | None = ...
    ) -> list[FilledText]: ...

    def __call__(
        self, text: Text | Iterable[Text], *, top: int = 5, first: int = 1, progress: OnProgress | None = None
    ) -> FilledText | list[FilledText]:
        """Fill one text, or each of several, with the `top` likeliest words of every gap."""
        texts = read_all(text, self.read, first)
        answers = [self.answer(*pair) for pair in zip(texts, self.run(texts, top=top, progress=progress), strict=True)]
        return answers[0] if is_alone(text) else answers

    def read(self, text: Text, number: int | None = None, *, may_be_whole: bool = False) -> GappedText:
        """The tokens of a text and its gaps; one without gaps only where that may be."""
        return self.processor.read(text, number, may_be_whole=may_be_whole)

    def run(
        self, texts: Sequence[GappedText], *, top: int = 5, progress: OnProgress | None = None
    ) -> list[GapProbabilities]:
        """The `top` likeliest tokens of every gap."""

        def run_batch(batch: Batch) -> list[GapProbabilities]:
            probabilities = self.model(
                batch.tokens, segments=batch.segments, attention_mask=batch.attention_mask
            ).softmax(-1)
            likeliest = probabilities.topk(min(top, probabilities.shape[-1]))
            ids, values = as_array(likeliest.indices), as_array(likeliest.values)
            gaps = [list(texts[row].gaps) for row in batch.rows]
            return [GapProbabilities(ids[row, at], values[row, at]) for row, at in enumerate(gaps)]

        return self.in_batches([text.encoded for text in texts], run_batch, progress)

    def answer(self, text: GappedText, likeliest: GapProbabilities) -> FilledText:
        return self.processor.answer(text, likeliest)

"""A sentence that is translated among others, in one round or several."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from regard.serving.batching import Piece
from regard.serving.side_by_side import by_config

if TYPE_CHECKING:
    from regard.decoding.running import RunningText, RunningTexts
    from regard.tasks.inputs import SourceSentence
    from regard.tasks.protected import Rounds, WriteRequest


@dataclass(eq=False)
class TranslationJob:
    """A sentence while it is translated, in one round or several: what is to be written now, and each part of it."""

    piece: Piece
    rounds: "Rounds"
    request: "WriteRequest"
    parts: "list[tuple[SourceSentence, RunningText]]"
    is_apart: bool = False

    @property
    def problem(self) -> Exception | None:
        return next((text.problem for _, text in self.parts if text.problem is not None), None)

    @property
    def is_over(self) -> bool:
        return all(text.is_over for _, text in self.parts)


class TranslationWriter:
    """Sentences, each a source text of its own, as `TranslateTask.write_protected` writes them."""

    def __init__(self, task: Any, running: "RunningTexts") -> None:
        self.task = task
        self.running = running

    def begin(self, piece: Piece) -> TranslationJob:
        rounds = self.task.rounds([piece.content], piece.config)
        request = next(rounds)
        return TranslationJob(piece, rounds, request, self.parts(piece, request))

    def parts(self, piece: Piece, request: "WriteRequest") -> "list[tuple[SourceSentence, RunningText]]":
        from regard.decoding.running import RunningText

        sentences = [sentence for source in request.texts for sentence in source.sentences if sentence.encoded]
        return [(sentence, RunningText(is_wanted=lambda: piece.is_wanted)) for sentence in sentences]

    def join(self, jobs: Sequence[TranslationJob], *, is_apart: bool = False) -> None:
        parts = by_config((job.request.config, part) for job in jobs for part in job.parts)
        for config, group in parts:
            sentences, texts = zip(*group, strict=True)
            self.task.join(self.running, sentences, texts, config, is_apart=is_apart)

    def finish(self, job: TranslationJob) -> bool:
        """Whether that was the last round; else the next is there to join."""
        from regard.tasks.decode_batch import with_prefix
        from regard.tasks.translation import WrittenTranslation

        results = iter([with_prefix(text.result, sentence.prefix) for sentence, text in job.parts if text.result])
        written = [
            WrittenTranslation(
                tuple(next(results) if sentence.encoded else None for sentence in source.sentences),
                job.request.config.num_hypotheses,
            )
            for source in job.request.texts
        ]
        try:
            job.request = job.rounds.send(written)
        except StopIteration as end:
            (source,), (result,) = end.value
            job.piece.result = source, result
            return True
        job.parts = self.parts(job.piece, job.request)
        return False

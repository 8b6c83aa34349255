"""Texts of a request become translations: read, written among the texts of others, and answered."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from regard.serving.batching import Piece
from regard.serving.metrics import ServiceMetrics
from regard.serving.refusals import Refusal
from regard.serving.served_model import ServedModel
from regard.serving.writing import WriteKey, edited

if TYPE_CHECKING:
    from regard.tasks.inputs import Reading, SourceText
    from regard.tasks.translation import Translation, WrittenTranslation
    from regard.tasks.translation_input import TranslationInput
    from regard.text.documents import OpenDocument
    from regard.text.spans import Protection


@dataclass(frozen=True)
class TranslationSettings:
    """How texts are to be translated; what is not said, the model's folder says."""

    num_hypotheses: int = 1
    markup: str | None = None
    split: bool | None = None
    protect: "bool | Protection" = True
    max_new_tokens: int | None = None
    edits: str = ""


@dataclass(frozen=True)
class ServedTranslation:
    """A translation, and what one more pass has to read to look into it: of each sentence, in their order."""

    translation: "Translation"
    readings: "tuple[Reading, ...]"


async def translate(
    model: ServedModel, texts: Sequence[str], settings: TranslationSettings, client: str, metrics: ServiceMetrics
) -> list[ServedTranslation]:
    """The translation of each text."""
    task: Any = model.can("translate")

    def read() -> "TranslationInput":
        return task.read_texts(
            texts, range(1, len(texts) + 1), split=settings.split, markup=settings.markup, protect=settings.protect
        )

    answers = await write_and_answer(model, await asyncio.to_thread(read), settings, client)
    count_work(metrics, model, texts, answers)
    return answers


async def translate_document(
    model: ServedModel, document: "OpenDocument", settings: TranslationSettings, client: str, metrics: ServiceMetrics
) -> str | bytes:
    """A document with all its texts translated."""
    from regard.tasks.markup import with_answers

    task: Any = model.can("translate")
    read = await asyncio.to_thread(task.read_document, document, split=settings.split, protect=settings.protect)
    answers = await write_and_answer(model, read, settings, client)
    count_work(metrics, model, read.originals, answers)
    return await asyncio.to_thread(with_answers, document, [answer.translation for answer in answers])


def count_work(
    metrics: ServiceMetrics, model: ServedModel, texts: Sequence[str], answers: Sequence[ServedTranslation]
) -> None:
    tokens = sum(len(answer.translation.ids) for answer in answers)
    metrics.work(model.name, texts=len(texts), letters=sum(map(len, texts)), tokens=tokens)


async def write_and_answer(
    model: ServedModel, read: "TranslationInput", settings: TranslationSettings, client: str
) -> list[ServedTranslation]:
    """What was read, written sentence by sentence in whatever company there is, and put together again."""
    task: Any = model.can("translate")
    check_lengths(read, model.batcher.limits.text_tokens)
    config = task.generation_config(
        num_hypotheses=settings.num_hypotheses, precision=model.precision, max_new_tokens=settings.max_new_tokens
    )
    pieces = [Piece(sentence, len(sentence.sentences[0].encoded or ()), config) for sentence in read.sentences]
    await model.batcher.submit(WriteKey("translate", model.precision, settings.edits), pieces, client)

    def answer() -> list[ServedTranslation]:
        sources, written = read.join_sentences([piece.result for piece in pieces], config.num_hypotheses)
        with edited(task, settings.edits):
            translations = task.answer_texts(read, sources, written, config.num_hypotheses)
        readings = readings_of(task, read, sources, written)
        return [ServedTranslation(*pair) for pair in zip(translations, readings, strict=True)]

    return await asyncio.to_thread(answer)


def check_lengths(read: "TranslationInput", most: int) -> None:
    """Raise where a text, or a part between tags, is longer than may be aligned."""
    for number, source in enumerate(read.sources, 1):
        tokens = sum(len(sentence.encoded or ()) for sentence in source.sentences)
        if tokens > most:
            line = f"text {number} has {tokens} tokens, at most {most} expected: send its paragraphs as a list"
            raise Refusal(413, line, code="text_too_long")


def readings_of(
    task: Any,
    read: "TranslationInput",
    sources: "Sequence[SourceText]",
    written: "Sequence[WrittenTranslation]",
) -> "list[tuple[Reading, ...]]":
    """What was read and written for each text, of a text with tags for each of its pieces."""
    by_source = [tuple(task.readings(*pair, is_whole=True)) for pair in zip(sources, written, strict=True)]
    if read.pages is None:
        return by_source
    remaining = iter(by_source)
    return [tuple(reading for _ in page.texts for reading in next(remaining)) for page in read.pages]

"""One text becomes another.

This file is long because a task says here what each of its steps takes and gives, and what a call says of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack, overload

import numpy as np

from regard.config import Config, DecoderConfig
from regard.decoding.hypothesis import DecodeResult
from regard.decoding.progress import OnStep
from regard.errors import CheckpointError, RegardError, lookup
from regard.tasks.decode_batch import BatchOptions, decode_batch, join_batch, with_prefix
from regard.tasks.generation_config import GenerationConfig, GenerationOptions
from regard.tasks.inputs import Reading, SourceSentence, SourceText, text_list
from regard.tasks.processors.translate import TranslateProcessor
from regard.tasks.protected import ProtectedWriter, Rounds, WriteRequest, with_coverage, write_rounds
from regard.tasks.purposes import can_translate
from regard.tasks.signs import has_tags, without_mnemonic
from regard.tasks.source_layers import default_alignment_heads
from regard.tasks.task import LightModel, OnProgress, as_array
from regard.tasks.translation import (
    KnownAlignment,
    Translation,
    TranslationDraft,
    WrittenTranslation,
    best_translation,
)
from regard.tasks.translation_input import TranslationInput
from regard.tasks.warnings import may_lack_words
from regard.tasks.writing_task import WritingTask
from regard.text.align.heads import AlignmentHeads
from regard.text.batching import ArrayBatch, array_batch, array_rows
from regard.text.spans import Protection, protection_of
from regard.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from regard.attention import Pattern
    from regard.checkpoints import Checkpoint
    from regard.decoding.running import RunningText, RunningTexts
    from regard.tasks.alignment import Alignment
    from regard.tasks.markup import TranslatedDocument
    from regard.tasks.replay import Translator
    from regard.text.documents import OpenDocument


class TranslateTask(WritingTask[TranslateProcessor]):
    """Translate, or rewrite in whatever way the model learned: `translate("Where is the station?").text`."""

    name = "translate"
    processor_class = TranslateProcessor
    model: "Translator"  # pyright: ignore[reportIncompatibleMethodOverride]  (a property of Task)

    def __init__(self, checkpoint: "Checkpoint | LightModel", tokenizer: Tokenizer | None) -> None:
        super().__init__(checkpoint, tokenizer)
        self.alignment_heads: AlignmentHeads = self.own_alignment_heads() or default_alignment_heads(self.config)

    @classmethod
    def serves(cls, config: Config, folder: Path) -> bool:
        return can_translate(config, folder)

    @overload
    def __call__(  # pyright: ignore[reportOverlappingOverload]  (a str is an iterable, too)
        self,
        text: str,
        *,
        stream: Literal[False] = ...,
        language: str | None = ...,
        split: bool | None = ...,
        markup: str | None = ...,
        protect: bool | Protection = ...,
        prefix: str = ...,
        first: int = ...,
        progress: OnProgress | None = ...,
        **options: Unpack[GenerationOptions],
    ) -> Translation: ...

    @overload
    def __call__(
        self,
        text: str,
        *,
        stream: Literal[True],
        language: str | None = ...,
        split: bool | None = ...,
        markup: str | None = ...,
        protect: bool | Protection = ...,
        prefix: str = ...,
        first: int = ...,
        progress: OnProgress | None = ...,
        **options: Unpack[GenerationOptions],
    ) -> Iterator[str]: ...

    @overload
    def __call__(
        self,
        text: Iterable[str],
        *,
        stream: Literal[False] = ...,
        language: str | None = ...,
        split: bool | None = ...,
        markup: str | None = ...,
        protect: bool | Protection = ...,
        prefix: str = ...,
        first: int = ...,
        progress: OnProgress | None = ...,
        **options: Unpack[GenerationOptions],
    ) -> list[Translation]: ...

    def __call__(
        self,
        text: str | Iterable[str],
        *,
        stream: bool = False,
        language: str | None = None,
        split: bool | None = None,
        markup: str | None = None,
        protect: bool | Protection = True,
        prefix: str = "",
        first: int = 1,
        progress: OnProgress | None = None,
        **options: Unpack[GenerationOptions],
    ) -> Translation | list[Translation] | Iterator[str]:
        """Translate one text, or each of several.

        What is not said (`GenerationOptions` has all) is read from the folder, generation_config.json: a beam of its
        `num_beams`, of 1 where it has none. `language` is for models that write several: "fra" or ">>fra<<".

        `split` translates sentence by sentence and puts the gaps of the text between; unless it is said, models that
        learned from sentences (Marian's) do. A sentence that is too long is then cut after a clause or between
        words. An empty text stays empty.

        `protect` keeps placeholders, addresses, amounts, code and the like as they are (text/spans.py); a `Protection`
        says which, and has a glossary. Every translation begins with `prefix`.

        `markup="html"` carries tags over to the words that they belong to (text/markup.py, tasks/markup.py).

        `stream=True` gives the text of one translation, sentence after sentence as they are written.
        """
        config = self.generation_config(**options)
        if stream and (not isinstance(text, str) or config.num_hypotheses > 1):
            raise RegardError("one text can be streamed, and one translation of it, got several")
        texts = text_list(text)
        numbers = [None] if isinstance(text, str) else range(first, first + len(texts))
        read = self.read_texts(
            texts, numbers, language=language, split=split, markup=markup, protect=protect, prefix=prefix
        )
        if stream and read.pages is None and not (read.protection and read.protection.mnemonic):
            return self.stream_text(read.sources[0], config)
        answers = self.translate_all(read, config, progress=progress if read.pages is None else None)
        if stream:  # tags and keys are put into a text when all of it is there
            return iter([answers[0].text])
        return answers[0] if isinstance(text, str) else answers

    def stream_text(self, source: SourceText, config: GenerationConfig) -> Iterator[str]:
        """The translation of a text, sentence after sentence. Whoever looks is shown all of them at the end."""
        readings: list[Reading] = []
        for sentence in source.sentences:
            with self.unwatched():
                sources, written = self.write_protected([replace(source, sentences=(sentence,))], config)
            readings += self.readings(sources[0], written[0])
            if part := "".join(self.processor.drafts(sources[0], written[0])[0].texts):
                yield part
        self.show(readings)

    def translate_document(
        self,
        document: "OpenDocument",
        *,
        language: str | None = None,
        split: bool | None = None,
        protect: bool | Protection = True,
        progress: OnProgress | None = None,
        **options: Unpack[GenerationOptions],
    ) -> "TranslatedDocument":
        """A document of any format (text/formats) with all its texts translated, each with its marks."""
        from regard.tasks.markup import TranslatedDocument, with_answers

        config = replace(self.generation_config(**options), num_hypotheses=1)
        read = self.read_document(document, language=language, split=split, protect=protect)
        answers = self.translate_all(read, config, progress=progress)
        return TranslatedDocument(with_answers(document, answers), tuple(answers))

    def read_texts(
        self,
        texts: Sequence[str],
        numbers: Iterable[int | None],
        *,
        language: str | None = None,
        split: bool | None = None,
        markup: str | None = None,
        protect: bool | Protection = True,
        prefix: str = "",
    ) -> TranslationInput:
        """Several texts as the model reads them, those with tags in pieces; messages call each by its number."""
        code = "" if language is None else self.processor.code(language)
        protection = protection_of(protect, has_objects=markup is not None)
        inputs = list(texts)
        if protection is not None and protection.mnemonic:
            inputs = [without_mnemonic(item, protection.mnemonic) for item in inputs]
        if markup is None and protection is not None and any(map(has_tags, inputs)):
            markup = "tags"
        parts, pages = inputs, None
        if markup is not None:
            from regard.tasks.markup import Page, segments

            pages = tuple(Page.read(item, markup) for item in inputs)
            parts, numbers = segments(pages, numbers)
        sources = [
            self.read(*pair, code=code, split=split, protection=protection) for pair in zip(parts, numbers, strict=True)
        ]
        sources = [self.processor.with_prefix(source, prefix) for source in sources] if prefix else sources
        marked = [False] * len(sources)
        if pages is not None:
            marked = [bool(part.marks) for page in pages for part in page.document.segments]
        return TranslationInput(tuple(texts), tuple(sources), tuple(marked), pages, protection)

    def read_document(
        self,
        document: "OpenDocument",
        *,
        language: str | None = None,
        split: bool | None = None,
        protect: bool | Protection = True,
    ) -> TranslationInput:
        """The texts of a document as the model reads them."""
        code = "" if language is None else self.processor.code(language)
        protection = protection_of(protect, has_objects=True)
        parts = document.segments
        sources = [
            self.read(part.text, number, code=code, split=split, protection=protection)
            for number, part in enumerate(parts, 1)
        ]
        marked = tuple(bool(part.marks) for part in parts)
        return TranslationInput(
            tuple(part.text for part in parts),
            tuple(sources),
            marked,
            None,
            protection if protection is None else replace(protection, mnemonic=""),
        )

    def translate_all(
        self, read: TranslationInput, config: GenerationConfig, *, progress: OnProgress | None = None
    ) -> list[Translation]:
        """The translations of what was read."""
        with self.unwatched():
            sources, written = self.write_protected(read.sources, config, progress=progress)
        if self.is_watched:
            pairs = zip(sources, written, strict=True)
            self.show([reading for pair in pairs for reading in self.readings(*pair)])
        return self.answer_texts(read, sources, written, config.num_hypotheses)

    def answer_texts(
        self,
        read: TranslationInput,
        sources: Sequence[SourceText],
        written: Sequence[WrittenTranslation],
        num_hypotheses: int = 1,
    ) -> list[Translation]:
        """The translations of texts: from the `sources` that were read for each in the end, and what was written."""
        lacks = [
            read.protection is not None and any(map(may_lack_words, source.sentences, one.choices[0]))
            for source, one in zip(sources, written, strict=True)
        ]
        flags = [early or lack for early, lack in zip(read.is_aligned, lacks, strict=True)]
        answers = self.answers(sources, written, is_aligned=flags)
        answers = [with_coverage(answer) if lack else answer for answer, lack in zip(answers, lacks, strict=True)]
        return read.put_back(answers, num_hypotheses)

    def own_alignment_heads(self) -> AlignmentHeads | None:
        """Which heads are read as an alignment, where the folder says so."""
        settings = self.processor.settings
        try:
            return AlignmentHeads.read(settings.alignment) if settings.alignment else None
        except RegardError as problem:
            raise CheckpointError(f"{settings.settings('alignment').where}: alignment: {problem}") from None

    def generation_config(self, **options: Unpack[GenerationOptions]) -> GenerationConfig:
        """How to write: as the caller says, and for all else as the folder says."""
        return self.processor.generation_config(**options)

    def read(
        self,
        text: str,
        number: int | None = None,
        *,
        code: str = "",
        split: bool | None = None,
        protection: Protection | None = None,
    ) -> SourceText:
        """The sentences of a text, or all of it, as the model reads them; `code` asks for a language. With a
        `protection`, they know the spans that are to stay as they are: `write_protected` sees to that."""
        return self.processor.read(text, number, code=code, split=split, protection=protection)

    def write(
        self,
        sources: Sequence[SourceText],
        config: GenerationConfig,
        *,
        tree: bool = False,
        on_step: OnStep | None = None,
        progress: OnProgress | None = None,
    ) -> list[WrittenTranslation]:
        """The hypotheses for each sentence of each text; `tree` keeps how a beam search came to them. `on_step` is told
        how far those are that are written side by side, `progress` how many texts are done."""
        report = progress or (lambda count: None)
        sentences = [
            (text, sentence) for text, source in enumerate(sources) for sentence in source.sentences if sentence.encoded
        ]
        remaining = [sum(bool(sentence.encoded) for sentence in source.sentences) for source in sources]
        report(remaining.count(0))

        def write_batch(batch: ArrayBatch) -> list[DecodeResult]:
            texts = [sentences[row][0] for row in batch.rows]
            prefixes = [sentences[row][1].prefix for row in batch.rows]
            results = self.decode_batch(batch, config.for_texts(texts), tree, on_step, prefixes)
            for text in texts:
                remaining[text] -= 1
            report(sum(remaining[text] == 0 for text in set(texts)))
            return results

        results = iter(self.in_batches([sentence.tokens for _, sentence in sentences], write_batch, None))
        return [
            WrittenTranslation(
                tuple(next(results) if sentence.encoded else None for sentence in source.sentences),
                config.num_hypotheses,
            )
            for source in sources
        ]

    def write_protected(
        self,
        sources: Sequence[SourceText],
        config: GenerationConfig,
        *,
        on_step: OnStep | None = None,
        progress: OnProgress | None = None,
    ) -> tuple[list[SourceText], list[WrittenTranslation]]:
        """The same with all protected spans whole, and nothing left out: what was read in the end, which may be cut
        after clauses or have stand-ins for spans, and the hypotheses for it. All is as it is read without a
        `protection`."""
        if all(source.protection is None for source in sources):
            return list(sources), self.write(sources, config, on_step=on_step, progress=progress)

        def write(texts: Sequence[SourceText], config: GenerationConfig) -> list[WrittenTranslation]:
            return self.write(texts, config, on_step=on_step)

        result = write_rounds(self.rounds(sources, config), write)
        if progress is not None:
            progress(len(sources))
        return result

    def rounds(self, sources: Sequence[SourceText], config: GenerationConfig) -> Rounds:
        """What `write_protected` has written, one request after the other, for whoever writes it among other things."""
        if all(source.protection is None for source in sources):
            return list(sources), (yield WriteRequest(sources, config))
        return (yield from ProtectedWriter(self.processor, config).rounds(sources))

    def join(
        self,
        running: "RunningTexts",
        sentences: Sequence[SourceSentence],
        texts: "Sequence[RunningText]",
        config: GenerationConfig,
        *,
        is_apart: bool = False,
    ) -> None:
        """Sentences that have tokens are written among others from now on; the result of each is in its text when it is
        there."""
        encoded = [sentence.tokens for sentence in sentences]
        batch = array_batch(encoded, tuple(range(len(encoded))), self.processor.padding or 0, self.side)
        source, options = self.decode_options(batch, config, [sentence.prefix for sentence in sentences])
        join_batch(running, texts, source, config, **options, is_apart=is_apart)

    def decode_batch(
        self,
        batch: ArrayBatch,
        config: GenerationConfig,
        tree: bool,
        on_step: OnStep | None,
        prefixes: Sequence[Sequence[int]] = (),
    ) -> list[DecodeResult]:
        """What is written for sources that stand side by side: after a start, or after the source and a start.
        `prefixes` are what their translations begin with, and part of them."""
        source, options = self.decode_options(batch, config, prefixes)
        results = decode_batch(self.writer, source, config=config, **options, tree=tree, on_step=on_step)
        return [with_prefix(*pair) for pair in zip(results, prefixes, strict=True)] if any(prefixes) else results

    def decode_options(
        self, batch: ArrayBatch, config: GenerationConfig, prefixes: Sequence[Sequence[int]] = ()
    ) -> tuple[np.ndarray | None, "BatchOptions"]:
        """What a search is given: sources, if the model reads any, what texts begin with, how long they may be."""
        begins = [(self.processor.start(), *prefix) for prefix in prefixes or [()] * len(batch.rows)]
        tokens, mask = array_rows(begins)
        limit = self.processor.max_new_tokens(config.max_new_tokens)
        source: np.ndarray | None = batch.tokens
        source_mask: np.ndarray | None = batch.attention_mask
        limits = [limit] * len(tokens)
        if isinstance(self.config, DecoderConfig):
            mask = np.ones_like(tokens, dtype=np.bool_) if mask is None else mask
            tokens, mask = np.concatenate([batch.tokens, tokens], 1), np.concatenate([batch.attention_mask, mask], 1)
            source = source_mask = None
            lengths = mask.sum(1).tolist()
            limits = [min(limit, (self.max_length or limit + length) - length) for length in lengths]
        return source, BatchOptions(
            prefix=tokens, attention_mask=source_mask, prefix_attention_mask=mask, max_new_tokens=limits
        )

    def answer(
        self, source: SourceText, written: WrittenTranslation, seen: "Sequence[Mapping[str, Pattern]] | None" = None
    ) -> Translation:
        """The translation. `seen` are the patterns of a pass over each of its `readings`, if somebody watched one: then
        the alignment is read off them."""
        if seen is None:
            return self.answers([source], [written])[0]
        best, *others = drafts = self.processor.drafts(source, written)
        known = KnownAlignment(self.seen_alignment(best, seen))
        return best_translation(drafts, [known, *map(self.lazy_alignment, others)])

    def answers(
        self,
        sources: Sequence[SourceText],
        written: Sequence[WrittenTranslation],
        *,
        is_aligned: bool | Sequence[bool] = False,
    ) -> list[Translation]:
        """The translations; alignments are worked out when they are asked for, or at once: if that is known to happen,
        for all texts or for some, and under edits, which may be gone later."""
        drafts = [self.processor.drafts(*pair) for pair in zip(sources, written, strict=True)]
        is_edited_now = self.is_edited
        at_once = [is_aligned] * len(drafts) if isinstance(is_aligned, bool) else is_aligned
        at_once = [flag or is_edited_now for flag in at_once]
        aligned = [draft for text_drafts, flag in zip(drafts, at_once, strict=True) if flag for draft in text_drafts]
        known = iter(self.current_alignments(aligned))
        return [
            best_translation(
                text_drafts,
                [KnownAlignment(next(known)) if flag else self.lazy_alignment(draft) for draft in text_drafts],
            )
            for text_drafts, flag in zip(drafts, at_once, strict=True)
        ]

    def readings(self, source: SourceText, written: WrittenTranslation, *, is_whole: bool = False) -> list[Reading]:
        """What a watched pass over a text and its best translation reads, for each sentence: what the last token was
        written from, or all of it, that token included."""
        return self.processor.readings(source, written, is_whole=is_whole)

    def seen_alignment(self, draft: TranslationDraft, seen: "Sequence[Mapping[str, Pattern]]") -> "Alignment":
        """The alignment, read off the patterns of each sentence."""
        weights = [
            {layer: lookup(patterns, layer, "layer") for layer in self.alignment_heads.layers} for patterns in seen
        ]
        from regard.tasks.replay import source_weights

        readings = self.processor.draft_readings(draft)
        rows = [
            as_array(self.alignment_heads.of(source_weights(patterns, reading)))
            for patterns, reading in zip(weights, readings, strict=True)
        ]
        return draft.alignment(rows)

    def lazy_alignment(self, draft: TranslationDraft) -> "Callable[[], Alignment]":
        """The alignment, worked out when it is asked for, whoever looks or edits by then."""
        heads = self.alignment_heads

        def align() -> "Alignment":
            return draft.alignment(self.alignment_weights(self.processor.draft_readings(draft), heads))

        return align

    def current_alignments(self, drafts: Sequence[TranslationDraft]) -> "list[Alignment]":
        """The alignments under the edits that are at work now, all from one pass."""
        readings = [self.processor.draft_readings(draft) for draft in drafts]
        everything = [reading for draft_readings in readings for reading in draft_readings]
        weights = iter(self.alignment_weights(everything, self.alignment_heads, is_edited=True))
        return [
            draft.alignment(list(islice(weights, len(draft_readings))))
            for draft, draft_readings in zip(drafts, readings, strict=True)
        ]

    def alignment_weights(
        self, readings: Sequence[Reading], heads: AlignmentHeads, *, is_edited: bool = False
    ) -> list[np.ndarray]:
        """How much each target token looked at each source token, (target, source) for every reading: under the edits
        that are at work now, or without any."""
        if (light := self.folder_model) is not None:
            from regard.tasks.engine_looks import folder_alignment_weights

            return folder_alignment_weights(light, readings, heads)
        from regard.tasks import replay

        weights = replay.alignment_weights if is_edited else replay.unedited_alignment_weights
        return weights(self.model, readings, self.device, heads)

    @property
    def is_edited(self) -> bool:
        """Whether somebody may change something in the model now."""
        if self.folder_model is not None:
            return False
        from regard.tasks.replay import is_edited

        return is_edited(self.model)

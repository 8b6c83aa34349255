"""One text becomes another."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Unpack, overload

import numpy as np
import torch

from regard.attention import Pattern
from regard.attention.taps import unwatched
from regard.checkpoints import Checkpoint, CheckpointError
from regard.checkpoints.files import CONFIG
from regard.config import Config
from regard.decoding import Constraints, DecodeResult, OnStep
from regard.errors import lookup
from regard.models import AlignerConfig, Decoder, DecoderConfig, TransformerConfig
from regard.tasks.alignment import Alignment
from regard.tasks.generation_config import GENERATION, FolderGenerationConfig, GenerationConfig, GenerationOptions
from regard.tasks.inputs import Reading, SourceSentence, SourceText
from regard.tasks.markup import Page, put_back, segments
from regard.tasks.replay import (
    Translator,
    alignment_weights,
    decoder_input,
    default_alignment_heads,
    is_edited,
    is_watched,
    replay,
    source_weights,
    unedited_alignment_weights,
)
from regard.tasks.task import OnProgress, Task, TextTooLong, as_array, settings_of, text_name
from regard.tasks.translation import KnownAlignment, Translation, TranslationDraft, WrittenTranslation
from regard.text import Batch, Encoded, Tokenizer, TokenizerError
from regard.text.capitals import is_in_capitals, to_sentence_case
from regard.text.sentences import split as sentences
from regard.text.sentences import split_long

START = "decoder_start_token_id"
ENOUGH = 512  # tokens, where a folder does not say how long a translation may become
BY_SENTENCE = {"marian", "alignment", "transformer", "decoder"}  # learned from sentences; others from whole texts


class TranslateTask(Task):
    """Translate, or rewrite in whatever way the model learned: `translate("Where is the station?").text`."""

    name = "translate"
    model: Translator

    def __init__(self, checkpoint: Checkpoint, tokenizer: Tokenizer | None) -> None:
        super().__init__(checkpoint, tokenizer)
        self.settings = FolderGenerationConfig(checkpoint)
        self.alignment_heads = self.settings.alignment_heads() or default_alignment_heads(self.model)
        self.capitals = self.settings.capitals()
        self.splits = checkpoint.config.get("kind", checkpoint.config.get("model_type")) in BY_SENTENCE

    @classmethod
    def serves(cls, config: Config, folder: Path) -> bool:
        """A model of two parts can; one that only reads on if it learned to, after a token that its folder names."""
        if not isinstance(config, TransformerConfig | AlignerConfig | DecoderConfig) or config.output is None:
            return False
        files = (settings_of(folder, file) for file in (GENERATION, CONFIG))
        return not isinstance(config, DecoderConfig) or any(file.get(START) is not None for file in files)

    @overload
    def __call__(  # pyright: ignore[reportOverlappingOverload]  (a str is an iterable, too)
        self,
        text: str,
        *,
        language: str | None = ...,
        split: bool | None = ...,
        markup: str | None = ...,
        first: int = ...,
        progress: OnProgress | None = ...,
        **options: Unpack[GenerationOptions],
    ) -> Translation: ...

    @overload
    def __call__(
        self,
        text: Iterable[str],
        *,
        language: str | None = ...,
        split: bool | None = ...,
        markup: str | None = ...,
        first: int = ...,
        progress: OnProgress | None = ...,
        **options: Unpack[GenerationOptions],
    ) -> list[Translation]: ...

    def __call__(
        self,
        text: str | Iterable[str],
        *,
        language: str | None = None,
        split: bool | None = None,
        markup: str | None = None,
        first: int = 1,
        progress: OnProgress | None = None,
        **options: Unpack[GenerationOptions],
    ) -> Translation | list[Translation]:
        """Translate one text, or each of several.

        What is not said (`GenerationOptions` has all) is read from the folder, generation_config.json: a beam of its
        `num_beams`, of 1 where it has none. `language` is for models that write several: "fra" or ">>fra<<".

        `split` translates sentence by sentence and puts the gaps of the text between; unless it is said, models that
        learned from sentences (Marian's) do. A sentence that is too long is then cut after a clause or between
        words. An empty text stays empty.

        `markup="html"` carries tags over to the words that they belong to (text/markup.py, tasks/markup.py).
        """
        config = self.generation_config(**options)
        code = "" if language is None else self.code(language)
        inputs = [text] if isinstance(text, str) else list(text)
        numbers = [None] if isinstance(text, str) else range(first, first + len(inputs))
        pages = None if markup is None else [Page.read(item, markup) for item in inputs]
        texts, numbers = (inputs, numbers) if pages is None else segments(pages, numbers)
        sources = [self.read(*pair, code=code, split=split) for pair in zip(texts, numbers, strict=True)]
        with unwatched():
            written = self.write(sources, config, progress=progress if pages is None else None)
        if is_watched(self.model):
            pairs = zip(sources, written, strict=True)
            replay(self.model, [reading for pair in pairs for reading in self.readings(*pair)], self.device)
        answers = self.answers(sources, written, is_aligned=pages is not None)
        answers = answers if pages is None else put_back(pages, answers, config.num_hypotheses)
        return answers[0] if isinstance(text, str) else answers

    def generation_config(self, **options: Unpack[GenerationOptions]) -> GenerationConfig:
        """How to write: as the caller says, and for all else as the folder says."""
        return self.settings.generation_config(**options, constraints=self.constraints())

    def max_new_tokens(self, requested: int | None) -> int:
        """Tokens of a translation at most; what a folder says counts the token that one begins with."""
        folder_limit = self.settings.length("max_length")
        default = folder_limit - 1 if folder_limit else min(ENOUGH, self.max_length or ENOUGH)
        limit, most = requested or self.settings.length("max_new_tokens") or default, self.max_target_length()
        return limit if most is None else min(limit, most)

    def read(self, text: str, number: int | None = None, *, code: str = "", split: bool | None = None) -> SourceText:
        """The sentences of a text, or all of it, as the model reads them; `code` asks for a language."""
        if not isinstance(text, str):
            raise TokenizerError(f"{text_name(number)} is a pair; one text can be translated")
        is_split = self.splits if split is None else split
        if not is_split or not text.strip():
            encoded = self.read_source(text, number, code) if text.strip() else None
            return SourceText(text, (SourceSentence(text, "", encoded, code=code, is_capital=self.lowers(text)),))
        result: list[SourceSentence] = []
        begin = 0
        for sentence, gap in sentences(text):
            for part, space in self.split_to_fit(sentence, gap, number, code):
                encoded = self.read_source(part, number, code) if part else None
                result.append(SourceSentence(part, space, encoded, begin, code, self.lowers(part)))
                begin += len(part) + len(space)
        return SourceText(text, tuple(result))

    def split_to_fit(self, sentence: str, gap: str, number: int | None, code: str) -> list[tuple[str, str]]:
        """A sentence, in parts if it is too long to be read at once, and the gap after each."""
        max_length = self.max_source_length
        if max_length is None or 4 * len(sentence) + 8 < max_length:  # no letter is more than four bytes
            return [(sentence, gap)]

        def fits(part: str) -> bool:
            return len(self.encode_source(part, code)) <= max_length

        split_parts = split_long(sentence, fits)
        if not split_parts:
            raise TextTooLong(
                f"{text_name(number)} has a word of more tokens than the {max_length} that the model reads, and "
                f"nowhere to cut it: {sentence[:40]}…"
            )
        return [*split_parts[:-1], (split_parts[-1][0], gap)]

    def lowers(self, text: str) -> bool:
        """Whether a text is in capitals that the model has not learned: read as a sentence, and answered large."""
        return not self.capitals and is_in_capitals(text)

    def encode_source(self, text: str, code: str) -> Encoded:
        text = to_sentence_case(text) if self.lowers(text) else text
        return self.tokenizer.encode(f"{code}{text}", special=[code] if code else [])

    def read_source(self, text: str, number: int | None, code: str) -> Encoded:
        encoded, most = self.encode_source(text, code), self.max_source_length
        if most is not None and len(encoded) > most:
            line = f"{text_name(number)} has {len(encoded)} tokens, the model reads at most {most}"
            raise TextTooLong(f"{line}; split=True (--split) translates it sentence by sentence")
        return encoded

    def code(self, language: str) -> str:
        """The token that asks for a language."""
        codes = sorted(token for token in self.tokenizer.vocabulary if token.startswith(">>") and token.endswith("<<"))
        code = language if language.startswith(">>") else f">>{language}<<"
        if code not in codes:
            list_of_codes = ", ".join(codes) if codes else "no code is needed or known"
            raise TokenizerError(f"no language {language!r}: {list_of_codes}")
        return code

    @property
    def max_source_length(self) -> int | None:
        """As many tokens as are read at once; in one stream there has to be room for the start and for one more."""
        return self.max_length - 2 if self.max_length and isinstance(self.model, Decoder) else self.max_length

    def max_target_length(self) -> int | None:
        """As many tokens as the decoder has positions for; None: any number."""
        if isinstance(self.model.config, AlignerConfig):
            return None
        position = self.model.config.decoder.position
        return position.settings["length"] if position.kind == "learned" else None

    def constraints(self, min_new_tokens: int | None = None) -> Constraints:
        """What may be written; at least so many tokens, or as many as the folder says."""
        settings = self.settings
        if min_new_tokens is None:
            min_new_tokens = settings.length("min_new_tokens") or max(0, (settings.length("min_length") or 0) - 1)
        constraints = settings.constraints(self.tokenizer.target.specials, min_new_tokens)
        first, last = settings.number("forced_bos_token_id"), settings.number("forced_eos_token_id")
        return replace(constraints, first=first, last=last)

    def start(self) -> int:
        """The token that a translation begins with."""
        for key in (START, "bos_token_id"):
            if (number := self.settings.number(key)) is not None:
                return number
        raise CheckpointError(f"{self.checkpoint.folder}: no {START} says what a text begins with")

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

        def write_batch(batch: Batch) -> list[DecodeResult]:
            texts = [sentences[row][0] for row in batch.rows]
            results = self.decode_batch(batch, config.for_texts(texts), tree, on_step)
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

    def decode_batch(
        self, batch: Batch, config: GenerationConfig, tree: bool, on_step: OnStep | None
    ) -> list[DecodeResult]:
        """What is written for sources that stand side by side: after a start, or after the source and a start."""
        start = torch.full((len(batch.rows), 1), self.start(), device=batch.tokens.device)
        limit = self.max_new_tokens(config.max_new_tokens)
        if not isinstance(self.model, Decoder):
            return config.decode_batch(
                self.model,
                batch.tokens,
                start,
                attention_mask=batch.attention_mask,
                max_new_tokens=[limit] * len(start),
                tree=tree,
                on_step=on_step,
            )
        lengths = (batch.attention_mask.sum(1) + 1).tolist()
        return config.decode_batch(
            self.model,
            None,
            torch.cat([batch.tokens, start], 1),
            prefix_attention_mask=torch.cat([batch.attention_mask, torch.ones_like(start, dtype=torch.bool)], 1),
            max_new_tokens=[min(limit, (self.max_length or limit + length) - length) for length in lengths],
            tree=tree,
            on_step=on_step,
        )

    def answer(
        self, source: SourceText, written: WrittenTranslation, seen: Sequence[Mapping[str, Pattern]] | None = None
    ) -> Translation:
        """The translation. `seen` are the patterns of a pass over each of its `readings`, if somebody watched one: then
        the alignment is read off them."""
        if seen is None:
            return self.answers([source], [written])[0]
        best, *others = self.drafts(source, written)
        weights = [
            {layer: lookup(patterns, layer, "layer") for layer in self.alignment_heads.layers} for patterns in seen
        ]
        readings = self.draft_readings(best)
        rows = [
            as_array(self.alignment_heads.of(source_weights(patterns, reading)))
            for patterns, reading in zip(weights, readings, strict=True)
        ]
        alternatives = [other.translation(self.lazy_alignment(other)) for other in others]
        return best.translation(KnownAlignment(best.alignment(rows)), alternatives)

    def answers(
        self, sources: Sequence[SourceText], written: Sequence[WrittenTranslation], *, is_aligned: bool = False
    ) -> list[Translation]:
        """The translations; alignments are worked out when they are asked for, or at once: if that is known to happen,
        and under edits, which may be gone later."""
        drafts = [self.drafts(*pair) for pair in zip(sources, written, strict=True)]
        all_drafts = [draft for text_drafts in drafts for draft in text_drafts]
        align = iter(
            self.current_alignments(all_drafts)
            if is_aligned or is_edited(self.model)
            else map(self.lazy_alignment, all_drafts)
        )
        answers = []
        for best, *others in drafts:
            best_alignment = next(align)
            answers.append(best.translation(best_alignment, [other.translation(next(align)) for other in others]))
        return answers

    def drafts(self, source: SourceText, written: WrittenTranslation) -> list[TranslationDraft]:
        """The ways to translate a text, the best first."""
        return [
            TranslationDraft(source.text, source.sentences, choice, self.tokenizer.target, self.tokenizer)
            for choice in written.choices
        ]

    def readings(self, source: SourceText, written: WrittenTranslation, *, is_whole: bool = False) -> list[Reading]:
        """What a watched pass over a text and its best translation reads, for each sentence: what the last token was
        written from, or all of it, that token included."""
        return self.draft_readings(self.drafts(source, written)[0], is_whole=is_whole)

    def draft_readings(self, draft: TranslationDraft, *, is_whole: bool = False) -> list[Reading]:
        start = (self.start(),)
        return [
            Reading(sentence.tokens.ids, decoder_input(start, hypothesis.ids, hypothesis.is_finished or is_whole))
            for sentence, hypothesis in draft.hypotheses
        ]

    def lazy_alignment(self, draft: TranslationDraft) -> Callable[[], Alignment]:
        """The alignment, worked out when it is asked for, whoever looks or edits by then."""
        heads = self.alignment_heads

        def align() -> Alignment:
            weights = unedited_alignment_weights(self.model, self.draft_readings(draft), self.device, heads)
            return draft.alignment([as_array(sentence_weights) for sentence_weights in weights])

        return align

    def current_alignments(self, drafts: Sequence[TranslationDraft]) -> list[Callable[[], Alignment]]:
        """The alignments under the edits that are at work now, all from one pass."""
        readings = [self.draft_readings(draft) for draft in drafts]
        everything = [reading for draft_readings in readings for reading in draft_readings]
        weights: Iterator[np.ndarray] = map(
            as_array, alignment_weights(self.model, everything, self.device, self.alignment_heads)
        )
        return [
            KnownAlignment(draft.alignment(list(islice(weights, len(draft_readings)))))
            for draft, draft_readings in zip(drafts, readings, strict=True)
        ]

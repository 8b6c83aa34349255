"""One text becomes another: sentences are read, and what was written for them is put together."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from regard.config import AlignerConfig, DecoderConfig, TransformerConfig
from regard.decoding import Constraints
from regard.errors import CheckpointError
from regard.tasks.generation_config import FolderGenerationConfig, GenerationConfig, GenerationOptions
from regard.tasks.inputs import Reading, SourceSentence, SourceText, decoder_input
from regard.tasks.processors.processor import ModelDescription, Processor, TextTooLong, text_name
from regard.tasks.translation import Translation, TranslationDraft, WrittenTranslation, best_translation
from regard.tasks.warnings import is_looping
from regard.text import Encoded, Tokenizer, TokenizerError
from regard.text.capitals import is_in_capitals, to_sentence_case
from regard.text.sentences import Pieces, split_long, split_repeated
from regard.text.sentences import split as sentences
from regard.text.spans import (
    ProtectedSpan,
    Protection,
    cuts_between,
    has_words,
    spans_within,
    trim_spans,
    with_targets,
)
from regard.text.stand_ins import StandInKind, between_spans, mask_spans

if TYPE_CHECKING:
    from regard.tasks.alignment import Alignment

START = "decoder_start_token_id"
ENOUGH = 512  # tokens, where a folder does not say how long a translation may become
ROOM = 0.75  # tokens of a sentence, for each that may be written, from which on its translation may not be whole
BY_SENTENCE = {"marian", "alignment", "transformer", "decoder"}  # learned from sentences; others from whole texts


class TranslateProcessor(Processor):
    """Reads texts in sentences, and makes translations of what was written for each."""

    def __init__(self, description: ModelDescription, tokenizer: Tokenizer | None) -> None:
        super().__init__(description, tokenizer)
        self.settings: FolderGenerationConfig = FolderGenerationConfig(description.folder, description.entries)
        self.capitals: bool = self.settings.capitals
        self.splits: bool = description.entries.get("kind", description.entries.get("model_type")) in BY_SENTENCE

    def generation_config(self, **options: Unpack[GenerationOptions]) -> GenerationConfig:
        """How to write: as the caller says, and for all else as the folder says."""
        return self.settings.generation_config(**options, constraints=self.constraints())

    def max_new_tokens(self, requested: int | None) -> int:
        """Tokens of a translation at most; what a folder says counts the token that one begins with."""
        folder_limit = self.settings.lengths["max_length"]
        default = folder_limit - 1 if folder_limit else min(ENOUGH, self.max_length or ENOUGH)
        limit, most = requested or self.settings.lengths["max_new_tokens"] or default, self.max_target_length()
        return limit if most is None else min(limit, most)

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
        `protection` they know their spans, and spans that are no part of a sentence stand between them."""
        if not isinstance(text, str):
            raise TokenizerError(f"{text_name(number)} is a pair; one text can be translated")
        if not text.strip():
            return SourceText(text, (SourceSentence(text, "", None, code=code, is_capital=self.lowers(text)),))
        spans = protection.spans(text) if protection else ()
        if not (self.splits if split is None else split):
            return SourceText(text, tuple(self.trim(text, "", 0, number, code, spans)), protection)
        result: list[SourceSentence] = []
        begin = 0
        for sentence, gap in cuts_between(sentences(text), spans):
            for part, space in self.split_to_fit(sentence, gap, number, code):
                result += self.trim(part, space, begin, number, code, spans_within(spans, begin, begin + len(part)))
                begin += len(part) + len(space)
        return SourceText(text, tuple(result), protection, is_split=True)

    def trim(
        self, text: str, gap: str, begin: int, number: int | None, code: str, spans: Sequence[ProtectedSpan]
    ) -> list[SourceSentence]:
        """A sentence, and what stands before it and after it where that is made of spans."""
        if spans and not has_words(text, spans):
            return [SourceSentence("", with_targets(text, spans) + gap, None, begin, code)]
        first, last = trim_spans(text, spans)
        inside, after = spans_within(spans, first, last), spans_within(spans, last, len(text))
        lead = with_targets(text[:first], spans_within(spans, 0, first))
        before = [SourceSentence("", lead, None, begin, code)] if first else []
        trail = with_targets(text[last:], after) + gap
        sentence = self.read_sentence(text[first:last], trail, begin + first, number, code)
        return [*before, replace(sentence, spans=inside, is_part=last < len(text) and not inside)]

    def read_sentence(self, text: str, gap: str, begin: int, number: int | None, code: str) -> SourceSentence:
        """A sentence with its tokens."""
        encoded = self.read_source(text, number, code) if text else None
        return SourceSentence(text, gap, encoded, begin, code, self.lowers(text))

    def mask(
        self, sentence: SourceSentence, spans: Sequence[ProtectedSpan], *, only: StandInKind | None = None
    ) -> SourceSentence | None:
        """The same sentence with stand-ins for some of its spans; None where that cannot be read."""
        text, code = sentence.sentence, sentence.code
        outside = "".join(part for part, _ in between_spans(text, sentence.spans))
        is_capital = self.lowers(outside)
        masked = mask_spans(text, spans, only=only, change_text=to_sentence_case if is_capital else str)
        encoded = None if masked is None else self.encode_whole(f"{code}{masked.text}", special=[code] if code else [])
        if masked is None or encoded is None or len(encoded) > self.max_source_length:
            return None
        return replace(sentence, encoded=encoded, is_capital=is_capital, masked=masked)

    def divide(self, sentence: SourceSentence) -> list[SourceSentence]:
        """What is between the spans of a sentence as sentences of their own."""
        result: list[SourceSentence] = []
        begin = 0
        pieces = between_spans(sentence.sentence, sentence.spans)
        for index, (part, gap) in enumerate(pieces):
            begin = sentence.sentence.find(part, begin) if part else begin
            gap = gap + sentence.gap if index == len(pieces) - 1 else gap
            read = self.read_sentence(part, gap, sentence.begin + begin, None, sentence.code)
            result.append(replace(read, is_part=True))
            begin += len(part)
        first = next((index for index, part in enumerate(result) if part.encoded), None)
        return [replace(part, prefix=sentence.prefix) if index == first else part for index, part in enumerate(result)]

    def split_clauses(self, sentence: SourceSentence) -> list[SourceSentence]:
        """A sentence in two or more, cut after clauses and in no span; nothing where there is no such place. One that
        says the same again and again is cut between words, until no part does; so is one that is too long to be
        written."""
        count, room, loops = len(sentence.tokens), ROOM * self.max_new_tokens(None), is_looping(sentence.tokens.ids)
        is_long, most = count > room, min(count // 2 + 4, room)

        def fits(part: str) -> bool:
            encoded = self.encode_source(part, sentence.code)
            return not is_looping(encoded.ids) if loops else len(encoded) <= most

        pieces = split_long(sentence.sentence, fits, only_clauses=not loops and not is_long)
        return self.parts(sentence, cuts_between(pieces, sentence.spans))

    def split_words(self, sentence: SourceSentence) -> list[SourceSentence]:
        """The words of a sentence that is one word again and again; nothing of another."""
        return [] if sentence.spans or sentence.prefix else self.parts(sentence, split_repeated(sentence.sentence))

    def parts(self, sentence: SourceSentence, pieces: Pieces) -> list[SourceSentence]:
        """The pieces of a sentence, each as one; nothing where there is but one."""
        result: list[SourceSentence] = []
        begin = 0
        for part, gap in pieces if len(pieces) > 1 else []:
            read = self.read_sentence(part, gap, sentence.begin + begin, None, sentence.code)
            result.append(replace(read, spans=spans_within(sentence.spans, begin, begin + len(part))))
            begin += len(part) + len(gap)
        if not result:
            return []
        result[0] = replace(result[0], prefix=sentence.prefix)
        return [*result[:-1], replace(result[-1], gap=sentence.gap)]

    def split_to_fit(self, sentence: str, gap: str, number: int | None, code: str) -> list[tuple[str, str]]:
        """A sentence, in parts if it is too long to be read at once, and the gap after each."""
        max_length = self.max_source_length
        if 4 * len(sentence) + 8 < max_length:  # no letter is more than four bytes
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
        return self.encode_whole(f"{code}{text}", special=[code] if code else [])

    def encode_target(self, text: str) -> Encoded:
        """The tokens of a translation that somebody else wrote, however many."""
        encoded = self.tokenizer.target.encode(text)
        self.check_known(encoded.ids, self.target_vocabulary)
        return encoded

    def with_prefix(self, source: SourceText, prefix: str) -> SourceText:
        """The same text, its translation to begin so."""
        ends = self.constraints().ends
        ids = tuple(number for number in self.encode_target(prefix).ids if number not in ends)
        first = next((index for index, sentence in enumerate(source.sentences) if sentence.encoded), None)
        sentences = [
            replace(sentence, prefix=ids) if index == first else sentence
            for index, sentence in enumerate(source.sentences)
        ]
        return replace(source, sentences=tuple(sentences))

    def read_source(self, text: str, number: int | None, code: str) -> Encoded:
        encoded, most = self.encode_source(text, code), self.max_source_length
        if len(encoded) > most:
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
    def max_source_length(self) -> int:
        """As many tokens as are read at once; in one stream there has to be room for the start and for one more."""
        is_decoder = isinstance(self.description.config, DecoderConfig)
        return self.read_limit - 2 if is_decoder else self.read_limit

    @property
    def target_vocabulary(self) -> int:
        """How many tokens the model can write."""
        config = self.description.config
        assert isinstance(config, TransformerConfig | DecoderConfig | AlignerConfig)
        return config.writes.vocabulary if isinstance(config, AlignerConfig) else config.decoder.embedding.vocabulary

    def max_target_length(self) -> int | None:
        """As many tokens as the decoder has positions for; None: any number."""
        config = self.description.config
        if isinstance(config, AlignerConfig):
            return None
        assert isinstance(config, TransformerConfig | DecoderConfig)
        position = config.decoder.position
        return position.settings["length"] if position.kind == "learned" else None

    def constraints(self, min_new_tokens: int | None = None) -> Constraints:
        """What may be written; at least so many tokens, or as many as the folder says."""
        settings = self.settings
        if min_new_tokens is None:
            lengths = settings.lengths
            min_new_tokens = lengths["min_new_tokens"] or max(0, (lengths["min_length"] or 0) - 1)
        constraints = settings.constraints(self.tokenizer.target.specials, min_new_tokens)
        first, last = (settings.token(f"forced_{kind}_token_id", self.target_vocabulary) for kind in ("bos", "eos"))
        return replace(constraints, first=first, last=last)

    def start(self) -> int:
        """The token that a translation begins with."""
        for key in (START, "bos_token_id"):
            if (number := self.settings.token(key, self.target_vocabulary)) is not None:
                return number
        raise CheckpointError(f"{self.description.folder}: no {START} says what a text begins with")

    def drafts(self, source: SourceText, written: WrittenTranslation) -> list[TranslationDraft]:
        """The ways to translate a text, the best first."""
        return [
            TranslationDraft(
                source.text,
                source.sentences,
                choice,
                self.tokenizer.target,
                self.tokenizer,
                source.protection,
                self.settings.calibration,
            )
            for choice in written.choices
        ]

    def answer(
        self, source: SourceText, written: WrittenTranslation, alignments: "Iterable[Callable[[], Alignment]]"
    ) -> Translation:
        """The translation; for each of the `drafts`, what works its alignment out when that is asked for."""
        return best_translation(self.drafts(source, written), alignments)

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

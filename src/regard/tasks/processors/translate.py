"""One text becomes another: sentences are read, and what was written for them is put together."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Unpack

from regard.config import AlignerConfig, DecoderConfig, TransformerConfig
from regard.decoding import Constraints
from regard.errors import CheckpointError
from regard.tasks.alignment import Alignment
from regard.tasks.generation_config import FolderGenerationConfig, GenerationConfig, GenerationOptions
from regard.tasks.inputs import Reading, SourceSentence, SourceText, decoder_input
from regard.tasks.processors.processor import ModelDescription, Processor, TextTooLong, text_name
from regard.tasks.translation import Translation, TranslationDraft, WrittenTranslation, best_translation
from regard.text import Encoded, Tokenizer, TokenizerError
from regard.text.capitals import is_in_capitals, to_sentence_case
from regard.text.sentences import split as sentences
from regard.text.sentences import split_long

START = "decoder_start_token_id"
ENOUGH = 512  # tokens, where a folder does not say how long a translation may become
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
            TranslationDraft(source.text, source.sentences, choice, self.tokenizer.target, self.tokenizer)
            for choice in written.choices
        ]

    def answer(
        self, source: SourceText, written: WrittenTranslation, alignments: Iterable[Callable[[], Alignment]]
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

"""One text becomes another."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import torch

from regard.attention.taps import unwatched
from regard.checkpoints import Checkpoint, CheckpointError
from regard.checkpoints.hub import Config
from regard.decoding import Constraints, Hypothesis
from regard.models import Aligner, AlignerConfig, Transformer, TransformerConfig
from regard.tasks.alignment import Alignment
from regard.tasks.generation_config import FolderGenerationConfig, GenerationConfig, SamplingChoice
from regard.tasks.markup import Page, put_back, segments
from regard.tasks.replay import (
    Reading,
    alignment_weights,
    decoder_input,
    default_alignment_heads,
    is_edited,
    is_watched,
    replay,
    unedited_alignment_weights,
)
from regard.tasks.task import OnProgress, Task, TextTooLong, text_name
from regard.tasks.translation import SourceSentence, Translation, TranslationDraft, best_choices, encoding_of
from regard.text import Encoded, Tokenizer, TokenizerError, batches
from regard.text.capitals import is_in_capitals, to_sentence_case
from regard.text.sentences import split as sentences
from regard.text.sentences import split_long

ENOUGH = 512  # tokens, where a folder does not say how long a translation may become
BY_SENTENCE = {"marian", "regard-alignment"}  # families that learned from sentences; others were made for whole texts


class TranslateTask(Task):
    """Translate, or rewrite in whatever way the model learned: `translate("Where is the station?").text`."""

    name = "translate"
    model: Transformer | Aligner

    def __init__(self, checkpoint: Checkpoint, tokenizer: Tokenizer | None) -> None:
        super().__init__(checkpoint, tokenizer)
        self.settings = FolderGenerationConfig(checkpoint)
        self.alignment_heads = self.settings.alignment_heads() or default_alignment_heads(self.model)
        self.capitals = self.settings.capitals()
        self.splits = checkpoint.config.get("model_type") in BY_SENTENCE

    @classmethod
    def serves(cls, config: Config) -> bool:
        return isinstance(config, TransformerConfig | AlignerConfig) and config.output is not None

    def __call__(
        self,
        text: str | Iterable[str],
        *,
        language: str | None = None,
        beam: int | None = None,
        num_hypotheses: int = 1,
        length_penalty: float | None = None,
        min_new_tokens: int | None = None,
        max_new_tokens: int | None = None,
        sample: SamplingChoice = None,
        seed: int | None = None,
        split: bool | None = None,
        markup: str | None = None,
        precision: str = "float32",
        first: int = 1,
        progress: OnProgress | None = None,
    ) -> Any:
        """Translate one text, or each of several.

        What is not said is read from the folder, generation_config.json: a beam of its `num_beams`, of 1 where it has
        none. `language` is for models that write several: "fra" or ">>fra<<". Lengths are of a sentence, in tokens.

        `split` translates sentence by sentence and puts the gaps of the text between; unless it is said, models that
        learned from sentences (Marian's) do. A sentence that is too long is then cut after a clause or between
        words. An empty text stays empty.

        `markup="html"` carries tags over to the words that they belong to (text/markup.py, tasks/markup.py).
        """
        config = self.settings.generation_config(
            beam=beam,
            num_hypotheses=num_hypotheses,
            length_penalty=length_penalty,
            sample=sample,
            seed=seed,
            precision=precision,
        )
        code = "" if language is None else self.code(language)
        constraints, limit = self.constraints(self.min_new_tokens(min_new_tokens)), self.max_new_tokens(max_new_tokens)
        alone = isinstance(text, str)
        inputs = [text] if alone else list(text)
        numbers = [None] if alone else range(first, first + len(inputs))
        pages = None if markup is None else [Page.read(item, markup) for item in inputs]
        texts, numbers = (inputs, numbers) if pages is None else segments(pages, numbers)
        is_split = self.splits if split is None else split
        sentences = [
            self.source_sentences(item, number, code, is_split) for item, number in zip(texts, numbers, strict=True)
        ]
        with unwatched():
            hypotheses = self.write(sentences, config, constraints, limit, progress if pages is None else None)
        answers = self.translations(texts, sentences, hypotheses, num_hypotheses, at_once=pages is not None)
        answers = answers if pages is None else put_back(pages, answers, num_hypotheses)
        return answers[0] if alone else answers

    def max_new_tokens(self, requested: int | None) -> int:
        """Tokens of a translation at most; what a folder says counts the token that one begins with."""
        folder_limit = self.settings.length("max_length")
        default = folder_limit - 1 if folder_limit else min(ENOUGH, self.max_length or ENOUGH)
        limit, max_target_length = (
            requested or self.settings.length("max_new_tokens") or default,
            self.max_target_length(),
        )
        return limit if max_target_length is None else min(limit, max_target_length)

    def min_new_tokens(self, requested: int | None) -> int:
        folder_minimum = self.settings.length("min_new_tokens") or max(0, (self.settings.length("min_length") or 0) - 1)
        return folder_minimum if requested is None else requested

    def source_sentences(self, text: str, number: int | None, code: str, is_split: bool) -> tuple[SourceSentence, ...]:
        """The sentences of a text, or all of it, as the model reads them."""
        if not isinstance(text, str):
            raise TokenizerError(f"{text_name(number)} is a pair; one text can be translated")
        if not is_split or not text.strip():
            encoded = self.read_source(text, number, code) if text.strip() else None
            return (SourceSentence(text, "", encoded, code=code, large=self.lowers(text)),)
        result: list[SourceSentence] = []
        begin = 0
        for sentence, gap in sentences(text):
            for part, space in self.split_to_fit(sentence, gap, number, code):
                encoded = self.read_source(part, number, code) if part else None
                result.append(SourceSentence(part, space, encoded, begin, code, self.lowers(part)))
                begin += len(part) + len(space)
        return tuple(result)

    def split_to_fit(self, sentence: str, gap: str, number: int | None, code: str) -> list[tuple[str, str]]:
        """A sentence, in parts if it is too long to be read at once, and the gap after each."""
        if self.max_length is None or 4 * len(sentence) + 8 < self.max_length:  # no letter is more than four bytes
            return [(sentence, gap)]
        max_length = self.max_length

        def fits(part: str) -> bool:
            return len(self.encode(part, code)) <= max_length

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

    def encode(self, text: str, code: str) -> Encoded:
        text = to_sentence_case(text) if self.lowers(text) else text
        return self.tokenizer.encode(f"{code}{text}", special=[code] if code else [])

    def read_source(self, text: str, number: int | None, code: str) -> Encoded:
        encoded = self.encode(text, code)
        if self.max_length is not None and len(encoded) > self.max_length:
            line = f"{text_name(number)} has {len(encoded)} tokens, the model reads at most {self.max_length}"
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

    def max_target_length(self) -> int | None:
        """As many tokens as the decoder has places for; None: any number."""
        if isinstance(self.model.config, AlignerConfig):
            return None
        position = self.model.config.decoder.position
        return position.settings["length"] if position.kind == "learned" else None

    def constraints(self, min_new_tokens: int) -> Constraints:
        rules = self.settings.constraints(self.tokenizer.target.specials, min_new_tokens)
        number = self.settings.number
        return replace(rules, first=number("forced_bos_token_id"), last=number("forced_eos_token_id"))

    def start(self) -> int:
        """The token that a translation begins with."""
        for key in ("decoder_start_token_id", "bos_token_id"):
            if (number := self.settings.number(key)) is not None:
                return number
        raise CheckpointError(f"{self.checkpoint.folder}: no decoder_start_token_id says what a text begins with")

    @torch.no_grad()
    def write(
        self,
        texts: Sequence[Sequence[SourceSentence]],
        config: GenerationConfig,
        constraints: Constraints,
        max_new_tokens: int,
        progress: OnProgress | None,
    ) -> list[list[Sequence[Hypothesis] | None]]:
        """The hypotheses for each piece of each text; pieces of like length are written side by side."""
        hypotheses_of_texts: list[list[Sequence[Hypothesis] | None]] = [
            [None] * len(text_sentences) for text_sentences in texts
        ]
        remaining = [sum(piece.encoded is not None for piece in text_sentences) for text_sentences in texts]
        indices = [(text, index) for text, text_sentences in enumerate(texts) for index in range(len(text_sentences))]
        indices = [(text, index) for text, index in indices if texts[text][index].encoded]
        report = progress or (lambda count: None)
        report(remaining.count(0))
        encodings = [encoding_of(texts[text][index]) for text, index in indices]
        for batch in batches(encodings, pad=self.tokenizer.specials.pad, device=self.device):
            prefix = torch.full((len(batch.rows), 1), self.start(), device=batch.tokens.device)
            batch_indices = [indices[row] for row in batch.rows]
            hypotheses = config.for_texts([text for text, _ in batch_indices]).decode_batch(
                self.model,
                batch.tokens,
                prefix,
                attention_mask=batch.attention_mask,
                max_new_tokens=[max_new_tokens] * len(batch_indices),
                constraints=constraints,
            )
            for (text, index), best in zip(batch_indices, hypotheses, strict=True):
                hypotheses_of_texts[text][index] = best
                remaining[text] -= 1
            report(sum(remaining[text] == 0 for text in {text for text, _ in batch_indices}))
        return hypotheses_of_texts

    def translations(
        self,
        texts: Sequence[str],
        sentences: Sequence[tuple[SourceSentence, ...]],
        hypotheses_of_texts: Sequence[Sequence[Sequence[Hypothesis] | None]],
        num_hypotheses: int,
        at_once: bool,
    ) -> list[Translation]:
        """The translations, once those who look have been shown how they came about; `at_once`: aligned, too."""
        target = self.tokenizer.target
        drafts = [
            [
                TranslationDraft(text, text_sentences, choice, target, self.tokenizer)
                for choice in best_choices(hypotheses, num_hypotheses)
            ]
            for text, text_sentences, hypotheses in zip(texts, sentences, hypotheses_of_texts, strict=True)
        ]
        if is_watched(self.model):
            replay(self.model, [reading for best, *_ in drafts for reading in self.readings(best)], self.device)
        all_drafts = [draft for text_sentences in drafts for draft in text_sentences]
        align = iter(
            self.current_alignments(all_drafts)
            if at_once or is_edited(self.model)
            else map(self.lazy_alignment, all_drafts)
        )
        answers = []
        for best, *others in drafts:
            best_alignment = next(align)
            answers.append(best.translation(best_alignment, [other.translation(next(align)) for other in others]))
        return answers

    def readings(self, draft: TranslationDraft) -> list[Reading]:
        start = [self.start()]
        return [
            (encoding_of(sentence).ids, decoder_input(start, hypothesis.ids, hypothesis.is_finished))
            for sentence, hypothesis in draft.hypotheses
        ]

    def lazy_alignment(self, draft: TranslationDraft) -> Callable[[], Alignment]:
        """The alignment, worked out when it is asked for, whoever looks or edits by then."""
        heads = self.alignment_heads
        return lambda: draft.alignment(unedited_alignment_weights(self.model, self.readings(draft), self.device, heads))

    def current_alignments(self, drafts: Sequence[TranslationDraft]) -> list[Callable[[], Alignment]]:
        """The alignments under the edits that are at work now, all from one pass."""
        readings = [self.readings(draft) for draft in drafts]
        weights = iter(
            alignment_weights(
                self.model,
                [reading for draft_readings in readings for reading in draft_readings],
                self.device,
                self.alignment_heads,
            )
        )
        alignments = [
            draft.alignment(list(islice(weights, len(draft_readings))))
            for draft, draft_readings in zip(drafts, readings, strict=True)
        ]
        return [partial(lambda alignment: alignment, reading) for reading in alignments]

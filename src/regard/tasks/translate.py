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
from regard.tasks.translated import SourceSentence, Translation, TranslationDraft, best_choices, encoding_of
from regard.tasks.writing import FolderGenerationConfig, GenerationConfig, Wanted
from regard.text import Encoded, Tokenizer, TokenizerError, batches
from regard.text.capitals import in_capitals, small
from regard.text.sentences import parts
from regard.text.sentences import split as sentences

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
        sample: Wanted = None,
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
        manner = self.settings.generation_config(
            beam=beam,
            num_hypotheses=num_hypotheses,
            length_penalty=length_penalty,
            sample=sample,
            seed=seed,
            precision=precision,
        )
        code = "" if language is None else self.code(language)
        rules, most = self.constraints(self.min_new_tokens(min_new_tokens)), self.max_new_tokens(max_new_tokens)
        alone = isinstance(text, str)
        given = [text] if alone else list(text)
        numbers = [None] if alone else range(first, first + len(given))
        pages = None if markup is None else [Page.read(one, markup) for one in given]
        texts, numbers = (given, numbers) if pages is None else segments(pages, numbers)
        cut = self.splits if split is None else split
        pieces = [self.source_sentences(one, number, code, cut) for one, number in zip(texts, numbers, strict=True)]
        with unwatched():
            found = self.write(pieces, manner, rules, most, progress if pages is None else None)
        answers = self.translations(texts, pieces, found, num_hypotheses, at_once=pages is not None)
        answers = answers if pages is None else put_back(pages, answers, num_hypotheses)
        return answers[0] if alone else answers

    def max_new_tokens(self, requested: int | None) -> int:
        """Tokens of a translation at most; what a folder says counts the token that one begins with."""
        told = self.settings.length("max_length")
        usual = told - 1 if told else min(ENOUGH, self.max_length or ENOUGH)
        said, room = requested or self.settings.length("max_new_tokens") or usual, self.max_target_length()
        return said if room is None else min(said, room)

    def min_new_tokens(self, requested: int | None) -> int:
        told = self.settings.length("min_new_tokens") or max(0, (self.settings.length("min_length") or 0) - 1)
        return told if requested is None else requested

    def source_sentences(self, text: str, number: int | None, code: str, cut: bool) -> tuple[SourceSentence, ...]:
        """The sentences of a text, or all of it, as the model reads them."""
        if not isinstance(text, str):
            raise TokenizerError(f"{text_name(number)} is a pair; one text can be translated")
        if not cut or not text.strip():
            read = self.read_source(text, number, code) if text.strip() else None
            return (SourceSentence(text, "", read, code=code, large=self.lowers(text)),)
        found: list[SourceSentence] = []
        begin = 0
        for sentence, gap in sentences(text):
            for part, space in self.split_to_fit(sentence, gap, number, code):
                read = self.read_source(part, number, code) if part else None
                found.append(SourceSentence(part, space, read, begin, code, self.lowers(part)))
                begin += len(part) + len(space)
        return tuple(found)

    def split_to_fit(self, sentence: str, gap: str, number: int | None, code: str) -> list[tuple[str, str]]:
        """A sentence, in parts if it is too long to be read at once, and the gap after each."""
        if self.max_length is None or 4 * len(sentence) + 8 < self.max_length:  # no letter is more than four bytes
            return [(sentence, gap)]
        longest = self.max_length

        def fits(part: str) -> bool:
            return len(self.encode(part, code)) <= longest

        found = parts(sentence, fits)
        if not found:
            raise TextTooLong(
                f"{text_name(number)} has a word of more tokens than the {longest} that the model reads, and nowhere to "
                f"cut it: {sentence[:40]}…"
            )
        return [*found[:-1], (found[-1][0], gap)]

    def lowers(self, text: str) -> bool:
        """Whether a text is in capitals that the model has not learned: read as a sentence, and answered large."""
        return not self.capitals and in_capitals(text)

    def encode(self, text: str, code: str) -> Encoded:
        text = small(text) if self.lowers(text) else text
        return self.tokenizer.encode(f"{code}{text}", special=[code] if code else [])

    def read_source(self, text: str, number: int | None, code: str) -> Encoded:
        found = self.encode(text, code)
        if self.max_length is not None and len(found) > self.max_length:
            line = f"{text_name(number)} has {len(found)} tokens, the model reads at most {self.max_length}"
            raise TextTooLong(f"{line}; split=True (--split) translates it sentence by sentence")
        return found

    def code(self, language: str) -> str:
        """The token that asks for a language."""
        known = sorted(token for token in self.tokenizer.vocabulary if token.startswith(">>") and token.endswith("<<"))
        code = language if language.startswith(">>") else f">>{language}<<"
        if code not in known:
            which = ", ".join(known) if known else "no code is needed or known"
            raise TokenizerError(f"no language {language!r}: {which}")
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
        found: list[list[Sequence[Hypothesis] | None]] = [[None] * len(pieces) for pieces in texts]
        left = [sum(piece.encoded is not None for piece in pieces) for pieces in texts]
        where = [(text, place) for text, pieces in enumerate(texts) for place in range(len(pieces))]
        where = [(text, place) for text, place in where if texts[text][place].encoded]
        told = progress or (lambda count: None)
        told(left.count(0))
        read = [encoding_of(texts[text][place]) for text, place in where]
        for batch in batches(read, pad=self.tokenizer.specials.pad, device=self.device):
            prefix = torch.full((len(batch.rows), 1), self.start(), device=batch.tokens.device)
            here = [where[row] for row in batch.rows]
            hypotheses = config.for_texts([text for text, _ in here]).decode_batch(
                self.model,
                batch.tokens,
                prefix,
                attention_mask=batch.attention_mask,
                max_new_tokens=[max_new_tokens] * len(here),
                constraints=constraints,
            )
            for (text, place), one in zip(here, hypotheses, strict=True):
                found[text][place] = one
                left[text] -= 1
            told(sum(left[text] == 0 for text in {text for text, _ in here}))
        return found

    def translations(
        self,
        texts: Sequence[str],
        pieces: Sequence[tuple[SourceSentence, ...]],
        found: Sequence[Sequence[Sequence[Hypothesis] | None]],
        nbest: int,
        at_once: bool,
    ) -> list[Translation]:
        """The translations, once those who look have been shown how they came about; `at_once`: aligned, too."""
        target = self.tokenizer.target
        drafts = [
            [TranslationDraft(text, some, choice, target, self.tokenizer) for choice in best_choices(hypotheses, nbest)]
            for text, some, hypotheses in zip(texts, pieces, found, strict=True)
        ]
        if is_watched(self.model):
            replay(self.model, [reading for best, *_ in drafts for reading in self.readings(best)], self.device)
        flat = [draft for some in drafts for draft in some]
        align = iter(
            self.current_alignments(flat) if at_once or is_edited(self.model) else map(self.lazy_alignment, flat)
        )
        answers = []
        for best, *others in drafts:
            own = next(align)
            answers.append(best.translation(own, [other.translation(next(align)) for other in others]))
        return answers

    def readings(self, draft: TranslationDraft) -> list[Reading]:
        start = [self.start()]
        return [
            (encoding_of(piece).ids, decoder_input(start, one.ids, one.is_finished)) for piece, one in draft.hypotheses
        ]

    def lazy_alignment(self, draft: TranslationDraft) -> Callable[[], Alignment]:
        """The alignment, worked out when it is asked for, whoever looks or edits by then."""
        look = self.alignment_heads
        return lambda: draft.alignment(unedited_alignment_weights(self.model, self.readings(draft), self.device, look))

    def current_alignments(self, drafts: Sequence[TranslationDraft]) -> list[Callable[[], Alignment]]:
        """The alignments under the edits that are at work now, all from one pass."""
        readings = [self.readings(draft) for draft in drafts]
        looks = iter(
            alignment_weights(self.model, [one for some in readings for one in some], self.device, self.alignment_heads)
        )
        found = [draft.alignment(list(islice(looks, len(some)))) for draft, some in zip(drafts, readings, strict=True)]
        return [partial(lambda alignment: alignment, one) for one in found]

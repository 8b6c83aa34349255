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
from regard.tasks.replay import Reading, cross_looks, fed, is_edited, is_watched, replay, undisturbed_looks, usual_look
from regard.tasks.task import Progress, Task, TextTooLong, called
from regard.tasks.translated import Draft, Piece, Translated, choices, encoded
from regard.tasks.writing import Manner, Settings, Wanted
from regard.text import Encoded, Tokenizer, TokenizerError, batches
from regard.text.capitals import in_capitals, small
from regard.text.sentences import parts
from regard.text.sentences import split as sentences

ENOUGH = 512  # tokens, where a folder does not say how long a translation may become
BY_SENTENCE = {"marian", "regard-alignment"}  # families that learned from sentences; others were made for whole texts


class Translate(Task):
    """Translate, or rewrite in whatever way the model learned: `translate("Where is the station?").text`."""

    name = "translate"
    model: Transformer | Aligner

    def __init__(self, checkpoint: Checkpoint, tokenizer: Tokenizer | None) -> None:
        super().__init__(checkpoint, tokenizer)
        self.settings = Settings(checkpoint)
        self.look = self.settings.look() or usual_look(self.model)
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
        nbest: int = 1,
        length_penalty: float | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        sample: Wanted = None,
        seed: int | None = None,
        split: bool | None = None,
        markup: str | None = None,
        precision: str = "float32",
        first: int = 1,
        progress: Progress | None = None,
    ) -> Any:
        """Translate one text, or each of several.

        What is not said is read from the folder, generation_config.json: a beam of its `num_beams`, of 1 where it has
        none. `language` is for models that write several: "fra" or ">>fra<<". Lengths are of a sentence, in tokens.

        `split` translates sentence by sentence and puts the gaps of the text between; unless it is said, models that
        learned from sentences (Marian's) do. A sentence that is too long is then cut after a clause or between
        words. An empty text stays empty.

        `markup="html"` carries tags over to the words that they belong to (text/markup.py, tasks/markup.py).
        """
        manner = self.settings.manner(
            beam=beam, nbest=nbest, length_penalty=length_penalty, sample=sample, seed=seed, precision=precision
        )
        code = "" if language is None else self.code(language)
        rules, most = self.rules(self.shortest(min_length)), self.most(max_length)
        alone = isinstance(text, str)
        given = [text] if alone else list(text)
        numbers = [None] if alone else range(first, first + len(given))
        pages = None if markup is None else [Page.read(one, markup) for one in given]
        texts, numbers = (given, numbers) if pages is None else segments(pages, numbers)
        cut = self.splits if split is None else split
        pieces = [self.pieces(one, number, code, cut) for one, number in zip(texts, numbers, strict=True)]
        with unwatched():
            found = self.written(pieces, manner, rules, most, progress if pages is None else None)
        answers = self.answered(texts, pieces, found, nbest, at_once=pages is not None)
        answers = answers if pages is None else put_back(pages, answers, nbest)
        return answers[0] if alone else answers

    def most(self, wanted: int | None) -> int:
        """Tokens of a translation at most; what a folder says counts the token that one begins with."""
        told = self.settings.length("max_length")
        usual = told - 1 if told else min(ENOUGH, self.longest or ENOUGH)
        said, room = wanted or self.settings.length("max_new_tokens") or usual, self.room()
        return said if room is None else min(said, room)

    def shortest(self, wanted: int | None) -> int:
        told = self.settings.length("min_new_tokens") or max(0, (self.settings.length("min_length") or 0) - 1)
        return told if wanted is None else wanted

    def pieces(self, text: str, number: int | None, code: str, cut: bool) -> tuple[Piece, ...]:
        """The sentences of a text, or all of it, as the model reads them."""
        if not isinstance(text, str):
            raise TokenizerError(f"{called(number)} is a pair; one text can be translated")
        if not cut or not text.strip():
            read = self.read_source(text, number, code) if text.strip() else None
            return (Piece(text, "", read, code=code, large=self.lowers(text)),)
        found: list[Piece] = []
        begin = 0
        for sentence, gap in sentences(text):
            for part, space in self.fitting(sentence, gap, number, code):
                read = self.read_source(part, number, code) if part else None
                found.append(Piece(part, space, read, begin, code, self.lowers(part)))
                begin += len(part) + len(space)
        return tuple(found)

    def fitting(self, sentence: str, gap: str, number: int | None, code: str) -> list[tuple[str, str]]:
        """A sentence, in parts if it is too long to be read at once, and the gap after each."""
        if self.longest is None or 4 * len(sentence) + 8 < self.longest:  # no letter is more than four bytes
            return [(sentence, gap)]
        longest = self.longest

        def fits(part: str) -> bool:
            return len(self.encoded(part, code)) <= longest

        found = parts(sentence, fits)
        if not found:
            raise TextTooLong(
                f"{called(number)} has a word of more tokens than the {longest} that the model reads, and nowhere to "
                f"cut it: {sentence[:40]}…"
            )
        return [*found[:-1], (found[-1][0], gap)]

    def lowers(self, text: str) -> bool:
        """Whether a text is in capitals that the model has not learned: read as a sentence, and answered large."""
        return not self.capitals and in_capitals(text)

    def encoded(self, text: str, code: str) -> Encoded:
        text = small(text) if self.lowers(text) else text
        return self.tokenizer.encode(f"{code}{text}", special=[code] if code else [])

    def read_source(self, text: str, number: int | None, code: str) -> Encoded:
        found = self.encoded(text, code)
        if self.longest is not None and len(found) > self.longest:
            line = f"{called(number)} has {len(found)} tokens, the model reads at most {self.longest}"
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

    def room(self) -> int | None:
        """As many tokens as the decoder has places for; None: any number."""
        if isinstance(self.model.config, AlignerConfig):
            return None
        position = self.model.config.decoder.position
        return position.settings["length"] if position.kind == "learned" else None

    def rules(self, shortest: int) -> Constraints:
        rules = self.settings.rules(self.tokenizer.target.specials, shortest)
        number = self.settings.number
        return replace(rules, first=number("forced_bos_token_id"), last=number("forced_eos_token_id"))

    def start(self) -> int:
        """The token that a translation begins with."""
        for key in ("decoder_start_token_id", "bos_token_id"):
            if (number := self.settings.number(key)) is not None:
                return number
        raise CheckpointError(f"{self.checkpoint.folder}: no decoder_start_token_id says what a text begins with")

    @torch.no_grad()
    def written(
        self, texts: Sequence[Sequence[Piece]], manner: Manner, rules: Constraints, most: int, progress: Progress | None
    ) -> list[list[Sequence[Hypothesis] | None]]:
        """The hypotheses for each piece of each text; pieces of like length are written side by side."""
        found: list[list[Sequence[Hypothesis] | None]] = [[None] * len(pieces) for pieces in texts]
        left = [sum(piece.encoded is not None for piece in pieces) for pieces in texts]
        where = [(text, place) for text, pieces in enumerate(texts) for place in range(len(pieces))]
        where = [(text, place) for text, place in where if texts[text][place].encoded]
        told = progress or (lambda count: None)
        told(left.count(0))
        read = [encoded(texts[text][place]) for text, place in where]
        for batch in batches(read, pad=self.tokenizer.specials.pad, device=self.device):
            prefix = torch.full((len(batch.rows), 1), self.start(), device=batch.tokens.device)
            here = [where[row] for row in batch.rows]
            hypotheses = manner.of([text for text, _ in here]).decoded(
                self.model,
                batch.tokens,
                prefix,
                attention_mask=batch.attention_mask,
                longest=[most] * len(here),
                rules=rules,
            )
            for (text, place), one in zip(here, hypotheses, strict=True):
                found[text][place] = one
                left[text] -= 1
            told(sum(left[text] == 0 for text in {text for text, _ in here}))
        return found

    def answered(
        self,
        texts: Sequence[str],
        pieces: Sequence[tuple[Piece, ...]],
        found: Sequence[Sequence[Sequence[Hypothesis] | None]],
        nbest: int,
        at_once: bool,
    ) -> list[Translated]:
        """The translations, once those who look have been shown how they came about; `at_once`: aligned, too."""
        target = self.tokenizer.target
        drafts = [
            [Draft(text, some, choice, target, self.tokenizer) for choice in choices(hypotheses, nbest)]
            for text, some, hypotheses in zip(texts, pieces, found, strict=True)
        ]
        if is_watched(self.model):
            replay(self.model, [reading for best, *_ in drafts for reading in self.readings(best)], self.device)
        flat = [draft for some in drafts for draft in some]
        align = iter(self.settled(flat) if at_once or is_edited(self.model) else map(self.lazy, flat))
        answers = []
        for best, *others in drafts:
            own = next(align)
            answers.append(best.whole(own, [other.whole(next(align)) for other in others]))
        return answers

    def readings(self, draft: Draft) -> list[Reading]:
        start = [self.start()]
        return [(encoded(piece).ids, fed(start, one.ids, one.is_finished)) for piece, one in draft.written]

    def lazy(self, draft: Draft) -> Callable[[], Alignment]:
        """The alignment, worked out when it is asked for, whoever looks or edits by then."""
        look = self.look
        return lambda: draft.aligned(undisturbed_looks(self.model, self.readings(draft), self.device, look))

    def settled(self, drafts: Sequence[Draft]) -> list[Callable[[], Alignment]]:
        """The alignments under the edits that are at work now, all from one pass."""
        readings = [self.readings(draft) for draft in drafts]
        looks = iter(cross_looks(self.model, [one for some in readings for one in some], self.device, self.look))
        found = [draft.aligned(list(islice(looks, len(some)))) for draft, some in zip(drafts, readings, strict=True)]
        return [partial(lambda alignment: alignment, one) for one in found]

"""A text goes on: prompts are read, and what was written after them becomes text."""

from dataclasses import dataclass, replace
from typing import Unpack

from regard.decoding import DecodeResult, Hypothesis
from regard.tasks.generation_config import FolderGenerationConfig, GenerationConfig, GenerationOptions
from regard.tasks.inputs import EncodedText, Reading, Text, decoder_input
from regard.tasks.processors.processor import ModelDescription, Processor, TextTooLong, text_name
from regard.text import Encoded, Tokenizer, TokenizerError

USUAL = 50  # tokens, where nobody says how long a text may become


@dataclass(frozen=True)
class Generation:
    """What was written after a prompt. `score` is its log-probability, `rank_score` what hypotheses are compared by;
    `is_finished` is False if it was stopped; `alternatives` are the next best, as many as were asked for."""

    prompt: str
    text: str
    score: float
    rank_score: float
    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    is_finished: bool
    alternatives: tuple["Generation", ...] = ()


class GenerateProcessor(Processor):
    """Reads prompts, and makes text of what was written."""

    def __init__(self, description: ModelDescription, tokenizer: Tokenizer | None) -> None:
        super().__init__(description, tokenizer)
        self.settings: FolderGenerationConfig = FolderGenerationConfig(description.folder, description.entries)

    def generation_config(self, **options: Unpack[GenerationOptions]) -> GenerationConfig:
        """How to write: as the caller says, and for all else as the folder says."""
        constraints = self.settings.constraints(self.tokenizer.specials, self.settings.lengths["min_new_tokens"] or 0)
        return self.settings.generation_config(**options, constraints=constraints)

    def read(self, text: Text, number: int | None = None, *, is_prompt: bool = True) -> EncodedText:
        """The tokens of a text: of a prompt, after which there is room to write, or of one that is only read."""
        if not isinstance(text, str):
            raise TokenizerError(f"{text_name(number)} is a pair; one text can be continued")
        encoded = self.encode(text, number)
        if text and not is_prompt:
            return EncodedText(text, encoded)
        if text:  # what a tokeniser puts after a text would end it
            last = max((position for position, which in enumerate(encoded.texts) if which is not None), default=-1)
            encoded = encoded.take(range(last + 1))
        if self.max_length is not None and len(encoded) == self.max_length:
            line = f"{text_name(number)} has {len(encoded)} tokens, as many as the model reads: no room to write"
            raise TextTooLong(line)
        return EncodedText(text, encoded if encoded.ids else self.empty_prompt())

    def empty_prompt(self) -> Encoded:
        """What stands before a text of which nothing is known."""
        specials = self.tokenizer.specials
        first = specials.eos if specials.bos is None else specials.bos
        if first is None:
            raise TokenizerError("an empty text cannot be continued: the tokeniser has no token that begins one")
        self.check_known([first])
        return Encoded((first,), (self.tokenizer.token(first),), ((0, 0),), (None,), (0,), (None,))

    def max_new_tokens(self, requested: int | None, prompt: int) -> int:
        """New tokens at most: as the caller or the folder says, and as the model has positions for."""
        limit = requested or self.settings.lengths["max_new_tokens"]
        if limit is None and "max_length" in self.settings.search.entries:  # which counts the prompt
            limit = max(1, (self.settings.lengths["max_length"] or 0) - prompt)
        limit = limit or USUAL
        return limit if self.max_length is None else min(limit, self.max_length - prompt)

    def answer(self, prompt: EncodedText, result: DecodeResult) -> Generation:
        best, *others = [self.generation(prompt, hypothesis) for hypothesis in result.hypotheses]
        return replace(best, alternatives=tuple(others))

    def generation(self, prompt: EncodedText, hypothesis: Hypothesis) -> Generation:
        before = self.tokenizer.decode(prompt.encoded.ids)
        added = self.tokenizer.decode([*prompt.encoded.ids, *hypothesis.ids]).removeprefix(before)
        return Generation(
            str(prompt.text),
            added,
            hypothesis.score,
            hypothesis.rank_score,
            self.tokenizer.tokens(hypothesis.ids),
            hypothesis.ids,
            hypothesis.is_finished,
        )

    def reading(self, prompt: EncodedText, result: DecodeResult, *, is_whole: bool = False) -> Reading:
        """What a watched pass over a prompt and its best continuation reads: what the last token was written from, or
        all of it, that token included."""
        best = result.best
        return Reading((), decoder_input(prompt.encoded.ids, best.ids, best.is_finished or is_whole))

"""A text goes on."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from regard.checkpoints import Checkpoint
from regard.checkpoints.hub import Config
from regard.decoding import greedy
from regard.models import DecoderConfig
from regard.tasks.task import Item, Progress, Task, Text, TextTooLong, called
from regard.tasks.writing import Settings
from regard.text import Batch, Encoded, Tokenizer, TokenizerError


@dataclass(frozen=True)
class Generated:
    """What was written after a prompt. `score` is its log-probability; `is_finished` is False if it was stopped."""

    prompt: str
    text: str
    score: float
    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    is_finished: bool


class Generate(Task):
    """Write on: `generate("Once upon a time").text`, always the likeliest token."""

    name = "generate"
    side = "left"

    def __init__(self, checkpoint: Checkpoint, tokenizer: Tokenizer | None) -> None:
        super().__init__(checkpoint, tokenizer)
        self.settings = Settings(checkpoint)

    @classmethod
    def serves(cls, config: Config) -> bool:
        return isinstance(config, DecoderConfig) and config.output is not None

    def __call__(
        self,
        text: str | Iterable[str],
        *,
        min_length: int = 0,
        max_length: int | None = None,
        progress: Progress | None = None,
    ) -> Any:
        """Continue one text, or each of several, by at most `max_length` tokens (50 unless the folder says more)."""
        most = max_length or self.settings.length("max_new_tokens") or 50
        write = partial(self.written, shortest=min_length, most=most)
        return self.answers(text, self.read_prompt, write, progress)

    def read_prompt(self, text: Text, number: int | None) -> Encoded:
        if not isinstance(text, str):
            raise TokenizerError(f"{called(number)} is a pair; one text can be continued")
        encoded = self.read(text, number)
        if text:  # what a tokeniser puts after a text would end it
            last = max((place for place, which in enumerate(encoded.texts) if which is not None), default=-1)
            encoded = encoded.take(range(last + 1))
        if self.longest is not None and len(encoded) == self.longest:
            line = f"{called(number)} has {len(encoded)} tokens, as many as the model reads: no room to write"
            raise TextTooLong(line)
        return encoded if encoded.ids else self.opening()

    def opening(self) -> Encoded:
        """What stands before a text of which nothing is known."""
        specials = self.tokenizer.specials
        first = specials.eos if specials.bos is None else specials.bos
        if first is None:
            raise TokenizerError("an empty text cannot be continued: the tokeniser has no token that begins one")
        return Encoded((first,), (self.tokenizer.token(first),), ((0, 0),), (None,), (0,), (None,))

    def written(self, batch: Batch, items: list[Item], shortest: int, most: int) -> list[Generated]:
        rules = self.settings.rules(self.tokenizer.specials, shortest)
        room = [most if self.longest is None else min(most, self.longest - len(encoded)) for _, encoded in items]
        found = greedy(self.model, None, batch.tokens, prefix_real=batch.real, longest=room, rules=rules)  # type: ignore[arg-type]
        answers = []
        for (text, encoded), written in zip(items, found, strict=True):
            before = self.tokenizer.decode(encoded.ids)
            added = self.tokenizer.decode([*encoded.ids, *written.ids]).removeprefix(before)
            tokens = self.tokenizer.tokens(written.ids)
            answers.append(Generated(str(text), added, written.score, tokens, written.ids, written.is_finished))
        return answers

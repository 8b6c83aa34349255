"""One text becomes another."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from regard.checkpoints import Checkpoint, CheckpointError
from regard.checkpoints.hub import Config
from regard.decoding import Rules, greedy
from regard.models import TransformerConfig
from regard.tasks.task import Item, Progress, Task, Text, called
from regard.tasks.writing import Settings
from regard.text import Batch, Encoded, Tokenizer, TokenizerError

ENOUGH = 512  # tokens, where a folder does not say how long a translation may become


@dataclass(frozen=True)
class Translated:
    """What was written. `score` is its log-probability; `is_finished` is False if it was stopped for its length."""

    source: str
    text: str
    score: float
    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    is_finished: bool


class Translate(Task):
    """Translate, or rewrite in whatever way the model learned: `translate("Where is the station?").text`."""

    name = "translate"

    def __init__(self, checkpoint: Checkpoint, tokenizer: Tokenizer | None) -> None:
        super().__init__(checkpoint, tokenizer)
        self.settings = Settings(checkpoint)

    @classmethod
    def serves(cls, config: Config) -> bool:
        return isinstance(config, TransformerConfig) and config.output is not None

    def __call__(
        self,
        text: str | Iterable[str],
        *,
        language: str | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        progress: Progress | None = None,
    ) -> Any:
        """Translate one text, or each of several. `language` is for models that write several: "fra" or ">>fra<<"."""
        code = None if language is None else self.code(language)
        told = self.settings.length("max_length")
        most = max_length or self.settings.length("max_new_tokens") or (told - 1 if told else self.room())
        shortest = min_length if min_length is not None else max(0, (self.settings.length("min_length") or 0) - 1)
        rules = self.rules(shortest)
        write = partial(self.written, rules=rules, most=most)
        return self.answers(text, partial(self.read_source, code=code), write, progress)

    def read_source(self, text: Text, number: int | None, code: str | None) -> Encoded:
        if not isinstance(text, str):
            raise TokenizerError(f"{called(number)} is a pair; one text can be translated")
        return self.read(f"{code or ''}{text}", number, special=[] if code is None else [code])

    def code(self, language: str) -> str:
        """The token that asks for a language."""
        known = sorted(token for token in self.tokenizer.vocabulary if token.startswith(">>") and token.endswith("<<"))
        code = language if language.startswith(">>") else f">>{language}<<"
        if code not in known:
            which = ", ".join(known) if known else "no code is needed or known"
            raise TokenizerError(f"no language {language!r}: {which}")
        return code

    def room(self) -> int:
        """As many tokens as the decoder has places for."""
        config: Any = self.model.config
        position = config.decoder.position
        return position.settings["length"] - 1 if position.kind == "learned" else min(ENOUGH, self.longest or ENOUGH)

    def rules(self, shortest: int) -> Rules:
        rules = self.settings.rules(self.tokenizer.target.specials, shortest)
        number = self.settings.number
        return replace(rules, first=number("forced_bos_token_id"), last=number("forced_eos_token_id"))

    def start(self) -> int:
        """The token that a translation begins with."""
        for key in ("decoder_start_token_id", "bos_token_id"):
            if (number := self.settings.number(key)) is not None:
                return number
        raise CheckpointError(f"{self.checkpoint.folder}: no decoder_start_token_id says what a text begins with")

    def written(self, batch: Batch, items: list[Item], rules: Rules, most: int) -> list[Translated]:
        prefix = torch.full((len(items), 1), self.start(), device=batch.tokens.device)
        longest = [most] * len(items)
        found = greedy(self.model, batch.tokens, prefix, real=batch.real, longest=longest, rules=rules)  # type: ignore[arg-type]
        target = self.tokenizer.target
        return [
            Translated(str(text), target.decode(one.ids), one.score, target.tokens(one.ids), one.ids, one.is_finished)
            for (text, _), one in zip(items, found, strict=True)
        ]

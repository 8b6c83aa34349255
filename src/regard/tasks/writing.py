"""How a folder wants its model to write: config.json and generation_config.json."""

from typing import Any

from regard.checkpoints import Checkpoint, CheckpointError
from regard.decoding import Rules
from regard.tasks.task import number_of, settings_of
from regard.text import Specials

GENERATION = "generation_config.json"


class Settings:
    """What generation_config.json says, and config.json where it is silent."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.folder = checkpoint.folder
        given = settings_of(checkpoint.folder, GENERATION)
        self.told = {**checkpoint.config, **{key: value for key, value in given.items() if value is not None}}

    def number(self, key: str) -> int | None:
        """A token's number."""
        return number_of(self.told.get(key), f"{self.folder}: {key}")

    def numbers(self, key: str) -> tuple[int, ...]:
        """One number or several."""
        told = self.told.get(key)
        told = told if isinstance(told, list) else [] if told is None else [told]
        return tuple(number for each in told if (number := number_of(each, f"{self.folder}: {key}")) is not None)

    def length(self, key: str) -> int | None:
        told = self.told.get(key)
        if told is not None and (type(told) is not int or told < 0):
            raise CheckpointError(f"{self.folder}: {key} = {told!r} is not a length")
        return told

    def banned(self) -> tuple[int, ...]:
        """Tokens that are never written: bad words of one token, suppressed ones."""
        words: Any = self.told.get("bad_words_ids") or []
        single = [word[0] for word in words if isinstance(word, list) and len(word) == 1 and type(word[0]) is int]
        return (*single, *self.numbers("suppress_tokens"))

    def rules(self, specials: Specials, shortest: int = 0) -> Rules:
        """Without forced tokens: those are the business of models that read one text and write another."""
        known = specials.sep if specials.eos is None else specials.eos
        ends = self.numbers("eos_token_id") or (() if known is None else (known,))
        return Rules(ends, banned=self.banned(), shortest=shortest)

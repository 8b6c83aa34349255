"""How a text is to be written: what the caller says, else the folder, else in the plainest way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import index
from pathlib import Path
from typing import SupportsIndex, TypedDict

from regard.decoding import Constraints, Sampling
from regard.decoding.limits import (
    LENGTH_PENALTIES,
    MAX_BEAMS,
    MAX_NEW_TOKENS,
    REPETITION_PENALTIES,
    SMALLEST_SHARE,
    TEMPERATURES,
)
from regard.errors import CheckpointError, RegardError
from regard.settings import TOKEN, Range, Settings
from regard.tasks.confidence import Calibration
from regard.text import Specials
from regard.untrusted import CONFIG, read_optional_json

SamplingChoice = Sampling | Mapping[str, object] | bool | None
"""How to draw: exactly so; so, and for the rest as the folder says; as the folder says; not; or if the folder does."""
GENERATION = "generation_config.json"
TOKENS = (
    *("eos_token_id", "bos_token_id", "pad_token_id", "decoder_start_token_id", "forced_bos_token_id"),
    *("forced_eos_token_id", "suppress_tokens", "begin_suppress_tokens"),
)
LENGTH_KEYS = ("max_new_tokens", "min_new_tokens", "max_length", "min_length")
LENGTHS = Range(0, MAX_NEW_TOKENS)
TOP = 50  # the likeliest tokens among which a folder that asks for sampling means to choose, unless it says otherwise


class GenerationOptions(TypedDict, total=False):
    """What a caller may say of how to write; the folder says the rest, or else the plainest way is taken.

    `beam` hypotheses are kept by a search, the best `num_hypotheses` given; a `length_penalty` above 1 is for longer
    texts. Lengths are in new tokens, of a sentence where sentences are written. `sample=True` draws as the folder says,
    `sample=Sampling(...)` as you say; the same `seed` draws the same text, in any company. `precision` is of the
    weights: "float32", "float16" or "int8".
    """

    beam: int | None
    num_hypotheses: int
    length_penalty: float | None
    min_new_tokens: int | None
    max_new_tokens: int | None
    sample: SamplingChoice
    seed: int | None
    precision: str


@dataclass(frozen=True)
class GenerationConfig:
    """How texts are written. `sampling` is None for the likeliest text that a search with `beam` hypotheses finds;
    `max_new_tokens` is None where only the model and its folder limit the length."""

    beam: int = 1
    num_hypotheses: int = 1
    length_penalty: float = 1.0
    early_stop: bool = True
    sampling: Sampling | None = None
    precision: str = "float32"
    max_new_tokens: int | None = None
    constraints: Constraints = Constraints()

    def for_texts(self, texts: Sequence[int]) -> "GenerationConfig":
        """The same for some of the texts, if each has a seed of its own."""
        if self.sampling is None or isinstance(self.sampling.seed, int):
            return self
        seeds = self.sampling.seed
        if max(texts, default=-1) >= len(seeds):
            raise RegardError(f"one seed, or one for each text, expected, got {len(seeds)}")
        return replace(self, sampling=replace(self.sampling, seed=tuple(seeds[text] for text in texts)))


class FolderGenerationConfig:
    """What generation_config.json says, and config.json where it is silent: all of it is read, and checked, at once.

    How to search is read from one file only, as others do: from config.json where there is no other.
    """

    file: Settings
    model: Settings

    def __init__(self, folder: Path, entries: Mapping[str, object]) -> None:
        """`entries` are those of config.json."""
        path = folder / GENERATION
        self.file, self.model = (
            Settings({key: value for key, value in values.items() if value is not None}, str(where), CheckpointError)
            for values, where in ((read_optional_json(path), path), (entries, folder / CONFIG))
        )
        self.search: Settings = self.file if path.is_file() else self.model
        self.tokens: dict[str, tuple[int, ...]] = {key: self.settings(key).tokens(key) for key in TOKENS}
        self.lengths: dict[str, int | None] = {
            key: self.settings(key).integer_or_none(key, None, LENGTHS) for key in LENGTH_KEYS
        }
        self.phrases: tuple[tuple[int, ...], ...] = phrases_of(self.settings("bad_words_ids"))
        self.capitals: bool = self.settings("capitals").one_of("capitals", "", ("", "small")) == ""
        self.alignment: str = self.settings("alignment").text("alignment")
        self.calibration: Calibration | None = calibration_of(self.settings("confidence"))
        self.beam: int = self.search.integer("num_beams", 1, Range(1, MAX_BEAMS))
        self.length_penalty: float = self.search.number("length_penalty", 1.0, Range(*LENGTH_PENALTIES))
        self.repetition_penalty: float = self.search.number("repetition_penalty", 1.0, Range(*REPETITION_PENALTIES))
        self.no_repeat: int = self.search.integer("no_repeat_ngram_size", 0, LENGTHS)
        self.early_stop: bool = self.search.get("early_stopping") != "never"
        if self.early_stop:
            self.search.flag("early_stopping", False)
        self.samples: bool = self.search.flag("do_sample", False)
        self.sampling(None, None)

    def settings(self, key: str) -> Settings:
        """The file that says something of a key."""
        return self.file if key in self.file.entries else self.model

    def token(self, key: str, vocabulary: int) -> int | None:
        """The one token that a key names, if it does: one of the vocabulary, since the model is to read or write it."""
        tokens = self.tokens[key]
        if len(tokens) > 1 or any(token >= vocabulary for token in tokens):
            self.settings(key).refuse(key, f"one token, from 0 to {vocabulary - 1:,},")
        return tokens[0] if tokens else None

    def constraints(self, specials: Specials, min_new_tokens: int = 0) -> Constraints:
        """Without forced tokens: those are the business of models that read one text and write another."""
        eos = specials.sep if specials.eos is None else specials.eos
        ends = self.tokens["eos_token_id"] or (() if eos is None else (eos,))
        single = tuple(word[0] for word in self.phrases if len(word) == 1 and word[0] not in ends)
        return Constraints(
            ends,
            banned=(*single, *self.tokens["suppress_tokens"]),
            min_new_tokens=min_new_tokens,
            banned_first=self.tokens["begin_suppress_tokens"],
            phrases=tuple(word for word in self.phrases if len(word) > 1),
            no_repeat=self.no_repeat,
            repetition_penalty=self.repetition_penalty,
        )

    def sampling(self, requested: SamplingChoice, seed: int | None) -> Sampling | None:
        """How to draw, or None: texts are drawn only where the caller or the folder says so."""
        if requested is False or (requested is None and not self.samples):
            return None
        if not isinstance(requested, Sampling):
            folder_sampling = Sampling(
                temperature=self.search.number("temperature", 1.0, Range(*TEMPERATURES)),
                top_k=self.search.integer("top_k", TOP, TOKEN),
                top_p=self.search.number("top_p", 1.0, Range(SMALLEST_SHARE, 1)),
                min_p=self.search.number("min_p", 0.0, Range(0, 1)),
            )
            requested = replace(folder_sampling, **requested) if isinstance(requested, Mapping) else folder_sampling
        return requested if seed is None else replace(requested, seed=seed)

    def generation_config(
        self,
        *,
        beam: int | None = None,
        num_hypotheses: int = 1,
        length_penalty: float | None = None,
        sample: SamplingChoice = None,
        seed: int | None = None,
        precision: str = "float32",
        min_new_tokens: int | None = None,
        max_new_tokens: int | None = None,
        constraints: Constraints = Constraints(),
    ) -> GenerationConfig:
        """What the caller says, and for all else what the folder says."""
        if min_new_tokens is not None:
            constraints = replace(constraints, min_new_tokens=min_new_tokens)
        sampling = self.sampling(sample, seed)
        if beam is None:
            beam = 1 if sampling else max(num_hypotheses, self.beam)
        counts = {"beam": beam, "num_hypotheses": num_hypotheses, "max_new_tokens": max_new_tokens}
        for name, number in counts.items():
            if number is not None and (not isinstance(number, SupportsIndex) or index(number) < 1):
                raise RegardError(f"{name} is 1 or more, got {number!r}")
        if sampling is None and num_hypotheses > beam:
            raise RegardError(
                f"num_hypotheses = {num_hypotheses}, more than the {beam} hypotheses that a beam of {beam} keeps"
            )
        penalty = self.length_penalty if length_penalty is None else length_penalty
        return GenerationConfig(
            beam, num_hypotheses, penalty, self.early_stop, sampling, precision, max_new_tokens, constraints
        )


def phrases_of(settings: Settings) -> tuple[tuple[int, ...], ...]:
    """Bad words, of one token or several."""
    words = settings.list("bad_words_ids")
    if not all(isinstance(word, list) and word for word in words) or any(
        type(token) is not int or token not in TOKEN for word in words for token in word
    ):
        settings.refuse("bad_words_ids", "a list of lists of tokens")
    return tuple(map(tuple, words))


def calibration_of(settings: Settings) -> Calibration | None:
    """How signs of a good translation are weighed, where the folder says so."""
    weights = settings.object("confidence")
    try:
        return Calibration.read(weights) if weights else None
    except RegardError as problem:
        raise CheckpointError(f"{settings.where}: confidence: {problem}") from None

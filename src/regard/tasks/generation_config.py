"""How a text is to be written: what the caller says, else the folder, else in the plainest way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from torch import Tensor

from regard.checkpoints import Checkpoint, CheckpointError
from regard.decoding import Beam, Constraints, DecodeResult, OnStep, Sampling, decode
from regard.errors import RegardError
from regard.looking.align.alignment_heads import AlignmentHeads
from regard.models import Model
from regard.shapes import AttentionMask, Tokens
from regard.tasks.task import number_of, settings_of
from regard.text import Specials

SamplingChoice = Sampling | Mapping[str, Any] | bool | None
"""How to draw: exactly so; so, and for the rest as the folder says; as the folder says; not; or if the folder does."""
GENERATION = "generation_config.json"
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

    def decode_batch(
        self,
        model: Model,
        source: Tokens | None,
        prefix: Tensor,
        *,
        max_new_tokens: Sequence[int],
        attention_mask: AttentionMask | None = None,
        prefix_attention_mask: Tensor | None = None,
        tree: bool = False,
        on_step: OnStep | None = None,
    ) -> list[DecodeResult]:
        """The hypotheses of every text of a batch, the best first; with `tree` how a beam search came to them."""
        return decode(
            model,
            source,
            attention_mask=attention_mask,
            prefix=prefix,
            prefix_attention_mask=prefix_attention_mask,
            beam=Beam(self.beam, self.early_stop),
            num_hypotheses=self.num_hypotheses,
            length_penalty=self.length_penalty,
            sampling=self.sampling,
            precision=self.precision,
            max_new_tokens=max_new_tokens,
            constraints=self.constraints,
            tree=tree and self.beam > 1,
            on_step=on_step,
        )


class FolderGenerationConfig:
    """What generation_config.json says, and config.json where it is silent.

    How to search is read from one file only, as others do: from config.json where there is no other.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.folder = checkpoint.folder
        file_values = {key: value for key, value in settings_of(self.folder, GENERATION).items() if value is not None}
        self.values = {**checkpoint.config, **file_values}
        self.search: dict[str, Any] = file_values if (self.folder / GENERATION).is_file() else checkpoint.config

    def number(self, key: str) -> int | None:
        """A token's number."""
        return number_of(self.values.get(key), f"{self.folder}: {key}")

    def numbers(self, key: str) -> tuple[int, ...]:
        """One number or several."""
        value = self.values.get(key)
        value = value if isinstance(value, list) else [] if value is None else [value]
        return tuple(number for item in value if (number := number_of(item, f"{self.folder}: {key}")) is not None)

    def length(self, key: str) -> int | None:
        value = self.values.get(key)
        if value is not None and (type(value) is not int or value < 0):
            raise CheckpointError(f"{self.folder}: {key} = {value!r} is not a length")
        return value

    def amount(self, key: str, default: float) -> float:
        """A number that says how to search."""
        value = self.search.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise CheckpointError(f"{self.folder}: {key} = {value!r} is not a number")
        return default if value is None else value

    def alignment_heads(self) -> AlignmentHeads | None:
        """Which heads are read as an alignment, where the folder says so: "decoder.1.cross:3 shifted"."""
        text = self.values.get("alignment")
        if text is not None and not isinstance(text, str):
            raise CheckpointError(f"{self.folder}: alignment = {text!r} names no heads")
        return None if text is None else AlignmentHeads.read(text)

    def capitals(self) -> bool:
        """Whether texts in capitals are read as such; a folder whose model has not learned them says "small"."""
        value = self.values.get("capitals")
        if value not in (None, "small"):
            raise CheckpointError(f'{self.folder}: capitals = {value!r}; "small" is known')
        return value is None

    def phrases(self) -> tuple[tuple[int, ...], ...]:
        """Bad words, of one token or several."""
        words = self.values.get("bad_words_ids") or []
        if not isinstance(words, list) or not all(isinstance(word, list) and word for word in words):
            raise CheckpointError(f"{self.folder}: bad_words_ids: a list of lists of tokens expected, got {words!r}")
        where = f"{self.folder}: bad_words_ids"
        return tuple(tuple(number_of(token, where) or 0 for token in word) for word in words)

    def constraints(self, specials: Specials, min_new_tokens: int = 0) -> Constraints:
        """Without forced tokens: those are the business of models that read one text and write another."""
        eos = specials.sep if specials.eos is None else specials.eos
        ends = self.numbers("eos_token_id") or (() if eos is None else (eos,))
        phrases = self.phrases()
        single = tuple(word[0] for word in phrases if len(word) == 1 and word[0] not in ends)
        return Constraints(
            ends,
            banned=(*single, *self.numbers("suppress_tokens")),
            min_new_tokens=min_new_tokens,
            banned_first=self.numbers("begin_suppress_tokens"),
            phrases=tuple(word for word in phrases if len(word) > 1),
            no_repeat=int(self.amount("no_repeat_ngram_size", 0)),
            repetition_penalty=self.amount("repetition_penalty", 1.0),
        )

    def sampling(self, requested: SamplingChoice, seed: int | None) -> Sampling | None:
        """How to draw, or None: texts are drawn only where the caller or the folder says so."""
        if requested is False or (requested is None and self.search.get("do_sample") is not True):
            return None
        if not isinstance(requested, Sampling):
            folder_values: dict[str, Any] = {
                "temperature": self.amount("temperature", 1.0),
                "top_k": int(self.amount("top_k", TOP)),
                "top_p": self.amount("top_p", 1.0),
                "min_p": self.amount("min_p", 0.0),
            }
            requested = Sampling(**folder_values | dict(requested if isinstance(requested, Mapping) else {}))
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
            beam = 1 if sampling else max(num_hypotheses, int(self.amount("num_beams", 1)))
        for name, number in (("beam", beam), ("num_hypotheses", num_hypotheses)):
            if number < 1:
                raise RegardError(f"{name} is 1 or more, got {number}")
        if sampling is None and num_hypotheses > beam:
            raise RegardError(
                f"num_hypotheses = {num_hypotheses}, more than the {beam} hypotheses that a beam of {beam} keeps"
            )
        penalty = self.amount("length_penalty", 1.0) if length_penalty is None else length_penalty
        early_stop = self.search.get("early_stopping") != "never"
        return GenerationConfig(
            beam, num_hypotheses, penalty, early_stop, sampling, precision, max_new_tokens, constraints
        )

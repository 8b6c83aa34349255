"""A text goes on."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from regard.attention.taps import unwatched
from regard.checkpoints import Checkpoint
from regard.checkpoints.hub import Config
from regard.decoding import Constraints, Hypothesis, StreamedToken, stream
from regard.errors import RegardError
from regard.models import Decoder, DecoderConfig
from regard.tasks.generation_config import FolderGenerationConfig, GenerationConfig, SamplingChoice
from regard.tasks.replay import Reading, decoder_input, is_watched, replay
from regard.tasks.task import Item, OnProgress, Task, Text, TextTooLong, text_name
from regard.text import Batch, Encoded, Tokenizer, TokenizerError

USUAL = 50  # tokens, where nobody says how long a text may become


@dataclass(frozen=True)
class Generation:
    """What was written after a prompt. `score` is its log-probability, `ranked` what hypotheses are compared by;
    `is_finished` is False if it was stopped; `alternatives` are the next best, as many as were asked for."""

    prompt: str
    text: str
    score: float
    rank_score: float
    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    is_finished: bool
    alternatives: tuple["Generation", ...] = ()


class GenerateTask(Task):
    """Write on: `generate("Once upon a time").text`."""

    name = "generate"
    side = "left"
    model: Decoder

    def __init__(self, checkpoint: Checkpoint, tokenizer: Tokenizer | None) -> None:
        super().__init__(checkpoint, tokenizer)
        self.settings = FolderGenerationConfig(checkpoint)

    @classmethod
    def serves(cls, config: Config) -> bool:
        return isinstance(config, DecoderConfig) and config.output is not None

    def __call__(
        self,
        text: str | Iterable[str],
        *,
        beam: int | None = None,
        num_hypotheses: int = 1,
        length_penalty: float | None = None,
        min_new_tokens: int | None = None,
        max_new_tokens: int | None = None,
        sample: SamplingChoice = None,
        seed: int | None = None,
        stream: bool = False,
        precision: str = "float32",
        first: int = 1,
        progress: OnProgress | None = None,
    ) -> Any:
        """Continue one text, or each of several.

        What is not said is read from the folder, generation_config.json: how to search or draw, and how long; else the
        likeliest token is written each time, 50 times at most. Lengths are in new tokens. `sample=True` draws as the
        folder says, `sample=Sampling(...)` as you say; the same `seed` draws the same text, in any company.

        `stream=True` gives an iterator over the text of one answer, a word or so at a time.
        """
        config = self.settings.generation_config(
            beam=beam,
            num_hypotheses=num_hypotheses,
            length_penalty=length_penalty,
            sample=sample,
            seed=seed,
            precision=precision,
        )
        min_tokens = min_new_tokens if min_new_tokens is not None else self.settings.length("min_new_tokens") or 0
        constraints = self.settings.constraints(self.tokenizer.specials, min_tokens)
        if stream:
            return self.stream_text(text, config, constraints, max_new_tokens)
        readings: dict[int, Reading] = {}
        write = partial(
            self.write_batch, config=config, constraints=constraints, max_new_tokens=max_new_tokens, readings=readings
        )
        with unwatched():
            answers = self.answers(text, self.read_prompt, write, progress, first)
        if is_watched(self.model):
            replay(self.model, [readings[row] for row in sorted(readings)], self.device)
        return answers

    def read_prompt(self, text: Text, number: int | None) -> Encoded:
        if not isinstance(text, str):
            raise TokenizerError(f"{text_name(number)} is a pair; one text can be continued")
        encoded = self.read(text, number)
        if text:  # what a tokeniser puts after a text would end it
            last = max((position for position, which in enumerate(encoded.texts) if which is not None), default=-1)
            encoded = encoded.take(range(last + 1))
        if self.max_length is not None and len(encoded) == self.max_length:
            line = f"{text_name(number)} has {len(encoded)} tokens, as many as the model reads: no room to write"
            raise TextTooLong(line)
        return encoded if encoded.ids else self.empty_prompt()

    def empty_prompt(self) -> Encoded:
        """What stands before a text of which nothing is known."""
        specials = self.tokenizer.specials
        first = specials.eos if specials.bos is None else specials.bos
        if first is None:
            raise TokenizerError("an empty text cannot be continued: the tokeniser has no token that begins one")
        return Encoded((first,), (self.tokenizer.token(first),), ((0, 0),), (None,), (0,), (None,))

    def max_new_tokens(self, requested: int | None, prompt: int) -> int:
        """New tokens at most: as the caller or the folder says, and as the model has places for."""
        limit = requested or self.settings.length("max_new_tokens")
        if limit is None and isinstance(self.settings.search.get("max_length"), int):  # which counts the prompt
            limit = max(1, self.settings.search["max_length"] - prompt)
        limit = limit or USUAL
        return limit if self.max_length is None else min(limit, self.max_length - prompt)

    def write_batch(
        self,
        batch: Batch,
        items: list[Item],
        config: GenerationConfig,
        constraints: Constraints,
        max_new_tokens: int | None,
        readings: dict[int, Reading],
    ) -> list[Generation]:
        limits = [self.max_new_tokens(max_new_tokens, len(encoded)) for _, encoded in items]
        hypotheses = config.for_texts(batch.rows).decode_batch(
            self.model,
            None,
            batch.tokens,
            prefix_attention_mask=batch.attention_mask,
            max_new_tokens=limits,
            constraints=constraints,
        )
        answers = []
        for row, (text, encoded), (best, *others) in zip(batch.rows, items, hypotheses, strict=True):
            readings[row] = ((), decoder_input(encoded.ids, best.ids, best.is_finished))
            answer = self.answer(str(text), encoded, best)
            answers.append(
                replace(answer, alternatives=tuple(self.answer(str(text), encoded, other) for other in others))
            )
        return answers

    def answer(self, text: str, encoded: Encoded, hypothesis: Hypothesis) -> Generation:
        before = self.tokenizer.decode(encoded.ids)
        added = self.tokenizer.decode([*encoded.ids, *hypothesis.ids]).removeprefix(before)
        return Generation(
            text,
            added,
            hypothesis.score,
            hypothesis.rank_score,
            self.tokenizer.tokens(hypothesis.ids),
            hypothesis.ids,
            hypothesis.is_finished,
        )

    def stream_text(
        self, text: Any, config: GenerationConfig, constraints: Constraints, max_new_tokens: int | None
    ) -> Iterator[str]:
        """The text of one answer as it comes. Whoever looks is shown the whole at the end."""
        if not isinstance(text, str):
            raise TokenizerError("one text can be streamed, got several")
        if config.beam > 1 or config.num_hypotheses > 1:
            got = f"beam={config.beam}, num_hypotheses={config.num_hypotheses}"
            raise RegardError(f"a text that is streamed is written once, with beam=1 and num_hypotheses=1, got {got}")
        encoded = self.read_prompt(text, None)
        prefix = torch.tensor([encoded.ids], device=self.device)
        tokens = stream(
            self.model,
            None,
            prefix=prefix,
            max_new_tokens=self.max_new_tokens(max_new_tokens, len(encoded)),
            sampling=config.sampling,
            precision=config.precision,
            constraints=constraints,
        )
        return self.decode_stream(encoded, tokens)

    def decode_stream(self, encoded: Encoded, tokens: Iterator[StreamedToken]) -> Iterator[str]:
        text = self.tokenizer.stream()
        text.before = list(encoded.ids)
        ids: list[int] = []
        is_finished = False
        while (token := next_unwatched(tokens)) is not None:
            is_finished = token.is_end
            if not is_finished:
                ids.append(token.id)
                if part := text.add(token.id):
                    yield part
        if part := text.end():
            yield part
        ids_read = decoder_input(encoded.ids, ids, is_finished)
        if is_watched(self.model):
            replay(self.model, [((), ids_read)], self.device)


def next_unwatched(tokens: Iterator[StreamedToken]) -> StreamedToken | None:
    """The next token; nobody looks while it is written, and all do again before it is given out."""
    with unwatched():
        return next(tokens, None)

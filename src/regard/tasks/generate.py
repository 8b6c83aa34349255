"""A text goes on."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Literal, Unpack, overload

import torch

from regard.attention.taps import unwatched
from regard.config import Config
from regard.decoding import DecodeResult, Hypothesis, OnStep, StreamedToken, stream
from regard.errors import RegardError
from regard.models import Decoder, DecoderConfig
from regard.tasks.decode_batch import decode_batch
from regard.tasks.generation_config import GenerationConfig, GenerationOptions
from regard.tasks.inputs import EncodedText, Reading, Text
from regard.tasks.processors.generate import GenerateProcessor, Generation
from regard.tasks.processors.processor import is_alone, read_all
from regard.tasks.replay import is_watched, replay
from regard.tasks.task import OnProgress, Task
from regard.text import Batch, TokenizerError


class GenerateTask(Task[GenerateProcessor]):
    """Write on: `generate("Once upon a time").text`."""

    name = "generate"
    side: ClassVar[Literal["left", "right"]] = "left"
    processor_class = GenerateProcessor
    model: Decoder  # pyright: ignore[reportIncompatibleVariableOverride]  (set once, by Task)

    @classmethod
    def serves(cls, config: Config, folder: Path) -> bool:
        return isinstance(config, DecoderConfig) and config.output is not None

    @overload
    def __call__(  # pyright: ignore[reportOverlappingOverload]  (a str is an iterable, too)
        self,
        text: str,
        *,
        stream: Literal[False] = ...,
        first: int = ...,
        progress: OnProgress | None = ...,
        **options: Unpack[GenerationOptions],
    ) -> Generation: ...

    @overload
    def __call__(
        self,
        text: str,
        *,
        stream: Literal[True],
        first: int = ...,
        progress: OnProgress | None = ...,
        **options: Unpack[GenerationOptions],
    ) -> Iterator[str]: ...

    @overload
    def __call__(
        self,
        text: Iterable[str],
        *,
        stream: bool = ...,
        first: int = ...,
        progress: OnProgress | None = ...,
        **options: Unpack[GenerationOptions],
    ) -> list[Generation]: ...

    def __call__(
        self,
        text: str | Iterable[str],
        *,
        stream: bool = False,
        first: int = 1,
        progress: OnProgress | None = None,
        **options: Unpack[GenerationOptions],
    ) -> Generation | list[Generation] | Iterator[str]:
        """Continue one text, or each of several.

        What is not said (`GenerationOptions` has all) is read from the folder, generation_config.json: how to search or
        draw, and how long; else the likeliest token is written each time, 50 times at most.

        `stream=True` gives an iterator over the text of one answer, a word or so at a time.
        """
        config = self.generation_config(**options)
        if stream:
            if not isinstance(text, str):
                raise TokenizerError("one text can be streamed, got several")
            return self.stream_text(self.read(text), config)
        prompts = read_all(text, self.read, first)
        with unwatched():
            results = self.write(prompts, config, progress=progress)
        pairs = list(zip(prompts, results, strict=True))
        if is_watched(self.model):
            replay(self.model, [self.reading(*pair) for pair in pairs], self.device)
        answers = [self.answer(*pair) for pair in pairs]
        return answers[0] if is_alone(text) else answers

    def generation_config(self, **options: Unpack[GenerationOptions]) -> GenerationConfig:
        """How to write: as the caller says, and for all else as the folder says."""
        return self.processor.generation_config(**options)

    def read(self, text: Text, number: int | None = None, *, is_prompt: bool = True) -> EncodedText:
        """The tokens of a text: of a prompt, after which there is room to write, or of one that is only read."""
        return self.processor.read(text, number, is_prompt=is_prompt)

    def write(
        self,
        prompts: Sequence[EncodedText],
        config: GenerationConfig,
        *,
        tree: bool = False,
        on_step: OnStep | None = None,
        progress: OnProgress | None = None,
    ) -> list[DecodeResult]:
        """The hypotheses after each prompt; `tree` keeps how a beam search came to them. `on_step` is told how far
        those are that are written side by side, `progress` how many are done."""

        def write_batch(batch: Batch) -> list[DecodeResult]:
            lengths = [len(prompts[row].encoded) for row in batch.rows]
            return decode_batch(
                self.model,
                None,
                batch.tokens,
                config.for_texts(batch.rows),
                prefix_attention_mask=batch.attention_mask,
                max_new_tokens=[self.processor.max_new_tokens(config.max_new_tokens, length) for length in lengths],
                tree=tree,
                on_step=on_step,
            )

        return self.in_batches([prompt.encoded for prompt in prompts], write_batch, progress)

    def answer(self, prompt: EncodedText, result: DecodeResult) -> Generation:
        return self.processor.answer(prompt, result)

    def reading(self, prompt: EncodedText, result: DecodeResult, *, is_whole: bool = False) -> Reading:
        """What a watched pass over a prompt and its best continuation reads: what the last token was written from, or
        all of it, that token included."""
        return self.processor.reading(prompt, result, is_whole=is_whole)

    def stream_text(self, prompt: EncodedText, config: GenerationConfig) -> Iterator[str]:
        """The text of one answer as it comes. Whoever looks is shown the whole at the end."""
        if config.beam > 1 or config.num_hypotheses > 1:
            got = f"beam={config.beam}, num_hypotheses={config.num_hypotheses}"
            raise RegardError(f"a text that is streamed is written once, with beam=1 and num_hypotheses=1, got {got}")
        tokens = stream(
            self.model,
            None,
            prefix=torch.tensor([prompt.encoded.ids], device=self.device),
            max_new_tokens=self.processor.max_new_tokens(config.max_new_tokens, len(prompt.encoded)),
            sampling=config.sampling,
            precision=config.precision,
            constraints=config.constraints,
        )
        return self.decode_stream(prompt, tokens)

    def decode_stream(self, prompt: EncodedText, tokens: Iterator[StreamedToken]) -> Iterator[str]:
        text = self.tokenizer.stream()
        text.before = list(prompt.encoded.ids)
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
        if is_watched(self.model):
            result = DecodeResult((Hypothesis(tuple(ids), (), is_finished),))
            replay(self.model, [self.reading(prompt, result)], self.device)


def next_unwatched(tokens: Iterator[StreamedToken]) -> StreamedToken | None:
    """The next token; nobody looks while it is written, and all do again before it is given out."""
    with unwatched():
        return next(tokens, None)

"""A text goes on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Unpack, overload

from regard.config import Config
from regard.decoding import DecodeResult, Hypothesis, OnStep, StreamedToken, stream
from regard.errors import RegardError
from regard.tasks.decode_batch import decode_batch, join_batch
from regard.tasks.generation_config import GenerationConfig, GenerationOptions
from regard.tasks.inputs import EncodedText, Reading, Text
from regard.tasks.processors.generate import GenerateProcessor, Generation
from regard.tasks.processors.processor import is_alone, read_all
from regard.tasks.purposes import can_generate
from regard.tasks.task import OnProgress
from regard.tasks.writing_task import WritingTask
from regard.text.batching import ArrayBatch, array_batch
from regard.text.files import TokenizerError

if TYPE_CHECKING:
    from regard.decoding.running import RunningText, RunningTexts
    from regard.models import Decoder


class GenerateTask(WritingTask[GenerateProcessor]):
    """Write on: `generate("Once upon a time").text`."""

    name = "generate"
    side: ClassVar[Literal["left", "right"]] = "left"
    processor_class = GenerateProcessor
    model: "Decoder"  # pyright: ignore[reportIncompatibleMethodOverride]  (a property of Task)

    @classmethod
    def serves(cls, config: Config, folder: Path) -> bool:
        return can_generate(config, folder)

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
        with self.unwatched():
            results = self.write(prompts, config, progress=progress)
        pairs = list(zip(prompts, results, strict=True))
        self.show([self.reading(*pair) for pair in pairs])
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

        def write_batch(batch: ArrayBatch) -> list[DecodeResult]:
            lengths = [len(prompts[row].encoded) for row in batch.rows]
            return decode_batch(
                self.writer,
                None,
                config.for_texts(batch.rows),
                prefix=batch.tokens,
                attention_mask=None,
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
        return self.decode_stream(prompt, self.stream_tokens([prompt], config))

    def stream_tokens(
        self,
        prompts: Sequence[EncodedText],
        config: GenerationConfig,
        *,
        max_new_tokens: Sequence[int | None] | None = None,
        is_wanted: Callable[[int], bool] | None = None,
    ) -> Iterator[StreamedToken]:
        """The tokens that follow several prompts, side by side, as they come; `max_new_tokens` is of each of them. One
        of which `is_wanted` says no is not written on."""
        limits = max_new_tokens or [config.max_new_tokens] * len(prompts)
        texts = [prompt.encoded for prompt in prompts]
        rows = tuple(range(len(texts)))
        batch = array_batch(texts, rows, self.processor.padding or 0, self.side)
        return stream(
            self.writer,
            None,
            prefix=batch.tokens,
            prefix_attention_mask=None if len(texts) == 1 else batch.attention_mask,
            max_new_tokens=[
                self.processor.max_new_tokens(limit, len(text)) for limit, text in zip(limits, texts, strict=True)
            ],
            sampling=config.sampling,
            precision=config.precision,
            constraints=config.constraints,
            is_wanted=is_wanted,
        )

    def join(
        self,
        running: "RunningTexts",
        prompts: Sequence[EncodedText],
        texts: "Sequence[RunningText]",
        config: GenerationConfig,
        *,
        max_new_tokens: Sequence[int | None],
        is_apart: bool = False,
    ) -> None:
        """Prompts are continued among others from now on, `max_new_tokens` of each; its text is told what comes."""
        encoded = [prompt.encoded for prompt in prompts]
        batch = array_batch(encoded, tuple(range(len(encoded))), self.processor.padding or 0, self.side)
        limits = [
            self.processor.max_new_tokens(limit, len(text)) for limit, text in zip(max_new_tokens, encoded, strict=True)
        ]
        join_batch(
            running,
            texts,
            None,
            config,
            prefix=batch.tokens,
            attention_mask=None,
            prefix_attention_mask=None if len(encoded) == 1 else batch.attention_mask,
            max_new_tokens=limits,
            is_apart=is_apart,
        )

    def decode_stream(self, prompt: EncodedText, tokens: Iterator[StreamedToken]) -> Iterator[str]:
        text = self.tokenizer.stream()
        text.before = list(prompt.encoded.ids)
        ids: list[int] = []
        is_finished = False
        while (token := self.next_unwatched(tokens)) is not None:
            is_finished = token.is_end
            if not is_finished:
                ids.append(token.id)
                if part := text.add(token.id):
                    yield part
        if part := text.end():
            yield part
        result = DecodeResult((Hypothesis(tuple(ids), (), is_finished),))
        self.show([self.reading(prompt, result)])

    def next_unwatched(self, tokens: Iterator[StreamedToken]) -> StreamedToken | None:
        """The next token; nobody looks while it is written, and all do again before it is given out."""
        with self.unwatched():
            return next(tokens, None)

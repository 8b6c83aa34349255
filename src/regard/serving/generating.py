"""Prompts of a request go on: read, written among the prompts of others, and answered, at once or as they grow."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from regard.serving.batching import Piece
from regard.serving.continuation import Continuation, PromptPiece
from regard.serving.metrics import ServiceMetrics
from regard.serving.served_model import ServedModel
from regard.serving.writing import WriteKey

if TYPE_CHECKING:
    from regard.tasks.inputs import Reading

SEEDS = 2**31


@dataclass(frozen=True)
class PromptSettings:
    """How prompts are continued: `choices` times each, drawn where there is a `temperature`, with the likeliest token
    else. The first choice is drawn with the `seed`, as `regard.load(…)(prompt, sample=…, seed=…)` draws it."""

    max_new_tokens: int | None = None
    choices: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0
    stops: tuple[str, ...] = ()
    edits: str = ""


class PromptBatch:
    """The prompts of a request as pieces, `choices` of each, in order."""

    def __init__(self, model: ServedModel, prompts: Sequence[str], settings: PromptSettings) -> None:
        from regard.decoding import Sampling

        self.model = model
        self.settings = settings
        self.task: Any = model.can("generate")
        sampling = False
        if settings.temperature > 0:
            sampling = Sampling(temperature=settings.temperature, top_p=settings.top_p)
        config = self.task.generation_config(beam=1, sample=sampling, precision=model.precision)
        self.key: WriteKey = WriteKey("generate", model.precision, settings.edits)
        self.prompts: list[Any] = [self.task.read(prompt, number) for number, prompt in enumerate(prompts, 1)]
        self.pieces: list[Piece] = [
            Piece(
                PromptPiece(prompt, (settings.seed + choice * 7919) % SEEDS, settings.max_new_tokens, settings.stops),
                len(prompt.encoded),
                config,
            )
            for prompt in self.prompts
            for choice in range(settings.choices)
        ]

    @property
    def prompt_tokens(self) -> int:
        return sum(len(prompt.encoded) for prompt in self.prompts)

    @property
    def continuations(self) -> list[Continuation]:
        return [piece.result for piece in self.pieces]

    @property
    def readings(self) -> "list[tuple[Reading, ...]]":
        """What one more pass has to read to look into each continuation."""
        from regard.decoding import DecodeResult, Hypothesis

        readings = []
        for piece in self.pieces:
            text: Continuation = piece.result
            result = DecodeResult((Hypothesis(tuple(text.ids), tuple(text.scores), text.is_finished),))
            readings.append((self.task.reading(text.piece.prompt, result, is_whole=True),))
        return readings


async def read_prompts(model: ServedModel, prompts: Sequence[str], settings: PromptSettings) -> PromptBatch:
    return await asyncio.to_thread(PromptBatch, model, prompts, settings)


async def continue_prompts(batch: PromptBatch, client: str, metrics: ServiceMetrics) -> list[Continuation]:
    """What follows each prompt."""
    await batch.model.batcher.submit(batch.key, batch.pieces, client)
    count_work(batch, metrics)
    return batch.continuations


async def stream_prompts(
    batch: PromptBatch, client: str, metrics: ServiceMetrics
) -> AsyncGenerator[tuple[int, str], None]:
    """The same as it grows: the number of a choice, and the next part of its text; then ("", for all) the end.

    Whoever stops listening takes the request back.
    """
    loop, parts = asyncio.get_running_loop(), asyncio.Queue[tuple[int, str] | None]()

    def reporter(number: int) -> Any:
        def report(part: str) -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(parts.put_nowait, (number, part))

        return report

    batch.pieces = [replace(piece, on_token=reporter(number)) for number, piece in enumerate(batch.pieces)]
    work = asyncio.ensure_future(batch.model.batcher.submit(batch.key, batch.pieces, client))
    work.add_done_callback(lambda done: parts.put_nowait(None))
    try:
        while (part := await parts.get()) is not None:
            yield part
        await work
        count_work(batch, metrics)
    finally:
        work.cancel()


def count_work(batch: PromptBatch, metrics: ServiceMetrics) -> None:
    letters = sum(len(str(prompt.text)) for prompt in batch.prompts)
    tokens = sum(len(text.ids) for text in batch.continuations)
    metrics.work(batch.model.name, texts=len(batch.prompts), letters=letters, tokens=tokens)


async def embed(
    model: ServedModel, texts: Sequence[str], edits: str, client: str, metrics: ServiceMetrics
) -> tuple[list[Any], int]:
    """The vector of each text, and how many tokens were read."""
    task: Any = await asyncio.to_thread(model.can, "embed")

    def read() -> list[Piece]:
        read_texts = [task.read(text, number) for number, text in enumerate(texts, 1)]
        return [Piece(text, len(text.encoded)) for text in read_texts]

    pieces = await asyncio.to_thread(read)
    await model.batcher.submit(WriteKey("embed", edits=edits), pieces, client)
    metrics.work(model.name, texts=len(texts), letters=sum(map(len, texts)))
    return [piece.result for piece in pieces], sum(piece.tokens for piece in pieces)

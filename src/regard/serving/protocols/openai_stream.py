"""Answers as they grow: server-sent events."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Protocol

from regard.errors import RegardError
from regard.serving.error_shapes import openai_error
from regard.serving.generating import PromptBatch, stream_prompts
from regard.serving.protocols.openai_choices import END, ChoiceShape, event
from regard.serving.refusals import TooSlow, status_of
from regard.serving.service import Service


class StreamRequest(Protocol):
    """Who asks, and in which of the two ways."""

    @property
    def shape(self) -> ChoiceShape: ...
    @property
    def client(self) -> str: ...


async def stream_answer(
    service: Service, batch: PromptBatch, writing: StreamRequest, *, include_usage: bool
) -> AsyncIterator[str]:
    """The events of an answer. An error after the first of them is an event, too: the status was sent."""
    shape = writing.shape
    head = {"id": shape.new_id(), "object": shape.chunk, "created": int(time.time()), "model": batch.model.name}
    if shape.is_chat:
        for number in range(len(batch.pieces)):
            yield event(head | {"choices": [shape.part(number, "", is_first=True)]})
    parts = stream_prompts(batch, writing.client, service.metrics)
    try:
        async with asyncio.timeout(service.limits.seconds):
            async for number, part in parts:
                yield event(head | {"choices": [shape.part(number, part)]})
        for number, text in enumerate(batch.continuations):
            yield event(head | {"choices": [shape.part(number, "", text.finish_reason)]})
        if include_usage:
            read, written = batch.prompt_tokens, sum(len(text.ids) for text in batch.continuations)
            usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
            yield event(head | {"choices": [], "usage": usage})
        yield END
    except (RegardError, TimeoutError) as problem:
        refusal = problem if isinstance(problem, RegardError) else TooSlow(service.limits.seconds)
        yield event(openai_error(status_of(refusal), str(refusal), getattr(refusal, "code", "")))
    finally:
        await parts.aclose()

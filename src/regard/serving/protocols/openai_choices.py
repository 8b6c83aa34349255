"""Choices as the two ways of writing have them: of a completion a text, of a chat a message."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from regard.serving.answer_store import StoredAnswer
from regard.serving.attention_query import AttentionQuery, describe_attention
from regard.serving.continuation import Continuation
from regard.serving.generating import PromptBatch
from regard.serving.service import Service
from regard.serving.token_scores import chat_logprobs, completion_logprobs, likeliest_tokens


@dataclass(frozen=True)
class ChoiceShape:
    """What one way of writing calls things."""

    prefix: str
    object_name: str
    chunk: str
    is_chat: bool
    logprobs: Callable[[Any, Continuation, list[Any]], dict[str, object]]

    def new_id(self) -> str:
        return f"{self.prefix}-{secrets.token_hex(12)}"

    def choice(self, number: int, text: str, reason: str | None, logprobs: object) -> dict[str, object]:
        said = {"message": {"role": "assistant", "content": text}} if self.is_chat else {"text": text}
        return {"index": number, **said, "logprobs": logprobs, "finish_reason": reason}

    def part(self, number: int, text: str, reason: str | None = None, *, is_first: bool = False) -> dict[str, object]:
        """A choice that grows by some letters."""
        delta: dict[str, object] = {"role": "assistant"} if is_first else {}
        if text or is_first:
            delta["content"] = text
        said = {"delta": delta} if self.is_chat else {"text": text}
        return {"index": number, **said, "logprobs": None, "finish_reason": reason}

    async def whole_stream(
        self, body: dict[str, Any], choices: "Sequence[Choice]", *, include_usage: bool
    ) -> AsyncIterator[str]:
        """An answer that is known already, as a stream."""
        head = {name: body[name] for name in ("id", "created", "model")} | {"object": self.chunk}
        for choice in choices:
            yield event(head | {"choices": [self.part(choice.number, choice.text, is_first=True)]})
            yield event(head | {"choices": [self.part(choice.number, "", choice.finish_reason)]})
        if include_usage:
            yield event(head | {"choices": [], "usage": body["usage"]})
        yield END


COMPLETION = ChoiceShape("cmpl", "text_completion", "text_completion", False, completion_logprobs)
CHAT = ChoiceShape("chatcmpl", "chat.completion", "chat.completion.chunk", True, chat_logprobs)
END = "data: [DONE]\n\n"


def event(body: Mapping[str, object]) -> str:
    """One event of a stream."""
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n"


@dataclass(frozen=True)
class Choice:
    """One answer."""

    number: int
    text: str
    finish_reason: str
    logprobs: dict[str, object] | None = None
    attention: dict[str, object] | None = None

    def fields(self, shape: ChoiceShape) -> dict[str, object]:
        return shape.choice(self.number, self.text, self.finish_reason, self.logprobs)


async def as_choices(
    service: Service,
    batch: PromptBatch,
    query: AttentionQuery | None,
    client: str,
    top: int | None,
    shape: ChoiceShape,
) -> list[Choice]:
    """What was written, with scores and attention where they are wanted."""
    if query is None and top is None:
        return [Choice(number, text.text, text.finish_reason) for number, text in enumerate(batch.continuations)]
    edits, readings = batch.settings.edits, batch.readings
    choices = []
    for number, (text, reading) in enumerate(zip(batch.continuations, readings, strict=True)):
        logprobs, attention = None, None
        if top is not None:
            options = await asyncio.to_thread(likeliest_tokens, batch.task, reading[0], text, top, edits)
            logprobs = shape.logprobs(batch.task, text, options)
        if query is not None:
            stored: StoredAnswer = service.answers.add(batch.task, reading, edits, client)
            attention = await describe_attention(stored, query, service.limits.cells)
        choices.append(Choice(number, text.text, text.finish_reason, logprobs, attention))
    return choices

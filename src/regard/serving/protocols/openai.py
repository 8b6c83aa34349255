"""OpenAI's protocol: /v1/models, /v1/completions, /v1/chat/completions, /v1/embeddings.

A model that writes on continues prompts, and answers a chat with the template of its folder. A translator answers with
the translation of a prompt, or of the last message of the user.
"""

import base64
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from regard.serving.attention_query import describe_attention
from regard.serving.bodies import check_fields, read_fields
from regard.serving.generating import PromptSettings, continue_prompts, embed, read_prompts
from regard.serving.protocols.documented import body_of
from regard.serving.protocols.openai_choices import CHAT, COMPLETION, Choice, ChoiceShape, as_choices
from regard.serving.protocols.openai_payload import (
    USUAL_COMPLETION,
    OpenAIChat,
    OpenAICompletion,
    OpenAIEmbedding,
    OpenAIWriting,
)
from regard.serving.protocols.openai_stream import stream_answer
from regard.serving.refusals import Refusal
from regard.serving.served_model import ServedModel
from regard.serving.service import Service
from regard.serving.translating import TranslationSettings, translate

if TYPE_CHECKING:
    from regard.serving.chat_template import ChatTemplate


@dataclass(frozen=True)
class WritingRequest:
    """What is to be written, in whichever of the two ways it was asked: `top` is None where no scores are wanted."""

    fields: OpenAIWriting
    model: ServedModel
    prompts: Sequence[str]
    settings: PromptSettings
    shape: ChoiceShape
    client: str
    top: int | None = None


def router(service: Service) -> APIRouter:
    router = APIRouter(prefix="/v1", tags=["OpenAI"])
    templates: dict[str, ChatTemplate | None] = {}

    @router.get("/models")
    async def models(request: Request) -> dict[str, object]:
        """The models that answer."""
        service.client(request, status=401)
        return {"object": "list", "data": [model_fields(model) for model in service.models.values()]}

    @router.get("/models/{name:path}")
    async def model(request: Request, name: str) -> dict[str, object]:
        """One of them."""
        service.client(request, status=401)
        return model_fields(service.model(name))

    @router.post("/completions", response_model=None, openapi_extra=body_of(OpenAICompletion))
    async def completions(request: Request) -> dict[str, object] | StreamingResponse:
        """Continue prompts."""
        client = service.client(request, status=401)
        fields = check_fields(OpenAICompletion, await read_fields(request))
        fields.refuse_unsupported()
        served = service.model(fields.model)
        default = USUAL_COMPLETION if "generate" in served.tasks else None
        settings = fields.prompt_settings(service, fields.max_tokens or default)
        writing = WritingRequest(fields, served, fields.prompt, settings, COMPLETION, client, fields.logprobs)
        return await respond(service, request, writing)

    @router.post("/chat/completions", response_model=None, openapi_extra=body_of(OpenAIChat))
    async def chat(request: Request) -> dict[str, object] | StreamingResponse:
        """Go on with a talk."""
        client = service.client(request, status=401)
        fields = check_fields(OpenAIChat, await read_fields(request))
        fields.refuse_unsupported()
        served = service.model(fields.model)
        settings = fields.prompt_settings(service, fields.max_completion_tokens or fields.max_tokens)
        top = (fields.top_logprobs or 0) if fields.logprobs else None
        service.check_texts([message.text for message in fields.messages])
        prompt = chat_prompt(served, fields, templates)
        return await respond(service, request, WritingRequest(fields, served, [prompt], settings, CHAT, client, top))

    @router.post("/embeddings", openapi_extra=body_of(OpenAIEmbedding))
    async def embeddings(request: Request) -> dict[str, object]:
        """The vectors of texts."""
        client = service.client(request, status=401)
        fields = check_fields(OpenAIEmbedding, await read_fields(request))
        if fields.dimensions is not None:
            raise Refusal(400, "dimensions: the vectors of this model cannot be cut", code="unsupported_parameter")
        service.check_texts(fields.input)
        served, edits = service.model(fields.model), service.edits(fields.edits)
        work = embed(served, fields.input, edits, client, service.metrics)
        vectors, tokens = await service.within_time(request, work)
        is_packed = fields.encoding_format == "base64"
        data = [
            {"object": "embedding", "index": at, "embedding": packed(vector) if is_packed else vector.tolist()}
            for at, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "data": data, "model": served.name, "usage": usage}

    return router


def packed(vector: Any) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


def model_fields(model: ServedModel) -> dict[str, object]:
    fields: dict[str, object] = {"id": model.name, "object": "model", "created": model.created, "owned_by": "regard"}
    return fields | {"tasks": sorted(model.tasks), "languages": list(model.languages or ())}


def chat_prompt(model: ServedModel, fields: OpenAIChat, templates: "dict[str, ChatTemplate | None]") -> str:
    """Messages as one text."""
    if "translate" in model.tasks:
        said = [message.text for message in fields.messages if message.role == "user"]
        if not said:
            raise Refusal(400, "messages: a translator answers a message of the user, got none")
        return said[-1]
    from regard.serving.chat_template import ChatTemplate

    if model.name not in templates:
        templates[model.name] = ChatTemplate.read(model.task.checkpoint.folder)
    template = templates[model.name]
    if template is None:
        raise Refusal(400, f"{model.name} has no chat template: ask /v1/completions", code="no_chat_template")
    return template.render([{"role": message.role, "content": message.text} for message in fields.messages])


async def respond(service: Service, request: Request, writing: WritingRequest) -> dict[str, object] | StreamingResponse:
    """The answer at once, or as it grows."""
    service.check_texts([*writing.prompts])
    if writing.model.task.name == "embed":
        writing.model.can("generate")
    is_translator = "translate" in writing.model.tasks
    if is_translator and (writing.top is not None or writing.settings.choices > 1 or writing.settings.stops):
        raise Refusal(400, "logprobs, n, stop: not of a translator", code="unsupported_parameter")
    options = writing.fields.stream_options
    include_usage = bool(options and options.include_usage)
    if writing.fields.stream and not is_translator:
        batch = await read_prompts(writing.model, writing.prompts, writing.settings)
        parts = stream_answer(service, batch, writing, include_usage=include_usage)
        return StreamingResponse(parts, media_type="text/event-stream", headers={"cache-control": "no-cache"})
    work = translated(service, writing) if is_translator else continued(service, writing)
    choices, usage = await service.within_time(request, work)
    body = answer_fields(writing, [choice.fields(writing.shape) for choice in choices], usage)
    if writing.fields.stream:  # a translation is known when it is whole
        return StreamingResponse(
            writing.shape.whole_stream(body, choices, include_usage=include_usage),
            media_type="text/event-stream",
            headers={"cache-control": "no-cache"},
        )
    if writing.fields.attention is not None:
        body["attention"] = [choice.attention for choice in choices]
    return body


def answer_fields(writing: WritingRequest, choices: list[dict[str, object]], usage: tuple[int, int]) -> dict[str, Any]:
    read, written = usage
    return {
        "id": writing.shape.new_id(),
        "object": writing.shape.object_name,
        "created": int(time.time()),
        "model": writing.model.name,
        "choices": choices,
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
    }


async def continued(service: Service, writing: WritingRequest) -> tuple[list[Choice], tuple[int, int]]:
    """What a model writes on."""
    batch = await read_prompts(writing.model, writing.prompts, writing.settings)
    texts = await continue_prompts(batch, writing.client, service.metrics)
    choices = await as_choices(service, batch, writing.fields.attention, writing.client, writing.top, writing.shape)
    return choices, (batch.prompt_tokens, sum(len(text.ids) for text in texts))


async def translated(service: Service, writing: WritingRequest) -> tuple[list[Choice], tuple[int, int]]:
    """What a translator makes of the prompts."""
    given, query = writing.settings, writing.fields.attention
    settings = TranslationSettings(max_new_tokens=given.max_new_tokens, edits=given.edits)
    answers = await translate(writing.model, writing.prompts, settings, writing.client, service.metrics)
    choices = []
    for number, answer in enumerate(answers):
        translation, attention = answer.translation, None
        if query is not None:
            stored = service.answers.add(writing.model.task, answer.readings, given.edits, writing.client)
            attention = await describe_attention(stored, query, service.limits.cells, translation)
        reason = "stop" if translation.is_finished else "length"
        choices.append(Choice(number, translation.text, reason, None, attention))
    read = sum(len(answer.translation.source_tokens) for answer in answers)
    return choices, (read, sum(len(answer.translation.ids) for answer in answers))

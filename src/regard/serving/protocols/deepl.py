"""DeepL's protocol, version 2: /v2/translate, /v2/languages, /v2/usage.

Its clients take another address: `deepl.Translator(key, server_url="http://127.0.0.1:5000")`. Beyond it, a request may
have `attention` and `edits`.
"""

import asyncio
from typing import Annotated, Any, ClassVar, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from regard.serving.attention_query import AttentionQuery, describe_attention
from regard.serving.bodies import check_fields, read_fields
from regard.serving.language_names import language_name
from regard.serving.protocols.documented import body_of
from regard.serving.refusals import Refusal
from regard.serving.served_model import normal_code
from regard.serving.service import Service
from regard.serving.translating import ServedTranslation, TranslationSettings, translate

Code = Annotated[str, Field(min_length=2, max_length=20)]
MARKUPS = {"html": "html", "xml": "tags"}
NO_LIMIT = 10**15  # letters: nobody is billed here


def as_list(value: object) -> object:
    """A form has one text as a string, several as a list."""
    return [value] if isinstance(value, str) else value


class DeepLTranslation(BaseModel):
    """Texts to be translated. What only DeepL's own models know (`context`, `model_type`, a formality that is merely
    preferred) changes nothing."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore")

    text: Annotated[list[str], BeforeValidator(as_list), Field(min_length=1)]
    target_lang: Code
    source_lang: Code | None = None
    tag_handling: Literal["xml", "html"] | None = None
    split_sentences: Annotated[str, BeforeValidator(lambda value: str(value).lower())] = ""
    preserve_formatting: bool = True
    formality: Literal["default", "more", "less", "prefer_more", "prefer_less"] = "default"
    glossary_id: str | None = Field(None, max_length=80)
    show_billed_characters: bool = False
    attention: AttentionQuery | None = None
    edits: list[dict[str, Any]] | None = None


def router(service: Service) -> APIRouter:
    router = APIRouter(prefix="/v2", tags=["DeepL"])

    @router.post("/translate", openapi_extra=body_of(DeepLTranslation))
    async def translate_texts(request: Request) -> dict[str, object]:
        """Translate some texts."""
        client = service.client(request)
        fields = check_fields(DeepLTranslation, await read_fields(request))
        return await service.within_time(request, translated(service, fields, client))

    @router.get("/languages")
    async def languages(request: Request, type: Literal["source", "target"] = "source") -> list[dict[str, object]]:
        """The languages that are read or written."""
        service.client(request)
        codes = service.sources if type == "source" else service.targets
        extra = {"supports_formality": False} if type == "target" else {}
        return [{"language": code.upper(), "name": language_name(code), **extra} for code in codes]

    @router.post("/languages", include_in_schema=False)
    async def languages_form(request: Request) -> list[dict[str, object]]:
        kind = (await read_fields(request)).get("type", "source")
        return await languages(request, "target" if kind == "target" else "source")

    @router.get("/usage")
    async def usage(request: Request) -> dict[str, int]:
        """How many letters were translated since the service began, by everybody."""
        service.client(request)
        return {"character_count": service.shared_metrics.total()[0].letters.total(), "character_limit": NO_LIMIT}

    @router.post("/usage", include_in_schema=False)
    async def usage_form(request: Request) -> dict[str, int]:
        return await usage(request)

    return router


async def translated(service: Service, fields: DeepLTranslation, client: str) -> dict[str, object]:
    """The answer to /v2/translate."""
    service.check_texts(fields.text)
    target = normal_code(fields.target_lang)
    if target not in service.targets:
        raise Refusal(400, "Value for 'target_lang' not supported.")
    if fields.formality in ("more", "less"):
        raise Refusal(400, "'formality' is not supported for given 'target_lang'.")
    sources = [choose_source(service, text, fields.source_lang, target) for text in fields.text]
    texts, settings = shape_texts(service, fields, sources, target, client)
    answers: list[ServedTranslation | None] = [None] * len(texts)

    async def translate_from(source: str) -> None:
        rows = [row for row, code in enumerate(sources) if code == source]
        if source == target:
            return
        model = service.translator(source, target)
        served = await translate(model, [texts[row] for row in rows], settings, client, service.metrics)
        for row, answer in zip(rows, served, strict=True):
            answers[row] = answer

    await asyncio.gather(*map(translate_from, dict.fromkeys(sources)))
    translations: list[dict[str, object]] = []
    for text, source, answer in zip(fields.text, sources, answers, strict=True):
        one: dict[str, object] = {
            "detected_source_language": source.upper(),
            "text": answer.translation.text if answer else text,
        }
        if fields.show_billed_characters:
            one["billed_characters"] = len(text)
        if fields.attention is not None and answer is not None:
            stored = service.answers.add(
                service.translator(source, target).task, answer.readings, settings.edits, client
            )
            one["attention"] = await describe_attention(
                stored, fields.attention, service.limits.cells, answer.translation
            )
        translations.append(one)
    return {"translations": translations}


def choose_source(service: Service, text: str, source: str | None, target: str) -> str:
    """The language of a text: as its client says, or as it looks."""
    if source:
        if normal_code(source) not in service.sources:
            raise Refusal(400, "Value for 'source_lang' not supported.")
        return normal_code(source)
    return service.detect(text, target)[0].code


def shape_texts(
    service: Service, fields: DeepLTranslation, sources: list[str], target: str, client: str
) -> tuple[list[str], TranslationSettings]:
    """The texts as they are to be read, and how."""
    from regard.text.spans import SPANS, Protection

    splits = {"": None, "1": None, "0": False, "nonewlines": None}
    if fields.split_sentences not in splits:
        raise Refusal(400, "split_sentences: 0, 1 or nonewlines expected")
    texts = fields.text
    if fields.split_sentences == "nonewlines":
        texts = [" ".join(text.splitlines()) for text in texts]
    protect: bool | Protection = True
    if fields.glossary_id:
        glossary = service.glossaries.get(fields.glossary_id, client)
        if fields.source_lang is None:
            raise Refusal(400, "Use of a glossary requires the source_lang parameter to be specified.")
        if set(sources) != {glossary.source} or glossary.target != target:
            raise Refusal(400, "The glossary's languages and those of the request differ.")
        protect = Protection(SPANS, glossary.glossary)
    settings = TranslationSettings(
        markup=MARKUPS.get(fields.tag_handling or ""),
        split=splits[fields.split_sentences],
        protect=protect,
        edits=service.edits(fields.edits),
    )
    return texts, settings

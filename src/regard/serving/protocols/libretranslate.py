"""LibreTranslate's protocol: /translate, /languages, /detect, /translate_file and what its clients ask besides.

As of LibreTranslate 1.9 (docs.libretranslate.com); fields come as JSON, as a form or in the address. Beyond it, a
request may have `attention` and `edits`, and of lists every text is translated beside the others.
"""

import asyncio
from typing import Annotated, Any, ClassVar, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from regard.serving.attention_query import AttentionQuery, describe_attention
from regard.serving.bodies import SentFile, check_fields, read_fields
from regard.serving.detection import DetectedLanguage
from regard.serving.language_names import language_name
from regard.serving.protocols.documented import body_of
from regard.serving.refusals import Refusal
from regard.serving.served_model import normal_code
from regard.serving.service import Service
from regard.serving.translating import ServedTranslation, TranslationSettings, translate, translate_document

Code = Annotated[str, Field(min_length=1, max_length=40)]
TextOrTexts = str | list[str]


class LibreFields(BaseModel):
    """What every request has."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore")

    api_key: str | None = None


class LibreTranslation(LibreFields):
    """A text, or several, to be translated."""

    q: TextOrTexts
    source: Code = "auto"
    target: Code
    format: Literal["text", "html"] = "text"
    alternatives: int = Field(0, ge=0, le=15)
    attention: AttentionQuery | None = None
    edits: list[dict[str, Any]] | None = None


class LibreDetection(LibreFields):
    q: str


class LibreFile(LibreFields):
    """Where a file comes from and goes to."""

    source: Code = "auto"
    target: Code


def router(service: Service) -> APIRouter:
    router = APIRouter(tags=["LibreTranslate"])

    @router.post("/translate", openapi_extra=body_of(LibreTranslation))
    async def translate_texts(request: Request) -> dict[str, object]:
        """Translate a text, or each of a list."""
        fields = check_fields(LibreTranslation, named_fields(await read_fields(request), "q", "target"))
        client = service.client(request, [fields.api_key])
        return await service.within_time(request, translated(service, fields, client))

    @router.post("/detect", openapi_extra=body_of(LibreDetection))
    async def detect(request: Request) -> list[dict[str, object]]:
        """Tell which language a text is in."""
        fields = check_fields(LibreDetection, named_fields(await read_fields(request), "q"))
        service.client(request, [fields.api_key])
        service.check_texts([fields.q])
        return [language_fields(one) for one in service.detect(fields.q)]

    @router.get("/languages")
    async def languages() -> list[dict[str, object]]:
        """Which languages can be translated into which."""
        return [
            {
                "code": code,
                "name": language_name(code),
                "targets": sorted({code} | {target for source, target in service.pairs if source == code}),
            }
            for code in service.sources
        ]

    @router.get("/frontend/settings")
    async def settings() -> dict[str, object]:
        """What a page needs to know."""
        first = next(iter(service.pairs), ("en", "de"))
        return {
            "apiKeys": service.keys.are_needed,
            "charLimit": service.limits.letters,
            "filesTranslation": True,
            "frontendTimeout": 500,
            "keyRequired": service.keys.are_needed,
            "language": {
                "source": {"code": "auto", "name": "Auto Detect"},
                "target": {"code": first[1], "name": language_name(first[1])},
            },
            "suggestions": False,
            "supportedFilesFormat": [".txt", *file_suffixes()],
        }

    @router.post("/translate_file", openapi_extra=body_of(LibreFile, media="multipart/form-data", file="file"))
    async def translate_file(request: Request) -> dict[str, str]:
        """Translate a file; the answer says where to fetch it."""
        sent = await read_fields(request)
        file = sent.pop("file", None)
        fields = check_fields(LibreFile, named_fields(sent, "target"))
        client = service.client(request, [fields.api_key])
        if not isinstance(file, SentFile):
            raise Refusal(400, "Invalid request: missing file parameter")
        content = await service.within_time(request, translated_file(service, file, fields, client))
        return {"translatedFileUrl": f"{request.base_url}download_file/{service.files.add(file.name, content)}"}

    @router.get("/download_file/{name}", response_class=Response)
    async def download_file(name: str) -> Response:
        """A file that was translated."""
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(service.files.get(name), media_type="application/octet-stream", headers=headers)

    @router.post("/suggest")
    async def suggest() -> dict[str, object]:
        """Better translations are not collected."""
        raise Refusal(403, "Suggestions are disabled on this server.")

    return router


def named_fields(fields: dict[str, object], *needed: str) -> dict[str, object]:
    """The fields, of which some have to be there, as LibreTranslate says it."""
    for name in needed:
        if fields.get(name) in (None, ""):
            if name == "q" and fields.get("q") == "":
                continue
            raise Refusal(400, f"Invalid request: missing {name} parameter")
    return fields


def file_suffixes() -> list[str]:
    from regard.text.formats import FORMATS

    return [suffix for kind in FORMATS.values() for suffix in kind.suffixes]


def language_fields(language: DetectedLanguage) -> dict[str, object]:
    return {"confidence": round(100 * language.confidence, 1), "language": language.code}


async def translated(service: Service, fields: LibreTranslation, client: str) -> dict[str, object]:
    """The answer to /translate."""
    texts = [fields.q] if isinstance(fields.q, str) else fields.q
    service.check_texts(texts, copies=fields.alternatives + 1)
    target = normal_code(fields.target)
    if target not in service.targets and target not in service.sources:
        raise Refusal(400, f"{fields.target} is not supported")
    detected = [choose_source(service, text, fields.source, target) for text in texts]
    settings = TranslationSettings(
        num_hypotheses=fields.alternatives + 1,
        markup="html" if fields.format == "html" else None,
        edits=service.edits(fields.edits),
    )
    answers: list[ServedTranslation | None] = [None] * len(texts)

    async def translate_from(source: str) -> None:
        rows = [row for row, language in enumerate(detected) if language.code == source]
        if source == target:
            return
        model = service.translator(source, target)
        served = await translate(model, [texts[row] for row in rows], settings, client, service.metrics)
        for row, answer in zip(rows, served, strict=True):
            answers[row] = answer

    await asyncio.gather(*(translate_from(source) for source in dict.fromkeys(one.code for one in detected)))
    pairs = list(zip(texts, answers, strict=True))
    body: dict[str, object] = {
        "translatedText": [answer.translation.text if answer else text for text, answer in pairs]
    }
    if fields.source == "auto":
        body["detectedLanguage"] = [language_fields(language) for language in detected]
    if fields.alternatives:
        body["alternatives"] = [other_texts(answer) for answer in answers]
    if fields.attention is not None:
        sources = [language.code for language in detected]
        body["attention"] = [
            await attention_of(service, answer, source, target, fields, settings, client)
            for answer, source in zip(answers, sources, strict=True)
        ]
    if isinstance(fields.q, str):
        return {name: values[0] for name, values in body.items() if isinstance(values, list)}
    return body


def choose_source(service: Service, text: str, source: str, target: str) -> DetectedLanguage:
    """The language of a text: as its client says, or as it looks."""
    if source != "auto":
        code = normal_code(source)
        if code not in service.sources and code != target:
            raise Refusal(400, f"{source[:40]} is not supported")
        return DetectedLanguage(code, 1.0)
    detected = service.detect(text, target)
    if not detected:
        raise Refusal(400, f"nothing is translated to {target} here")
    return detected[0]


def other_texts(answer: ServedTranslation | None) -> list[str]:
    return [other.text for other in answer.translation.alternatives] if answer else []


async def attention_of(
    service: Service,
    answer: ServedTranslation | None,
    source: str,
    target: str,
    fields: LibreTranslation,
    settings: TranslationSettings,
    client: str,
) -> dict[str, object] | None:
    if answer is None or fields.attention is None:
        return None
    task = service.translator(source, target).task
    stored = service.answers.add(task, answer.readings, settings.edits, client)
    return await describe_attention(stored, fields.attention, service.limits.cells, answer.translation)


async def translated_file(service: Service, file: SentFile, fields: LibreFile, client: str) -> bytes:
    """The content of a file in another language."""
    from regard.text.formats import FormatError, format_of

    target, kind = normal_code(fields.target), format_of(file.name)
    if kind is None:
        if not file.name.lower().endswith(".txt"):
            raise Refusal(400, f"Invalid request: file format not supported, only .txt, {', '.join(file_suffixes())}")
        return await translated_lines(service, file.content, fields.source, target, client)
    try:
        document = await asyncio.to_thread(
            kind.open, file.content, source_language=fields.source, target_language=target
        )
    except FormatError as problem:
        raise Refusal(400, f"file: {problem}") from None
    texts = [part.text for part in document.segments]
    service.check_texts(["".join(texts)])
    source = choose_source(service, " ".join(texts), fields.source, target).code
    if source == target:
        return file.content
    model = service.translator(source, target)
    content = await translate_document(model, document, TranslationSettings(), client, service.metrics)
    return content.encode() if isinstance(content, str) else content


async def translated_lines(service: Service, content: bytes, source: str, target: str, client: str) -> bytes:
    """A file of text, line by line."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise Refusal(400, f"file: UTF-8 expected, got other bytes at {problem.start}") from None
    service.check_texts([text])
    code = choose_source(service, text, source, target).code
    if code == target:
        return content
    model = service.translator(code, target)
    lines = text.splitlines(keepends=True)
    answers = await translate(model, lines, TranslationSettings(split=True), client, service.metrics)
    return "".join(answer.translation.text for answer in answers).encode()

"""DeepL's glossaries, version 2: made, listed, read and deleted; they live as long as the service."""

from typing import Annotated, ClassVar, Literal

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from regard.serving.bodies import check_fields, read_fields
from regard.serving.glossary_store import StoredGlossary, parse_terms
from regard.serving.protocols.documented import body_of
from regard.serving.refusals import Refusal
from regard.serving.served_model import normal_code
from regard.serving.service import Service

TSV = "text/tab-separated-values"
GlossaryId = Annotated[str, Path(max_length=80)]


class DeepLGlossary(BaseModel):
    """Terms of two languages under a name."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore")

    name: str = Field(min_length=1, max_length=1024)
    source_lang: str = Field(min_length=2, max_length=20)
    target_lang: str = Field(min_length=2, max_length=20)
    entries: str
    entries_format: Literal["tsv", "csv"]


def router(service: Service) -> APIRouter:
    router = APIRouter(prefix="/v2", tags=["DeepL"])

    @router.post("/glossaries", status_code=201, openapi_extra=body_of(DeepLGlossary))
    async def create(request: Request) -> dict[str, object]:
        """Make a glossary."""
        client = service.client(request)
        fields = check_fields(DeepLGlossary, await read_fields(request))
        pair = normal_code(fields.source_lang), normal_code(fields.target_lang)
        if pair not in service.pairs:
            raise Refusal(400, "Unsupported glossary source and target language pair")
        terms = parse_terms(fields.entries, fields.entries_format)
        return glossary_fields(service.glossaries.add(fields.name, pair, terms, client))

    @router.get("/glossaries")
    async def list_glossaries(request: Request) -> dict[str, object]:
        """The glossaries of whoever asks."""
        client = service.client(request)
        return {"glossaries": [glossary_fields(glossary) for glossary in service.glossaries.list(client)]}

    @router.get("/glossaries/{name}")
    async def read(request: Request, name: GlossaryId) -> dict[str, object]:
        """What a glossary is."""
        return glossary_fields(service.glossaries.get(name, service.client(request)))

    @router.get("/glossaries/{name}/entries", response_class=Response)
    async def entries(request: Request, name: GlossaryId) -> Response:
        """The terms of a glossary."""
        glossary = service.glossaries.get(name, service.client(request))
        return Response(glossary.tsv, media_type=TSV)

    @router.delete("/glossaries/{name}", status_code=204)
    async def delete(request: Request, name: GlossaryId) -> None:
        """Delete a glossary."""
        service.glossaries.delete(name, service.client(request))

    @router.get("/glossary-language-pairs")
    async def pairs(request: Request) -> dict[str, object]:
        """The languages that a glossary can have."""
        service.client(request)
        codes = [{"source_lang": source, "target_lang": target} for source, target in sorted(service.pairs)]
        return {"supported_languages": codes}

    return router


def glossary_fields(glossary: StoredGlossary) -> dict[str, object]:
    return {
        "glossary_id": glossary.id,
        "name": glossary.name,
        "ready": True,
        "source_lang": glossary.source,
        "target_lang": glossary.target,
        "creation_time": glossary.created,
        "entry_count": len(glossary.glossary.terms),
    }

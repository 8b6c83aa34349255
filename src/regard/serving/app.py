"""The application: one router for each protocol, what watches over it, and a page where a person can type."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import PlainTextResponse

from regard import __version__
from regard.serving.access import AccessGuard
from regard.serving.error_shapes import handle_errors
from regard.serving.page import serve_page
from regard.serving.protocols import attention, deepl, deepl_glossaries, libretranslate, openai
from regard.serving.service import Service
from regard.viewer.guard import ServerAddress

PROTOCOLS = (libretranslate.router, deepl.router, deepl_glossaries.router, openai.router, attention.router)
"""What a client may speak."""


def create_app(service: Service, address: ServerAddress) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(service.stop)

    app = FastAPI(
        title="regard serve",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    handle_errors(app)
    app.add_middleware(AccessGuard, service=service, address=address)
    app.include_router(state_router(service))
    for router in PROTOCOLS:
        app.include_router(router(service))
    serve_page(app)
    return app


def state_router(service: Service) -> APIRouter:
    """How the service is."""
    router = APIRouter(tags=["State"])

    @router.get("/health")
    async def health() -> dict[str, str]:
        """Whether it answers."""
        return {"status": "ok"}

    @router.get("/metrics", response_class=PlainTextResponse)
    async def metrics(request: Request) -> PlainTextResponse:
        """Counts for Prometheus."""
        service.client(request, status=401)
        text = "\n".join(service.shared_metrics.lines()) + "\n"
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    return router

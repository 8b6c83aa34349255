"""The application: its stores, its routes, the page, and nothing that knows attention."""

import asyncio
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI

from regard import __version__
from regard.errors import RegardError
from regard.viewer.error_answers import FAULTS, handle_errors
from regard.viewer.guard import Guard, ServerAddress
from regard.viewer.limits import LIMITS, Limits
from regard.viewer.model_store import ModelStore
from regard.viewer.query_limiter import QueryLimiter
from regard.viewer.routes import attention, learn, models, run_views, runs
from regard.viewer.routes.version import check_version
from regard.viewer.runs import RunStore
from regard.viewer.static_page import serve_page


def create_app(
    model_store: ModelStore,
    address: ServerAddress,
    *,
    first: str | None = None,
    text: str = "",
    page_address: str = "",
    limits: Limits = LIMITS,
) -> FastAPI:
    """The application. `first` is loaded at once, behind the page, which begins with `text` or at `page_address`."""
    run_store, limiter = RunStore(model_store, limits), QueryLimiter(limits.running, limits.questions)

    @asynccontextmanager
    async def lifespan(app: FastAPI):
        run_store.open()
        loading = asyncio.create_task(asyncio.to_thread(load_first, model_store, first))
        yield
        loading.cancel()
        await asyncio.to_thread(run_store.close)

    app = FastAPI(
        title="regard",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        responses=FAULTS,
    )
    app.state.runs = run_store
    app.add_middleware(Guard, address=address, body=limits.body)
    handle_errors(app)
    app.include_router(models.health_router(run_store, limits))
    for router in (
        models.router(model_store, first, text, page_address, limits),
        runs.router(run_store, limits),
        attention.router(run_store, limiter),
        run_views.router(run_store, model_store, limiter),
        learn.router(model_store, limiter),
    ):
        app.include_router(router, dependencies=[Depends(check_version)])
    serve_page(app)
    return app


def load_first(model_store: ModelStore, first: str | None) -> None:
    """Load what the page begins with; what goes wrong is told by the list of models."""
    try:
        model_store.models()
        if first is not None:
            model_store.get(first)
    except RegardError:
        return

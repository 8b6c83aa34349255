"""That the server is there, and the models that it has."""

from fastapi import APIRouter

from regard import __version__
from regard.viewer.limits import Limits
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import Bounds, Health, ModelList
from regard.viewer.runs import RunStore


def health_router(run_store: RunStore, limits: Limits) -> APIRouter:
    """Answers whoever asks, whatever version it speaks."""
    router = APIRouter()

    @router.get("/health")
    async def health() -> Health:
        """That the server is there."""
        jobs = run_store.open_jobs
        running = min(len(jobs), limits.running)
        return Health(
            status="ok",
            package_version=__version__,
            running=running,
            waiting=len(jobs) - running,
            stored=len(run_store.finished),
            stored_bytes=run_store.stored_bytes,
            stored_limit=limits.stored_bytes,
        )

    return router


def router(model_store: ModelStore, first: str | None, text: str, address: str, limits: Limits) -> APIRouter:
    router = APIRouter()

    @router.get("/api/models")
    async def models() -> ModelList:
        """What can be asked for, and what is loaded."""
        return ModelList(
            models=model_store.model_infos(first),
            first=first,
            text=text,
            address=address,
            package_version=__version__,
            bounds=Bounds(
                letters=limits.letters,
                tokens=limits.tokens,
                max_new_tokens=limits.max_new_tokens,
                beam=limits.beam,
                edits=limits.edits,
                runs=limits.stored_runs,
            ),
        )

    return router

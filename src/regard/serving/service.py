"""What all protocols share: the models, who may ask, what is stored, and how long an answer may take."""

import asyncio
import json
from collections.abc import Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import Request

from regard.errors import TorchMissing, lookup
from regard.serving.answer_store import AnswerStore
from regard.serving.detection import DetectedLanguage, detect_language
from regard.serving.entries import OpenEntries, memory_entries
from regard.serving.file_store import FileStore
from regard.serving.glossary_store import GlossaryStore
from regard.serving.keys import Keys, key_of
from regard.serving.limits import LIMITS, ServiceLimits
from regard.serving.metrics import ServiceMetrics
from regard.serving.refusals import Refusal, TooSlow
from regard.serving.served_model import ServedModel, normal_code
from regard.serving.shared_metrics import SharedMetrics

if TYPE_CHECKING:
    from regard.tasks import Task

Result = TypeVar("Result")
GONE = 499  # nginx's status for a client that left


class Service:
    """Models that answer, and what is remembered between requests."""

    def __init__(
        self,
        models: dict[str, ServedModel],
        keys: Keys | None = None,
        limits: ServiceLimits = LIMITS,
        *,
        entries: OpenEntries = memory_entries,
        worker: int | str = 0,
    ) -> None:
        """`entries` is where things are stored; processes that share them count together, each as a `worker`."""
        self.models = models
        self.keys: Keys = keys or Keys()
        self.limits = limits
        self.metrics: ServiceMetrics = ServiceMetrics()
        self.shared_metrics: SharedMetrics = SharedMetrics(self.metrics, self.gauges, entries("metrics"), worker)
        self.answers: AnswerStore = AnswerStore(limits, self.tasks, entries("answers"))
        self.glossaries: GlossaryStore = GlossaryStore(limits, entries("glossaries"))
        self.files: FileStore = FileStore(limits, entries("files"))

    def tasks(self) -> "dict[str, Task]":
        """What every model can do, by the names of both."""
        return {f"{name}.{kind}": task for name, model in self.models.items() for kind, task in model.tasks.items()}

    def gauges(self) -> dict[str, dict[str, float]]:
        """What is so now, for each model."""
        batchers = {name: model.batcher for name, model in self.models.items()}
        return {
            "waiting_texts": {name: batcher.waiting for name, batcher in batchers.items()},
            "batches": {name: batcher.batches for name, batcher in batchers.items()},
            "batched_texts": {name: batcher.batched_pieces for name, batcher in batchers.items()},
        }

    def client(self, request: Request, candidates: Iterable[object] = (), *, status: int = 403) -> str:
        """Who asks; refused without a key where one is needed."""
        if not self.keys.are_needed:
            return request.client.host if request.client else "local"
        headers = [key_of(value) for value in request.headers.getlist("authorization")]
        headers += request.headers.getlist("x-api-key")
        name = self.keys.client([*headers, *(text for text in candidates if isinstance(text, str))])
        if name is None:
            raise Refusal(status, "a key is needed: none that is known was sent", code="invalid_api_key")
        return name

    def model(self, name: str) -> ServedModel:
        """A model by its name."""
        if name not in self.models:
            known = ", ".join(sorted(self.models))
            raise Refusal(404, f"no model {name[:80]!r} here: {known}", code="model_not_found")
        return lookup(self.models, name, "model")

    @property
    def pairs(self) -> dict[tuple[str, str], ServedModel]:
        """The translators by their languages; of two for one pair the one that was named first."""
        pairs: dict[tuple[str, str], ServedModel] = {}
        for model in self.models.values():
            if model.languages is not None:
                pairs.setdefault(model.languages, model)
        return pairs

    @property
    def sources(self) -> list[str]:
        return sorted({source for source, _ in self.pairs})

    @property
    def targets(self) -> list[str]:
        return sorted({target for _, target in self.pairs})

    def detect(self, text: str, target: str | None = None) -> list[DetectedLanguage]:
        """The languages that a text may be in: of those that are read here, and those that are only written."""
        languages = {code for pair in self.pairs for code in pair}
        detected = detect_language(text, languages)
        if target is None:
            return detected
        return [one for one in detected if one.code == target or (one.code, target) in self.pairs]

    def translator(self, source: str, target: str) -> ServedModel:
        """The model that reads one language and writes another."""
        pair = normal_code(source), normal_code(target)
        if pair not in self.pairs:
            known = ", ".join(f"{source}-{target}" for source, target in sorted(self.pairs)) or "none"
            raise Refusal(400, f"{pair[0][:20]} to {pair[1][:20]} is not supported, only {known}")
        return self.pairs[pair]

    def check_texts(self, texts: Sequence[str], copies: int = 1) -> None:
        """Raise where there is more text than a request may have, `copies` of it to be written."""
        if len(texts) > self.limits.texts:
            raise Refusal(413, f"at most {self.limits.texts} texts expected, got {len(texts)}")
        letters = copies * sum(map(len, texts))
        if letters > self.limits.letters:
            raise Refusal(413, f"at most {self.limits.letters} letters expected, got {letters}")

    def edits(self, records: object) -> str:
        """Edits of a request, checked, as JSON that tells equal ones apart from others."""
        if not records:
            return ""
        try:
            from regard.looking.edit_records import check_edits
        except ModuleNotFoundError as problem:
            raise TorchMissing.of(problem, "edits need it") from None
        check_edits(records, max_edits=self.limits.edits)
        return json.dumps(records, sort_keys=True)

    async def within_time(self, request: Request, work: Coroutine[Any, Any, Result]) -> Result:
        """What work gives, if it is done in time and for as long as the client is there; else it is cancelled."""
        task = asyncio.ensure_future(work)
        gone = asyncio.ensure_future(wait_until_gone(request))
        try:
            await asyncio.wait({task, gone}, timeout=self.limits.seconds, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            if gone.done():
                self.metrics.abandon()
                raise Refusal(GONE, "nobody waits for this any more")
            raise TooSlow(self.limits.seconds)
        finally:
            for open_task in (task, gone):
                open_task.cancel()

    def stop(self) -> None:
        """Finish what was begun, and take nothing on any more."""
        for model in self.models.values():
            model.batcher.stop()
        self.shared_metrics.stop()


async def wait_until_gone(request: Request) -> None:
    """Return when the client has left; its body has been read."""
    await request.body()
    while (await request.receive())["type"] != "http.disconnect":
        pass

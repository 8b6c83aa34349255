"""Whatever is sent, the server answers: no 5xx, no traceback in its log, nothing slow, and nothing bad succeeds.

Also tests: viewer/routes/json_body.py.
"""

import asyncio
import json
import logging
import random
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from viewer.hostile_requests import HostileRequest, RequestSource, Response, StoredRun, send

from regard.viewer.guard import ServerAddress
from regard.viewer.learn import LESSONS
from regard.viewer.limits import Limits
from regard.viewer.model_store import ModelStore
from regard.viewer.server import create_app

FOLDER = Path(__file__).parents[1] / "before" / "translator"
SEED = 4747
TOGETHER = 8
SLOW = 10.0  # seconds
Exchange = tuple[HostileRequest, Response | BaseException]


class Log(logging.Handler):
    """Errors, and whatever has a traceback."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info or record.levelno >= logging.ERROR:
            self.lines.append(logging.Formatter().format(record))


def operations(app) -> list[tuple[str, str]]:
    """Every method and path of the OpenAPI."""
    return [(method.upper(), path) for path, methods in app.openapi()["paths"].items() for method in methods]


async def answers(
    seed: int, count: int, folders: dict[str, Path], builtin: Sequence[str]
) -> list[tuple[HostileRequest, Response | BaseException]]:
    """What comes back, some requests at a time."""
    model_store = ModelStore(folders, max_loaded=len(folders) + len(builtin))
    model_store.listed_models = {name: model_store.models()[name] for name in (*folders, *builtin)}
    limits = Limits(max_new_tokens=4, stored_runs=12, loaded_models=len(folders) + len(builtin))
    app = create_app(model_store, ServerAddress(port=80), limits=limits)
    async with app.router.lifespan_context(app):
        runs = [await stored_run(app, name) for name in model_store.listed_models]
        topics = {name: lesson.request().model_dump(mode="json") for name, lesson in LESSONS.items()}
        source = RequestSource(operations(app), runs, topics, random.Random(seed))
        results: list[Exchange] = []
        requests = source.requests(count)
        while batch := [request for request, _ in zip(requests, range(TOGETHER), strict=False)]:
            responses = await asyncio.gather(*(send(app, request) for request in batch), return_exceptions=True)
            results += zip(batch, responses, strict=True)
            for run in runs:
                app.state.runs.get(run.id)  # is asked about, and so is not dropped
    return results


async def stored_run(app, model: str) -> StoredRun:
    body = {"model": model, "text": "a [MASK] b.", "second": "Where is a?" if model == "babi" else None}
    done = await send(app, HostileRequest("POST", "/api/runs", body=json.dumps(body | {"max_new_tokens": 2}).encode()))
    assert done.is_success, done
    name = json.loads(done.body.splitlines()[-1])["run"]
    return StoredRun(name, model, next(iter(app.state.runs.get(name).patterns)))


def faults(results: Sequence[Exchange]) -> list:
    """What should not have come back."""
    wrong = []
    for number, (request, response) in enumerate(results):
        if isinstance(response, BaseException):
            wrong.append((number, "raised", repr(response), request))
        elif response.status >= 500 or (response.status == 0 and request.leaves_after is None):
            wrong.append((number, "status", response.status, request, response.body[:300]))
        elif request.is_bad and response.is_success:
            wrong.append((number, "succeeded", response.status, request, response.body[:300]))
        elif response.status >= 400 and request.method != "HEAD" and not 1 <= response.body.count(b'"error":"') <= 1:
            wrong.append((number, "no line", response.status, request, response.body[:300]))
        elif response.seconds > SLOW:
            wrong.append((number, "slow", response.seconds, request))
    return wrong


def hammer(seed: int, count: int, folders: dict[str, Path], builtin: Sequence[str]) -> Counter[str]:
    log = Log()
    logging.getLogger().addHandler(log)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a position that no text reached
            results = asyncio.run(answers(seed, count, folders, builtin))
    finally:
        logging.getLogger().removeHandler(log)
    responses = [response for _, response in results if isinstance(response, Response)]
    counts = Counter("succeeded" if response.is_success else str(response.status) for response in responses)
    slowest = max(response.seconds for response in responses)
    print(f"seed {seed}, {count} requests: {dict(counts)}, the slowest {slowest:.1f} s")
    wrong = faults(results)
    assert not wrong, (len(wrong), wrong[:5])
    assert not log.lines, (len(log.lines), log.lines[:3])
    return counts


def test_hostile_requests_are_answered():
    counts = hammer(SEED, 120, {"translator": FOLDER}, ["babi"])
    assert counts["succeeded"] > 20


@pytest.mark.proof
def test_ten_thousand_hostile_requests_are_answered(folders):
    counts = hammer(SEED + 1, 10_000, folders, ["babi", "shakespeare"])
    assert counts["succeeded"] > 500

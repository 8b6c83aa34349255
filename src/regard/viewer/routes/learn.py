"""The Learn pages. torch is imported in a thread: it may not be there yet."""

import asyncio
from functools import partial
from typing import Any

from fastapi import APIRouter, Request

from regard.viewer.model_store import ModelStore
from regard.viewer.payload import LessonNumbers, TopicList
from regard.viewer.query_limiter import QueryLimiter
from regard.viewer.routes.json_body import JsonRoute
from regard.viewer.routes.parameters import Name


def router(model_store: ModelStore, limiter: QueryLimiter) -> APIRouter:
    router = APIRouter(prefix="/api/learn", route_class=JsonRoute)

    @router.get("")
    async def topics() -> TopicList:
        """The Learn pages, and what each begins with."""
        return await asyncio.to_thread(topic_list)

    @router.post("/{topic}")
    async def lesson(request: Request, topic: Name, inputs: dict[str, Any]) -> LessonNumbers:
        """The numbers of a Learn page."""
        return await limiter(request, partial(lesson_numbers, topic, inputs, model_store))

    return router


def topic_list() -> TopicList:
    from regard.viewer import learn

    return learn.topics()


def lesson_numbers(topic: str, inputs: dict[str, object], model_store: ModelStore) -> LessonNumbers:
    from regard.viewer import learn

    return learn.lesson(topic, inputs, model_store)

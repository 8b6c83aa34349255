"""Questions about finished runs: a few at a time, and none for a page that has gone."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from fastapi import Request
from starlette.exceptions import HTTPException

from regard.viewer.refusals import Busy

Result = TypeVar("Result")


class QueryLimiter:
    """Computes `at_once` answers at a time, in threads; beyond `most` questions it refuses."""

    def __init__(self, at_once: int, most: int) -> None:
        self.slots: asyncio.Semaphore = asyncio.Semaphore(at_once)
        self.most = most
        self.waiting: int = 0

    async def __call__(self, request: Request, compute: Callable[[], Result]) -> Result:
        if self.waiting >= self.most:
            raise Busy(f"{self.waiting} questions are waiting: try again in a moment")
        self.waiting += 1
        try:
            async with self.slots:
                if await request.is_disconnected():
                    raise HTTPException(499, "nobody waits for this any more")
                return await asyncio.to_thread(compute)
        finally:
            self.waiting -= 1

"""A request whose replica died is answered by 503, in the shape of its protocol; all others are left as they are."""

import asyncio
import json

import pytest

from regard.serving.ray_proxy import LostRequests, middlewares

STARTED = {"type": "http.response.start", "status": 200, "headers": []}
BODIES = [{"type": "http.response.body", "body": b"a", "more_body": more} for more in (True, False)]
SHAPES = {
    "/translate": ("error",),
    "/v2/translate": ("message",),
    "/v1/completions": ("error", "message"),
}


def answer(app, scope):
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request"}

    asyncio.run(LostRequests(app)(scope, receive, send))
    return sent


async def silent(scope, receive, send):
    pass


async def begun(scope, receive, send):
    await send(STARTED)


async def whole(scope, receive, send):
    for message in (STARTED, *BODIES):
        await send(message)


@pytest.mark.parametrize("app", [silent, begun])
@pytest.mark.parametrize("path", SHAPES)
def test_a_request_without_an_answer_may_be_asked_again(path, app):
    start, body = answer(app, {"type": "http", "path": path, "method": "POST"})
    assert start["status"] == 503
    assert (b"retry-after", b"1") in start["headers"]
    line = json.loads(body["body"])
    for key in SHAPES[path]:
        line = line[key]
    assert line == "what worked on this has died: ask again"


def test_what_is_answered_or_is_no_request_is_left_alone():
    assert answer(whole, {"type": "http", "path": "/translate"}) == [STARTED, *BODIES]
    assert answer(silent, {"type": "lifespan"}) == []
    assert answer(begun, {"type": "websocket"}) == [STARTED]
    assert [one.cls for one in middlewares()] == [LostRequests]

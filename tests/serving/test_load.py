"""Many clients, some of which leave: nothing is lost, mixed up or left behind."""

import json
import random
import socket
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import psutil
import pytest
from serving.running import running
from serving.small import task

pytestmark = pytest.mark.proof
ABORTED, ASKED, CLIENTS = 1000, 400, 32


def texts() -> list[str]:
    things = ["apples", "dogs", "books", "friends", "questions", "children", "houses", "trees"]
    return [f"I have {number} {thing}." for number in range(2, 14) for thing in things]


def body_of(chosen: list[str]) -> bytes:
    return json.dumps({"q": chosen, "source": "en", "target": "de"}).encode()


def ask(base: str, chosen: list[str]) -> list[str]:
    """The answer; one that is told to come back later does."""
    request = urllib.request.Request(f"{base}/translate", body_of(chosen), {"content-type": "application/json"})
    for _ in range(100):
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["translatedText"]
        except urllib.error.HTTPError as problem:
            if problem.code != 503:
                raise
            time.sleep(float(problem.headers["retry-after"]))
    raise AssertionError("never answered")


def abort(base: str, chosen: list[str], seconds: float) -> None:
    """Ask, and leave before the answer."""
    where, body = urlsplit(base), body_of(chosen)
    with socket.create_connection((where.hostname, where.port)) as connection:
        head = f"POST /translate HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        time.sleep(seconds)


def metric(base: str, name: str) -> float:
    with urllib.request.urlopen(f"{base}/metrics", timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


def wait_until_idle(base: str) -> None:
    until = time.monotonic() + 120
    while metric(base, "regard_waiting_texts") and time.monotonic() < until:
        time.sleep(0.2)
    assert metric(base, "regard_waiting_texts") == 0


def test_answers_are_right_among_many_and_those_who_leave_leave_nothing():
    known = dict(zip(texts(), (one.text for one in task("en-de")(texts())), strict=True))
    lot = random.Random(0)

    def one(number: int) -> bool:
        chosen = lot.sample(list(known), lot.choice([1, 1, 1, 8]))
        return ask(service.base, chosen) == [known[text] for text in chosen]

    with running("-m", "en-de") as service, ThreadPoolExecutor(CLIENTS) as pool:
        assert all(pool.map(one, range(100)))
        process = psutil.Process(service.process.pid)
        before, threads = process.memory_info().rss, process.num_threads()
        leaving = [
            pool.submit(abort, service.base, lot.sample(list(known), 16), lot.uniform(0, 0.05)) for _ in range(ABORTED)
        ]
        staying = [pool.submit(one, number) for number in range(ASKED)]
        assert all(answer.result() for answer in staying)
        assert all(answer.result() is None for answer in leaving)
        wait_until_idle(service.base)
        assert all(pool.map(one, range(100)))
        wait_until_idle(service.base)
        assert process.num_threads() <= threads + 4
        assert process.memory_info().rss < before + (64 << 20)
        assert len(process.net_connections()) < 2 * CLIENTS + 8


def test_a_short_text_is_not_held_up_by_a_long_list():
    known = task("en-de")("Yes.").text
    with running("-m", "en-de") as service:
        ask(service.base, ["Yes."])
        took = []
        long = threading.Thread(target=lambda: took.append(len(ask(service.base, texts() * 10))))
        long.start()
        time.sleep(0.5)
        assert ask(service.base, ["Yes."]) == [known]
        assert not took  # the long one is still under way
        long.join(120)
        assert took == [10 * len(texts())]

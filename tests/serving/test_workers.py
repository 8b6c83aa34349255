"""Several processes at one port, as a program of its own."""

import json
import os
import signal
import socket
import time
import urllib.request

import psutil
import pytest
from browsing import free
from serving.running import running
from serving.small import task

from regard.errors import RegardError
from regard.serving.launcher import ServiceOptions, serve
from regard.serving.workers import open_sockets

TEXTS = [f"I have {number} apples." for number in range(2, 10)]


def fetch(address, fields=None, method=None):
    body = None if fields is None else json.dumps(fields).encode()
    request = urllib.request.Request(address, body, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


def translate(base, text, **fields):
    body = {"q": text, "source": "en", "target": "de", **fields}
    return json.loads(fetch(f"{base}/translate", body))["translatedText"]


def workers(service):
    """The processes that answer: those that listen."""
    children = psutil.Process(service.process.pid).children(recursive=True)
    return {child.pid: child for child in children if listens(child)}


def listens(process):
    try:
        return any(connection.status == psutil.CONN_LISTEN for connection in process.net_connections())
    except psutil.NoSuchProcess:  # it died while somebody looked
        return False


def test_workers_share_a_port_what_they_store_and_what_they_count_and_one_that_dies_is_replaced():
    known = [one.text for one in task("en-de")(TEXTS)]
    with running("-m", "en-de", "--workers", "2") as service:
        base = service.base
        before = workers(service)
        assert len(before) == 2
        assert [translate(base, text) for text in TEXTS] == known

        terms = {"name": "mine", "source_lang": "en", "target_lang": "de", "entries": "apples\tBirnen"}
        made = json.loads(fetch(f"{base}/v2/glossaries", terms | {"entries_format": "tsv"}))
        for _ in range(8):  # whoever answers knows it
            listed = json.loads(fetch(f"{base}/v2/glossaries"))["glossaries"]
            assert [one["glossary_id"] for one in listed] == [made["glossary_id"]]

        counted = 'regard_requests_total{route="/translate",status="200"} 8'
        until = time.monotonic() + 30
        while counted not in fetch(f"{base}/metrics"):  # others are told within a moment
            assert time.monotonic() < until
            time.sleep(0.1)

        killed = next(iter(before))
        os.kill(killed, signal.SIGKILL)
        until = time.monotonic() + 60
        while len(workers(service)) < 2 or killed in workers(service):
            assert time.monotonic() < until
            time.sleep(0.1)
        for _ in range(8):
            assert translate(base, TEXTS[0]) == known[0]  # those that wait at its socket are answered, too
        left = [*before.values(), *workers(service).values()]
    assert not any(process.is_running() for process in left)  # all of them have stopped in peace


@pytest.mark.proof
def test_workers_go_when_their_parent_is_gone():
    with running("-m", "en-de", "--workers", "2", exit_code=-signal.SIGKILL) as service:
        left = workers(service)
        service.process.kill()
        service.process.wait()
        assert len(left) == 2
        _, alive = psutil.wait_procs(left.values(), timeout=30)
        assert not alive


@pytest.mark.proof
def test_a_model_that_cannot_be_served_is_one_line_of_the_parent():
    with pytest.raises(RegardError, match="babi: a model that can answer has no protocol here"):
        serve(ServiceOptions(models=("babi",), port=free(), workers=2), lambda url, models: None)


def test_a_port_that_is_taken_is_not_shared_with_whoever_has_it():
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(RegardError, match="cannot be listened on"):
            open_sockets("127.0.0.1", taken.getsockname()[1], 2)

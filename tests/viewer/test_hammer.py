"""Many clients at once, each with its own text and edits: nothing is lost, nothing is mixed up."""

import http.client
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import psutil
import pytest

import regard

WORDS = "To be or not to be that is the question whether tis nobler in the mind to suffer".split()  # noqa: SIM905
TOKENS = 6


@dataclass
class Client:
    """One page: asks again and again, and compares."""

    number: int
    netloc: str
    expected: tuple[str, float] = ("", 0.0)
    answers: int = 0
    refusals: int = 0
    wrong: list = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(WORDS[self.number % 5 :][: 3 + self.number % 7])

    @property
    def edits(self) -> list[dict]:
        heads = [self.number % 6]
        return [
            {"do": "scale", "layer": f"decoder.{self.number % 5}.self", "heads": heads, "factor": self.number / 50},
            {"do": "temperature", "layer": "decoder.*.self", "heads": heads, "temperature": 0.5 + self.number / 20},
        ]

    def ask(self, method: str, path: str, body: dict | None = None) -> tuple[int, dict, bytes]:
        connection = http.client.HTTPConnection(self.netloc, timeout=120)
        try:
            told = None if body is None else json.dumps(body)
            connection.request(method, path, told, {"content-type": "application/json"})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def once(self) -> None:
        ask = {"model": "shakespeare", "text": self.text, "edits": self.edits, "max_new_tokens": TOKENS}
        status, headers, body = self.ask("POST", "/api/runs", ask)
        if status == 429:
            self.refusals += 1
            time.sleep(int(headers["retry-after"]))
            return
        last = json.loads(body.splitlines()[-1])
        if status != 200 or last["state"] != "done":
            self.wrong.append((status, last))
            return
        status, _, body = self.ask("GET", f"/api/runs/{last['run']}")
        told = json.loads(body)
        if status != 200 or told["edits"] != self.edits or told["text"] != self.text:
            self.wrong.append((status, told))
        elif told["answer"]["text"] != self.expected[0] or abs(told["answer"]["score"] - self.expected[1]) > 1e-3:
            self.wrong.append((self.expected, told["answer"]))
        self.answers += 1

    def until(self, end: float) -> None:
        while time.monotonic() < end:
            self.once()


@pytest.fixture(scope="module")
def server():
    """A server in a process of its own, and how much memory it takes."""
    command = [sys.executable, "-m", "regard", "see", "--no-browser", "--json", "--model", "shakespeare"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield urlsplit(json.loads(process.stdout.readline())["url"]).netloc, psutil.Process(process.pid)
        process.send_signal(2)
        assert process.wait(20) == 0  # Ctrl-C stops it cleanly


def hammered(server, clients: int, seconds: float) -> tuple[list[Client], list[tuple[float, int]]]:
    """What each client met, and the memory of the server over time: seconds and bytes."""
    netloc, process = server
    task = regard.load("shakespeare")
    crowd = [Client(number, netloc) for number in range(clients)]
    for one in crowd:
        with regard.edit(task.model, one.edits):
            alone = task(one.text, max_new_tokens=TOKENS, sample=False)
        one.expected = (alone.text, alone.score)
    crowd[0].once()  # the model is there
    begin = time.monotonic()
    threads = [threading.Thread(target=one.until, args=(begin + seconds,)) for one in crowd]
    for thread in threads:
        thread.start()
    memory = []
    while any(thread.is_alive() for thread in threads):
        memory.append((time.monotonic() - begin, process.memory_info().rss))
        time.sleep(0.1)
    return crowd, memory


def check(crowd: list[Client]) -> None:
    for one in crowd:
        assert one.wrong == []
        assert one.answers > 0
    assert len({one.expected for one in crowd}) > len(crowd) // 2  # or nothing could be mixed up


def test_five_clients_get_their_own_answers(server):
    crowd, _ = hammered(server, clients=5, seconds=3)
    check(crowd)


def test_a_run_ends_when_its_page_goes_away(server):
    one = Client(0, server[0])
    one.once()
    connection = http.client.HTTPConnection(server[0], timeout=120)
    ask = {"model": "shakespeare", "text": "To be", "max_new_tokens": 250}
    connection.request("POST", "/api/runs", json.dumps(ask), {"content-type": "application/json"})
    name = json.loads(connection.getresponse().readline())["run"]
    connection.sock.close()  # in the middle of a sentence
    connection.close()
    while json.loads(one.ask("GET", "/health")[2])["running"]:
        time.sleep(0.05)
    assert one.ask("GET", f"/api/runs/{name}")[0] == 404


@pytest.mark.proof
def test_fifty_clients_get_their_own_answers_and_memory_stays_flat(server):
    """For ten minutes, or as many seconds as LOAD_SECONDS says."""
    seconds = float(os.environ.get("LOAD_SECONDS", "600"))
    crowd, memory = hammered(server, clients=50, seconds=seconds)
    check(crowd)
    assert sum(one.refusals for one in crowd) > 0  # there was a crowd
    window, first = min(20.0, seconds / 4), min(60.0, seconds / 2)
    early = statistics.median(size for at, size in memory if first - window < at <= first)
    late = statistics.median(size for at, size in memory if at > memory[-1][0] - window)
    health = json.loads(crowd[0].ask("GET", "/health")[2])
    print(f"{sum(one.answers for one in crowd)} answers, {sum(one.refusals for one in crowd)} refusals, ", end="")
    print(f"{early / 2**20:.0f} MiB after {first:.0f} s, {late / 2**20:.0f} MiB after {memory[-1][0]:.0f} s, ", end="")
    print(f"{max(size for _, size in memory) / 2**20:.0f} MiB at most; {health['stored']} runs of ", end="")
    print(f"{health['stored_bytes'] / 2**20:.1f} MiB are stored")
    assert late < 1.1 * early

"""The service as a deployment of Ray Serve. Also tests: cluster.py."""

import importlib.util
import json
import os
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import Future, ThreadPoolExecutor
from types import SimpleNamespace

import psutil
import pytest
from serving.running import running
from serving.small import task

from regard import cluster
from regard.cluster import import_ray
from regard.errors import RegardError
from regard.serving import ray_service
from regard.serving.entries import MemoryEntries, make_room
from regard.serving.keys import Keys
from regard.serving.launcher import ServiceOptions
from regard.serving.ray_service import EntryActor, RayEntries
from regard.viewer.guard import ServerAddress

HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed: pip install 'regard[ray]'")
LOST = (503, "1", "what worked on this has died: ask again")
TEXT = "Where is the station?"


class LocalActor:
    """An actor of Ray as far as entries call one, in this process."""

    def __init__(self):
        self.actor = EntryActor()
        self.call = self

    def remote(self, *arguments):
        result = Future()
        result.set_result(self.actor.call(*arguments))
        result.future = lambda: result
        return result


def test_entries_of_an_actor_are_those_of_memory():
    actor = LocalActor()
    asked, other = RayEntries(actor, "files"), RayEntries(actor, "answers")
    for entries in (asked, MemoryEntries()):
        for name in "abc":
            entries.put(name, name.encode())
        entries.touch("a")
        entries.delete("b")
        make_room(entries, 1, 10)
        assert entries.sizes() == {"a": 1}
        assert entries.get("a") == b"a"
        assert entries.get("b") is None
    assert other.sizes() == {}


@pytest.mark.skipif(HAS_RAY, reason="Ray is installed")
def test_without_ray_one_line_says_how_to_get_it():
    with pytest.raises(RegardError, match=r"--ray needs Ray: pip install 'regard\[ray\]'"):
        import_ray()


def test_a_cluster_that_does_not_start_is_one_line(monkeypatch):
    class Ray:
        def is_initialized(self):
            return False

        def init(self, **options):
            raise Exception("The node timed out.\nAnd more.")

    monkeypatch.setattr(cluster, "import_ray", Ray)
    with pytest.raises(RegardError, match=r"^Ray does not start: The node timed out\.$"):
        cluster.connect_ray()


def test_a_proxy_that_dies_at_the_start_is_one_line(monkeypatch):
    killed = []

    class Remote:
        def __call__(self, kind):
            return self

        def remote(self):
            return "the store"

    def start(**options):
        raise OSError("The actor died unexpectedly.\n\tclass_name: ProxyActor")

    serve = SimpleNamespace(start=start)
    ray = SimpleNamespace(remote=lambda **options: Remote(), kill=killed.append, serve=serve)
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(ray_service, "connect_ray", lambda **options: ray)
    monkeypatch.setattr(os, "environ", {})
    with pytest.raises(RegardError, match=r"^Ray Serve does not start: The actor died unexpectedly\.$"):
        ray_service.serve_on_ray(ServiceOptions(["en-de"]), Keys(), ServerAddress("127.0.0.1", 5000), print)
    assert killed == ["the store"]
    assert os.environ["RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S"] == "50"


def fetch(address, fields=None):
    body = None if fields is None else json.dumps(fields).encode()
    request = urllib.request.Request(address, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


@needs_ray
@pytest.mark.proof
def test_a_deployment_answers_as_the_library_does_and_again_after_a_replica_was_killed():
    known = task("en-de")(TEXT).text
    with running("-m", "en-de", "--ray") as service:

        def ask(number):
            try:
                answer = fetch(f"{service.base}/translate", {"q": [TEXT] * 4, "source": "en", "target": "de"})
            except urllib.error.HTTPError as problem:
                time.sleep(0.5)
                return problem.code, problem.headers["retry-after"], json.load(problem)["error"]
            return answer["translatedText"] == [known] * 4

        terms = {"name": "mine", "source_lang": "en", "target_lang": "de", "entries": "a\tb", "entries_format": "tsv"}
        made = fetch(f"{service.base}/v2/glossaries", terms)
        with ThreadPoolExecutor(8) as pool:
            answers = pool.map(ask, range(100))
            time.sleep(2)
            replicas = [
                child
                for child in psutil.Process(service.process.pid).children(recursive=True)
                if any("ServeReplica" in part for part in child.cmdline())
            ]
            assert replicas
            for replica in replicas:
                replica.kill()
            ended = list(answers)
        assert set(ended) == {True, LOST}  # the replica took some with it
        assert ended.count(True) >= len(ended) - 2 * 8
        assert ask(0) is True
        glossaries = fetch(f"{service.base}/v2/glossaries")["glossaries"]
        assert [one["glossary_id"] for one in glossaries] == [made["glossary_id"]]

"""`regard serve --ray`: the same application as a deployment of Ray Serve, with as many replicas as there is work for.

Ray's proxy listens, and hands requests to replicas on any machine of the cluster. What is remembered between requests
lies in an actor that all of them ask, so that it does not matter which replica answers.
"""

import os
import signal
import threading
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from regard.cluster import connect_ray, import_ray
from regard.errors import RegardError
from regard.serving.entries import Entries, MemoryEntries
from regard.serving.keys import Keys
from regard.serving.ray_proxy import HERE, MIDDLEWARES
from regard.untrusted import first_line
from regard.viewer.guard import ServerAddress
from regard.viewer.launcher import page_url

if TYPE_CHECKING:
    from regard.serving.launcher import OnStart, ServiceOptions

NAME = "regard"
STORE = "regard-entries"
BUSY = 16  # open requests of a replica, above which there are to be more replicas
PATIENCE = ("RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S", "50")
"""Seconds that a proxy may take to start: Ray's own 5 are too few on a busy machine, and it kills it then."""


class EntryActor:
    """Entries of all kinds, in one process of the cluster."""

    def __init__(self) -> None:
        self.kinds: dict[str, MemoryEntries] = {}

    def call(self, kind: str, method: str, *arguments: Any) -> Any:
        return getattr(self.kinds.setdefault(kind, MemoryEntries()), method)(*arguments)


class RayEntries:
    """Entries of one kind, asked of the actor that has them."""

    def __init__(self, actor: Any, kind: str) -> None:
        self.actor = actor
        self.kind = kind

    def call(self, method: str, *arguments: Any) -> Any:
        return self.actor.call.remote(self.kind, method, *arguments).future().result()

    def put(self, name: str, content: bytes) -> None:
        self.call("put", name, content)

    def get(self, name: str) -> bytes | None:
        return self.call("get", name)

    def touch(self, name: str) -> None:
        self.call("touch", name)

    def delete(self, name: str) -> None:
        self.call("delete", name)

    def sizes(self) -> dict[str, int]:
        return self.call("sizes")


def build_app(options: "ServiceOptions", keys: Keys, address: ServerAddress) -> FastAPI:
    """The application of one replica, which has models of its own."""
    from regard.serving.app import create_app
    from regard.serving.launcher import load_service

    ray = import_ray()
    actor = ray.get_actor(STORE, namespace=NAME)
    replica = ray.get_runtime_context().get_actor_id()

    def entries(kind: str) -> Entries:
        return RayEntries(actor, kind)

    return create_app(load_service(options, keys, entries=entries, worker=replica), address)


def deploy(serve: Any, options: "ServiceOptions", keys: Keys, address: ServerAddress) -> None:
    """Start proxy and replicas with `serve`, Ray's module, and wait until they answer."""
    serve.start(http_options={"host": options.host, "port": options.port, "request_timeout_s": None})
    deployment = serve.deployment(
        name=NAME,
        max_ongoing_requests=options.limits.requests,
        ray_actor_options={"num_cpus": options.threads or 1},
        autoscaling_config={
            "min_replicas": 1,
            "max_replicas": max(1, options.workers),
            "target_ongoing_requests": BUSY,
        },
        graceful_shutdown_timeout_s=options.limits.seconds,
    )
    app = deployment(serve.ingress(lambda: build_app(options, keys, address))())
    serve.run(app.bind(), name=NAME, route_prefix="/")


def serve_on_ray(options: "ServiceOptions", keys: Keys, address: ServerAddress, on_start: "OnStart") -> None:
    """Deploy until Ctrl-C or SIGTERM; then the deployment is taken down, once what was begun is done."""
    os.environ.setdefault(MIDDLEWARES, HERE)  # which a cluster that is started here passes on to its proxy
    os.environ.setdefault(*PATIENCE)
    ray = connect_ray(namespace=NAME)
    from ray import serve  # type: ignore[import-not-found]

    store = ray.remote(num_cpus=0, name=STORE, get_if_exists=True, max_concurrency=8)(EntryActor).remote()
    try:
        try:
            deploy(serve, options, keys, address)
        except Exception as problem:  # whatever Ray's actors died of
            raise RegardError(f"Ray Serve does not start: {first_line(problem)}") from None
        stopped = threading.Event()
        handlers = {
            number: signal.signal(number, lambda *_: stopped.set()) for number in (signal.SIGINT, signal.SIGTERM)
        }
        url = page_url(ServerAddress(address.host, address.port, address.token)).partition("?")[0]
        on_start(url, sorted(map(os.path.basename, options.models)))
        while not stopped.wait(1.0):
            pass
        for number, handler in handlers.items():
            signal.signal(number, handler)
        serve.delete(NAME)
        serve.shutdown()
    finally:
        ray.kill(store)

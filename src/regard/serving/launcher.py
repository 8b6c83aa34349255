"""Starting and stopping a service."""

import logging
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from regard.errors import RegardError
from regard.serving.app import create_app
from regard.serving.entries import OpenEntries, memory_entries
from regard.serving.keys import Keys
from regard.serving.limits import LIMITS, ServiceLimits
from regard.serving.served_model import load_models
from regard.serving.service import Service
from regard.viewer.guard import ServerAddress
from regard.viewer.launcher import check_models, folder_names, open_socket, page_url

BUILT_IN = ("en-de", "de-en")
"""What is served where nobody says."""
PORT = 5000  # LibreTranslate's


@dataclass(frozen=True)
class ServiceOptions:
    """What the command takes."""

    models: Sequence[str] = BUILT_IN
    host: str = "127.0.0.1"
    port: int = PORT
    key_file: str | None = None
    threads: int | None = None
    precision: str = "float32"
    limits: ServiceLimits = LIMITS
    workers: int = 1
    is_ray: bool = False


OnStart = Callable[[str, Sequence[str]], None]
"""Told the address and the names of the models, once requests are answered."""


def serve(options: ServiceOptions, on_start: OnStart) -> None:
    """Serve until Ctrl-C or SIGTERM, and finish what was begun."""
    keys = Keys.read(options.key_file) if options.key_file else Keys()
    address = ServerAddress(options.host, options.port, "keys" if keys.are_needed else loopback_only(options.host))
    check_models(options.models, None)
    if options.is_ray:
        from regard.serving.ray_service import serve_on_ray

        serve_on_ray(options, keys, address, on_start)
        return
    if options.workers > 1:
        from regard.serving.workers import serve_in_workers

        serve_in_workers(options, keys, address, on_start)
        return
    listener = open_socket(options.host, options.port)
    try:
        run(options, keys, address, listener, on_start)
    finally:
        listener.close()


def loopback_only(host: str) -> None:
    """Refuse an address that others reach, where there are no keys."""
    try:
        ServerAddress(host)
    except RegardError:
        raise RegardError(
            f"{host} can be reached by others: write keys that they have to know to a --key-file"
        ) from None


def run(
    options: ServiceOptions,
    keys: Keys,
    address: ServerAddress,
    listener: socket.socket,
    on_start: OnStart,
    *,
    entries: OpenEntries = memory_entries,
    worker: int = 0,
) -> None:
    service = load_service(options, keys, entries=entries, worker=worker)
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(service, address),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=int(options.limits.seconds) + 5,
        )
    )
    url = page_url(ServerAddress(address.host, address.port, address.token)).partition("?")[0]
    on_start(url, sorted(service.models))
    stops = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_IGN}
    earlier = {number: signal.signal(number, handler) for number, handler in stops.items()}
    try:
        server.run(sockets=[listener])  # it stops gracefully at both, and then passes the signal on to these
    except KeyboardInterrupt:
        pass
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


def load_service(
    options: ServiceOptions, keys: Keys, *, entries: OpenEntries = memory_entries, worker: int | str = 0
) -> Service:
    """The models, loaded, and all that answers with them."""
    if options.threads is not None:
        from regard.engine.threads import set_thread_count

        set_thread_count(options.threads)
    folders = folder_names([name for name in options.models if Path(name).is_dir()])
    names = {folders.get(name, name): name for name in options.models}
    log_requests()
    models = load_models(dict(names), options.precision, options.limits)
    return Service(models, keys, options.limits, entries=entries, worker=worker)


def log_requests() -> None:
    """A line of JSON for each request, on standard error."""
    logger = logging.getLogger("regard.serve")
    if not logger.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        logger.addHandler(handler)
        logger.propagate = False
    logger.setLevel(logging.INFO)

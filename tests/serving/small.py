"""A service to ask in tests, on models that came with the install."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from regard.serving.app import create_app
from regard.serving.keys import Keys
from regard.serving.limits import LIMITS, ServiceLimits
from regard.serving.served_model import ServedModel
from regard.serving.service import Service
from regard.viewer.guard import ServerAddress

ADDRESS = ServerAddress(port=80)
NAMES = ("en-de", "de-en", "shakespeare")


@cache
def task(name: str) -> Any:
    """The same model asked through the library: what it says, the service has to say."""
    import regard

    return regard.load(name)


def served(
    *names: str, limits: ServiceLimits = LIMITS, folders: dict[str, Path] | None = None
) -> dict[str, ServedModel]:
    models = {name: ServedModel(name, task(name), "float32", limits) for name in names}
    for name, folder in (folders or {}).items():
        models[name] = ServedModel.load(name, folder, "float32", limits)
    return models


@contextmanager
def client(
    *names: str,
    keys: Keys | None = None,
    limits: ServiceLimits = LIMITS,
    folders: dict[str, Path] | None = None,
    address: ServerAddress = ADDRESS,
) -> Iterator[TestClient]:
    service = Service(served(*(names or NAMES), limits=limits, folders=folders), keys, limits)
    with TestClient(create_app(service, address), base_url="http://127.0.0.1") as result:
        yield result

"""A server to ask in tests, on models that came with the install."""

import json
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
from starlette.testclient import TestClient

# Here and not in a thread of the server: shape checks rewrite what is imported, which Python 3.11 does one at a time.
from regard.viewer.guard import ServerAddress
from regard.viewer.limits import LIMITS, Limits
from regard.viewer.model_store import ModelStore
from regard.viewer.server import create_app

STORY = "Brian is a frog. Lily is gray. Brian is yellow. Julius is green. Greg is a frog."
SAMPLES = Path(__file__).parent / "samples"


@contextmanager
def client(
    model_store: ModelStore | None = None, limits: Limits = LIMITS, address: ServerAddress = ServerAddress(port=80)
) -> Iterator:
    with TestClient(
        create_app(model_store or ModelStore(), address, limits=limits), base_url="http://127.0.0.1"
    ) as result:
        yield result


def lines(answer) -> list[dict]:
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def run(server, **ask) -> dict:
    """A finished run."""
    statuses = lines(server.post("/api/runs", json={"model": "shakespeare", "max_new_tokens": 4, **ask}))
    assert statuses[-1]["state"] == "done", statuses[-1]
    return server.get(f"/api/runs/{statuses[-1]['run']}").json()


def framed(body: bytes) -> tuple[dict, np.ndarray]:
    """A binary answer, read as the page reads it."""
    assert body[:4] == b"RGD1"
    (length,) = struct.unpack("<I", body[4:8])
    assert length % 4 == 0
    return json.loads(body[8 : 8 + length]), np.frombuffer(body[8 + length :], "<f4")


def reference_output(folder: Path, kind: str, **inputs: torch.Tensor):
    """The attentions of transformers, which writes all of them down."""
    from tasks.tiny import transformers

    model = getattr(transformers, kind).from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        return model(**inputs, output_attentions=True)

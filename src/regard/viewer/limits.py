"""What the server allows, so that no page and no mistake can take the machine."""

from dataclasses import dataclass
from typing import Any

from regard.errors import RegardError
from regard.viewer.payload import RunRequest


@dataclass(frozen=True)
class Limits:
    """Beyond `waiting` runs, or so many `questions` about them at once, a page is told to come back later.

    Of finished runs the ones not asked about for longest are dropped, once there are more than `stored_runs` or they
    take more than `memory` bytes.
    """

    body: int = 1 << 20  # bytes
    letters: int = 400_000
    tokens: int = 65_536
    max_new_tokens: int = 1024
    beam: int = 16
    edits: int = 256
    running: int = 2
    waiting: int = 16
    questions: int = 256
    stored_runs: int = 32
    memory: int = 6 << 30
    loaded_models: int = 3


LIMITS = Limits()


def check_request(request: RunRequest, limits: Limits) -> None:
    """Raise unless a request keeps to the limits."""
    for name, count, most in (
        ("letters", len(request.text) + len(request.second or ""), limits.letters),
        ("beams", request.beam, limits.beam),
        ("tokens to write", request.max_new_tokens or 0, limits.max_new_tokens),
        ("edits", len(request.edits), limits.edits),
    ):
        if count > most:
            raise RegardError(f"at most {most} {name} expected, got {count}")
    if not is_finite(request.edits):
        raise RegardError("edits hold a number that is not finite")


def is_finite(value: Any) -> bool:
    """Whether there is neither NaN nor infinity anywhere in some JSON."""
    values = [value]
    while values:
        part = values.pop()
        if isinstance(part, float) and part - part != 0:
            return False
        values += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return True

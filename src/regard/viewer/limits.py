"""What the server allows, so that no page and no mistake can take the machine."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Beyond `waiting` runs, or `asking` questions about them at once, a page is told to come back later.

    Of finished runs the ones not looked at for longest are dropped, once there are more than `stored` or they take more
    than `memory` bytes.
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
    loaded_models: int = 3  # models


LIMITS = Limits()

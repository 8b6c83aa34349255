"""What the server allows, so that no page and no mistake can take the machine."""

from dataclasses import dataclass

from regard.errors import RegardError
from regard.viewer.payload import RunRequest


@dataclass(frozen=True)
class Limits:
    """Beyond `waiting` runs, or so many `questions` about them at once, a page is told to come back later.

    Of finished runs the ones not asked about for longest are dropped, once there are more than `stored_runs`, they take
    more than `stored_bytes` or hold more than `loaded_models`; the newest stays, and the one that it is compared with.
    """

    body: int = 1 << 20  # bytes
    letters: int = 900_000
    tokens: int = 131_072
    max_new_tokens: int = 1024
    beam: int = 16
    edits: int = 256
    running: int = 2
    waiting: int = 16
    questions: int = 256
    stored_runs: int = 32
    stored_bytes: int = 2 << 30
    loaded_models: int = 3


LIMITS = Limits()


def check_request(request: RunRequest, limits: Limits) -> None:
    """Raise unless a request keeps to the limits, and its edits to the table of edits. Edits wait for torch."""
    for name, count, most in (
        ("letters", len(request.text) + len(request.second or ""), limits.letters),
        ("beams", request.beam, limits.beam),
        ("tokens to write", request.max_new_tokens or 0, limits.max_new_tokens),
    ):
        if count > most:
            raise RegardError(f"at most {most} {name} expected, got {count}")
    if request.edits:
        from regard.looking.edit_records import check_edits

        check_edits(request.edits, max_edits=limits.edits)

"""Why a request is not answered now."""

from regard.errors import RegardError


class Busy(RegardError):
    """Too much at once: come back in so many seconds."""

    def __init__(self, line: str, seconds: int = 1) -> None:
        super().__init__(line)
        self.seconds = seconds


class Dropped(RegardError):
    """A run that made room for others."""


class NotYet(RegardError):
    """Something that is being computed: ask again in a moment."""

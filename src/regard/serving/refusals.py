"""Why a request is not answered, each kind with its status; the protocols have a shape of their own for the line."""

from regard.errors import EditError, RegardError, UnknownName


class Refusal(RegardError):
    """A request that is not answered, with the status that says so and the seconds to come back after, if any."""

    status: int
    code: str
    seconds: int | None

    def __init__(self, status: int, line: str, *, code: str = "", seconds: int | None = None) -> None:
        super().__init__(line)
        self.status, self.code, self.seconds = status, code, seconds


class FullQueue(Refusal):
    """The service has more to do than it takes on."""

    def __init__(self, waiting: int) -> None:
        super().__init__(503, f"{waiting} texts are waiting: try again in a moment", code="overloaded", seconds=2)


class TooManyTexts(Refusal):
    """One client has more texts waiting than it may."""

    def __init__(self, waiting: int) -> None:
        line = f"{waiting} texts of yours are waiting: try again when some are done"
        super().__init__(429, line, code="rate_limit_exceeded", seconds=2)


class TooSlow(Refusal):
    """An answer that was not there in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(503, f"not done in {seconds:g} seconds: send less at once", code="timeout", seconds=5)


class LostReplica(Refusal):
    """A request whose replica died before it answered."""

    def __init__(self) -> None:
        super().__init__(503, "what worked on this has died: ask again", code="lost", seconds=1)


class Stopping(Refusal):
    """The service ends, and takes nothing on."""

    def __init__(self) -> None:
        super().__init__(503, "the service is stopping", code="stopping", seconds=5)


def status_of(problem: RegardError) -> int:
    """The status of an answer that says what is wrong with a request."""
    if isinstance(problem, Refusal):
        return problem.status
    return 404 if isinstance(problem, UnknownName) else 422 if isinstance(problem, EditError) else 400

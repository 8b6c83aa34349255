"""Text that grows while its tokens arrive."""

from collections.abc import Callable, Sequence

HALF = "\N{REPLACEMENT CHARACTER}"  # what a decoder writes for bytes that are no character, or not yet one


class DetokenizingStream:
    """Gives the text that each token adds. What was given is never taken back, and never half a character.

    The parts joined are the text of all tokens. Only the last few tokens are decoded anew: those of the last part
    given, which decide about spaces, and those that came since.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str]) -> None:
        self.decode = decode
        self.before: list[int] = []
        self.since: list[int] = []

    def add(self, number: int) -> str:
        """The text that can be given now that this token is known; often one word, sometimes nothing."""
        self.since.append(number)
        return self.next_part(final=False)

    def end(self) -> str:
        """What is left, bytes that never became a character included."""
        return self.next_part(final=True)

    def next_part(self, *, final: bool) -> str:
        old, new = self.decode(self.before), self.decode([*self.before, *self.since])
        if not final and (new.endswith(HALF) or not new.startswith(old)):
            return ""
        part = new[len(old) :]
        if part:
            self.before, self.since = self.since, []
        return part

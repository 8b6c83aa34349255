"""A prompt that goes on among others: what follows it, told as it grows, up to the texts that end it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from regard.serving.batching import Piece
from regard.serving.side_by_side import by_config

if TYPE_CHECKING:
    from regard.decoding import StreamedToken
    from regard.decoding.running import RunningText, RunningTexts
    from regard.tasks.inputs import EncodedText
    from regard.text import Tokenizer
    from regard.text.streaming import DetokenizingStream


@dataclass(frozen=True)
class PromptPiece:
    """A prompt, the seed of its draws, how many tokens may follow, and the texts at which it ends."""

    prompt: "EncodedText"
    seed: int = 0
    max_new_tokens: int | None = None
    stops: tuple[str, ...] = ()


@dataclass(eq=False)
class Continuation:
    """What follows a prompt, as it grows. It ends before the first of some texts that comes up; a part that may be the
    beginning of one is held back until that is known."""

    piece: PromptPiece
    tokenizer: "Tokenizer"
    ids: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    text: str = ""
    given: int = 0  # letters that were handed out
    is_finished: bool = False
    is_stopped: bool = False

    def __post_init__(self) -> None:
        self.stream: DetokenizingStream = self.tokenizer.stream()
        self.stream.before = list(self.piece.prompt.encoded.ids)

    def add(self, token: "StreamedToken") -> str:
        """One more token; the text that can be handed out after it."""
        self.scores.append(token.score)
        if token.is_end:
            self.is_finished = True
            return ""
        self.ids.append(token.id)
        return self.grow(self.stream.add(token.id) or "")

    def end(self) -> str:
        """The rest of the text, once nothing more comes."""
        if self.is_stopped:
            return ""
        part = self.grow(self.stream.end() or "")
        rest, self.given = self.text[self.given :], len(self.text)
        return part + rest

    def grow(self, part: str) -> str:
        longest = max(map(len, self.piece.stops), default=0)
        begin = max(0, len(self.text) - longest + 1)
        self.text += part
        found = [at for stop in self.piece.stops if (at := self.text.find(stop, begin)) >= 0]
        if found:
            self.text, self.is_stopped = self.text[: min(found)], True
        free = len(self.text) if self.is_stopped else len(self.text) - self.held_back()
        part, self.given = self.text[self.given : free], max(self.given, free)
        return part

    def held_back(self) -> int:
        """How many of the last letters may be the beginning of a text that ends it."""
        sizes = (
            size for stop in self.piece.stops for size in range(len(stop) - 1, 0, -1) if self.ends_with(stop, size)
        )
        return max(sizes, default=0)

    def ends_with(self, stop: str, size: int) -> bool:
        return self.text.endswith(stop[:size])

    @property
    def finish_reason(self) -> str:
        return "stop" if self.is_finished or self.is_stopped else "length"


@dataclass(eq=False)
class ContinuationJob:
    """A prompt while it is continued."""

    piece: Piece
    text: Continuation
    running: "RunningText"
    is_apart: bool = False

    @property
    def problem(self) -> Exception | None:
        return self.running.problem

    @property
    def is_over(self) -> bool:
        return self.running.is_over


class ContinuationWriter:
    """Prompts go on: each is told as it grows, and ends at its texts that stop it."""

    def __init__(self, task: Any, running: "RunningTexts") -> None:
        self.task = task
        self.running = running

    def begin(self, piece: Piece) -> ContinuationJob:
        from regard.decoding.running import RunningText

        text = Continuation(piece.content, self.task.tokenizer)
        running = RunningText(
            on_token=lambda token: report(piece, text.add(token)),
            is_wanted=lambda: piece.is_wanted and not text.is_stopped,
        )
        return ContinuationJob(piece, text, running)

    def join(self, jobs: Sequence[ContinuationJob], *, is_apart: bool = False) -> None:
        for config, group in by_config((job.piece.config, job) for job in jobs):
            contents: list[PromptPiece] = [job.piece.content for job in group]
            if config.sampling is not None:
                seeds = tuple(content.seed for content in contents)
                config = replace(config, sampling=replace(config.sampling, seed=seeds))
            self.task.join(
                self.running,
                [content.prompt for content in contents],
                [job.running for job in group],
                config,
                max_new_tokens=[content.max_new_tokens for content in contents],
                is_apart=is_apart,
            )

    def finish(self, job: ContinuationJob) -> bool:
        report(job.piece, job.text.end())
        job.piece.result = job.text
        return True


def report(piece: Piece, part: str) -> None:
    if part and piece.on_token is not None:
        piece.has_begun = True
        piece.on_token(part)

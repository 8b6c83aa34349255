"""What the thread of a model does with a batch: one function for each kind of work, and one line in a table."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from regard.errors import lookup
from regard.serving.batching import Piece

if TYPE_CHECKING:
    from regard.decoding import StreamedToken
    from regard.tasks import Task
    from regard.tasks.generation_config import GenerationConfig
    from regard.tasks.inputs import EncodedText
    from regard.text import Tokenizer
    from regard.text.streaming import DetokenizingStream

CheckWanted = Callable[[], None]


@dataclass(frozen=True)
class WriteKey:
    """How pieces are to be written: those of one key can be written side by side. `edits` are records as JSON."""

    kind: str
    config: "GenerationConfig | None" = None
    edits: str = ""


@contextmanager
def edited(task: "Task", edits: str) -> Iterator[None]:
    """The model of a task with edits at work, in this thread alone."""
    if not edits:
        yield
        return
    from regard.looking import edit

    with edit(task.model, json.loads(edits)):
        yield


def write_translations(task: "Any", key: WriteKey, pieces: Sequence[Piece], check_wanted: CheckWanted) -> None:
    """Sentences, each a source text of its own, as `TranslateTask.write_protected` writes them."""
    with edited(task, key.edits):
        sources, written = task.write_protected(
            [piece.content for piece in pieces], key.config, on_step=lambda progress: check_wanted()
        )
    for piece, *result in zip(pieces, sources, written, strict=True):
        piece.result = tuple(result)


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


def write_continuations(task: "Any", key: WriteKey, pieces: Sequence[Piece], check_wanted: CheckWanted) -> None:
    """Prompts, side by side; one that ended, or that nobody waits for, leaves the batch."""
    contents: list[PromptPiece] = [piece.content for piece in pieces]
    config = key.config
    assert config is not None
    if config.sampling is not None:
        seeds = tuple(content.seed for content in contents)
        config = replace(config, sampling=replace(config.sampling, seed=seeds))
    texts = [Continuation(content, task.tokenizer) for content in contents]
    with edited(task, key.edits):
        tokens = task.stream_tokens(
            [content.prompt for content in contents],
            config,
            max_new_tokens=[content.max_new_tokens for content in contents],
            is_wanted=lambda row: pieces[row].is_wanted and not texts[row].is_stopped,
        )
        for token in tokens:
            check_wanted()
            part = texts[token.row].add(token)
            report(pieces[token.row], part)
    for piece, text in zip(pieces, texts, strict=True):
        report(piece, text.end())
        piece.result = text


def report(piece: Piece, part: str) -> None:
    if part and piece.on_token is not None:
        piece.on_token(part)


def write_embeddings(task: "Any", key: WriteKey, pieces: Sequence[Piece], check_wanted: CheckWanted) -> None:
    """Texts, each with its vector."""
    with edited(task, key.edits):
        vectors = task.run([piece.content for piece in pieces])
    for piece, vector in zip(pieces, vectors, strict=True):
        piece.result = vector


WRITERS: dict[str, Callable[["Any", WriteKey, Sequence[Piece], CheckWanted], None]] = {
    "translate": write_translations,
    "generate": write_continuations,
    "embed": write_embeddings,
}
"""How each kind of work is done."""


def write_pieces(tasks: "dict[str, Task]", key: WriteKey, pieces: Sequence[Piece], check_wanted: CheckWanted) -> None:
    """Write a batch with the task of its kind."""
    lookup(WRITERS, key.kind, "kind of work")(lookup(tasks, key.kind, "task"), key, pieces, check_wanted)

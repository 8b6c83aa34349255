"""What the thread of a model does with a batch: one class for each kind of work, and one line in a table."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from regard.errors import lookup
from regard.serving.batching import RunningBatch
from regard.serving.continuation import ContinuationWriter
from regard.serving.side_by_side import PieceWriter, SideBySide
from regard.serving.translation_writer import TranslationWriter

if TYPE_CHECKING:
    from regard.decoding.running import RunningTexts
    from regard.tasks import Task


@dataclass(frozen=True)
class WriteKey:
    """What pieces that are written side by side have in common; how each is searched for is its own affair. `edits` are
    records as JSON."""

    kind: str
    precision: str = "float32"
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


def write_embeddings(task: Any, batch: RunningBatch) -> None:
    """Texts, each with its vector."""
    while pieces := batch.take():
        vectors = task.run([piece.content for piece in pieces])
        for piece, vector in zip(pieces, vectors, strict=True):
            piece.result = vector
            batch.settle(piece)


def write_side_by_side(
    writer: "Callable[[Any, RunningTexts], PieceWriter]", task: Any, key: WriteKey, batch: RunningBatch
) -> None:
    """Texts that come and go while others are written."""
    from regard.decoding.running import RunningTexts

    SideBySide(writer(task, RunningTexts(task.writer, key.precision)), batch).run()


WRITERS: dict[str, Callable[[Any, WriteKey, RunningBatch], None]] = {
    "translate": partial(write_side_by_side, TranslationWriter),
    "generate": partial(write_side_by_side, ContinuationWriter),
    "embed": lambda task, key, batch: write_embeddings(task, batch),
}
"""How each kind of work is done."""


def write_batch(tasks: "dict[str, Task]", key: WriteKey, batch: RunningBatch) -> None:
    """Write a batch with the task of its kind, under the edits of all of its pieces."""
    task = lookup(tasks, key.kind, "task")
    with edited(task, key.edits):
        lookup(WRITERS, key.kind, "kind of work")(task, key, batch)

"""One model of a service: its tasks, its languages, and the thread in which it writes."""

import re
import threading
import time
from collections.abc import Hashable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.errors import RegardError
from regard.serving.batching import Batcher, RunningBatch
from regard.serving.limits import ServiceLimits
from regard.serving.refusals import Refusal
from regard.serving.writing import WriteKey, write_batch
from regard.tasks.purposes import can_embed

if TYPE_CHECKING:
    from regard.tasks import Task

PAIR = re.compile(r"(?:^|[-_./])([a-z]{2,3})[-_]([a-z]{2,3})$")


class ServedModel:
    """A model that is loaded and answers. `languages` are the two that a translator knows, source first."""

    def __init__(self, name: str, task: "Task", precision: str, limits: ServiceLimits) -> None:
        self.name = name
        self.task = task
        self.precision = precision
        self.tasks: dict[str, Task] = {task.name: task}
        self.has_vectors: bool = can_embed(task.config, task.folder)
        self.making: threading.Lock = threading.Lock()
        self.languages: tuple[str, str] | None = languages_of(name, task) if task.name == "translate" else None
        self.created: int = int(time.time())
        self.batcher: Batcher = Batcher(name, self.write, limits)

    @classmethod
    def load(cls, name: str, path: str | Path, precision: str, limits: ServiceLimits) -> "ServedModel":
        """A folder, a built-in name or a cached id; the engine is there before the first request is."""
        from regard.tasks.loading import load

        task: Task = load(path)
        if task.name not in ("translate", "generate", "embed"):
            raise RegardError(f"{name}: a model that can {task.name} has no protocol here; regard.load answers with it")
        if task.folder_model is not None:
            task.folder_model.with_precision(precision).packed()
        elif task.name != "embed":
            from regard.engine import serve

            serve(task.model, precision, wait=True)
        return cls(name, task, precision, limits)

    def write(self, key: Hashable, batch: RunningBatch) -> None:
        assert isinstance(key, WriteKey)
        write_batch(self.tasks, key, batch)

    def can(self, kind: str) -> Any:
        """The task of a kind; which one it is, the caller knows. Vectors take torch, for which the first one waits."""
        with self.making:
            if kind == "embed" and self.has_vectors and kind not in self.tasks:
                self.tasks = self.tasks | embed_task(self.task)  # another table: somebody may be reading this one
        if kind not in self.tasks:
            able = ", ".join(dict.fromkeys((*self.tasks, *["embed"] * self.has_vectors)))
            raise Refusal(400, f"{self.name} cannot {kind}, it can {able}", code="unsupported_model")
        return self.tasks[kind]


def embed_task(task: "Task") -> "dict[str, Task]":
    """Vectors come from the same weights."""
    checkpoint = task.checkpoint  # which says so where there is no torch
    from regard.tasks import EmbedTask

    return {"embed": EmbedTask(checkpoint, task.tokenizer)}


def languages_of(name: str, task: "Task") -> tuple[str, str] | None:
    """Which language a translator reads and which it writes: as its card says, or else its name."""
    from regard.card import read_card

    named = read_card(task.folder).languages
    if len(named) == 2:
        return normal_code(named[0]), normal_code(named[1])
    match = PAIR.search(name)
    return (match[1], match[2]) if match else None


def normal_code(code: str) -> str:
    """en-GB, EN and en_gb are English."""
    return re.split(r"[-_]", code.strip().lower(), maxsplit=1)[0]


def load_models(names: dict[str, str | Path], precision: str, limits: ServiceLimits) -> dict[str, ServedModel]:
    """All models of a service, by name."""
    load = partial(ServedModel.load, precision=precision, limits=limits)
    return {name: load(name, path) for name, path in names.items()}

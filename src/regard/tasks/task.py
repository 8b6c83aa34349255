"""What all tasks share: a model, its tokeniser, and how texts are set side by side and put back in order.

A task is three steps that anyone can compose. `read` gives the tokens of a text and where they stand (tasks/inputs.py);
`write`, or `run` where nothing is written, puts some of these through the model, tells how far it is, and gives numbers
back; `answer` makes the result of what was read and what came of it. The first and the last are those of the task's
`processor` (tasks/processors), which takes no torch; and what the engine can write with the weights of a folder takes
none either, until somebody asks for the `model`. `reading` is what a watched pass over both is to read. `__call__`
is these steps one after the other.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, TypeVar, runtime_checkable

import numpy as np

from regard.config import Config
from regard.engine.folder_model import FolderModel
from regard.errors import TorchMissing
from regard.tasks.folder_memory import FolderMemory
from regard.tasks.processors.processor import ModelDescription, Processor
from regard.text.encoded import Encoded
from regard.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    import torch

    from regard.checkpoints import Checkpoint
    from regard.models import Model

OnProgress = Callable[[int], None]
"""Told how many texts are done, again and again; what it raises ends the work."""
Output = TypeVar("Output")
LightModel = FolderModel | FolderMemory
"""The weights of a folder, and what answers with them without torch."""
if TYPE_CHECKING:
    import typing_extensions

    TaskProcessor = typing_extensions.TypeVar("TaskProcessor", bound=Processor, default=Processor, covariant=True)
else:  # without the default, which only type checkers ask for
    TaskProcessor = TypeVar("TaskProcessor", bound=Processor, covariant=True)


@runtime_checkable
class BatchLike(Protocol):
    """Some texts side by side; which of all they are."""

    @property
    def rows(self) -> tuple[int, ...]: ...


class Task(Generic[TaskProcessor]):
    """A model and its tokeniser. Called with a text it gives one answer, with several texts a list of them.

    Answers never depend on which texts are asked about together. `first`, in calls, is the number that messages give
    the first of several texts.
    """

    name: ClassVar[str]
    side: ClassVar[Literal["left", "right"]] = "right"
    processor_class: ClassVar[type[Any]]
    """Of TaskProcessor, which no class variable can say."""
    __call__: Callable[..., Any]
    """Each task says what it takes and gives."""

    def __init__(self, checkpoint: "Checkpoint | LightModel", tokenizer: Tokenizer | None) -> None:
        """A model of torch, or one that only the engine or numpy holds so far: it becomes one of torch when that is
        wanted."""
        if isinstance(checkpoint, FolderModel | FolderMemory):
            self._light: LightModel | None = checkpoint
            description = ModelDescription(checkpoint.folder, dict(checkpoint.entries), checkpoint.config)
        else:
            self._light = None
            self._checkpoint, self._model = checkpoint, checkpoint.model
            description = ModelDescription(checkpoint.folder, checkpoint.config, checkpoint.model.config)
        self._loading = threading.Lock()
        self.processor: TaskProcessor = self.processor_class(description, tokenizer)

    def load_torch(self) -> None:
        """Read the model of torch, if that has not happened yet; from then on it is what answers."""
        with self._loading:
            if self._light is not None:
                try:
                    from regard.checkpoints.load import load_model
                except ModuleNotFoundError as problem:
                    raise TorchMissing.of(problem, "the model itself needs it") from None
                self._checkpoint = load_model(self._light.folder)
                self._model = self._checkpoint.model
                self._light = None

    @property
    def folder_model(self) -> FolderModel | None:
        """What writes without torch, until somebody has asked for the model."""
        return self._light if isinstance(self._light, FolderModel) else None

    @property
    def checkpoint(self) -> "Checkpoint":
        self.load_torch()
        return self._checkpoint

    @property
    def model(self) -> "Model":
        """The model of torch: it can be watched, edited and taught. Of which kind it is, each task says."""
        self.load_torch()
        return self._model

    @model.setter
    def model(self, model: "Model") -> None:
        self.load_torch()
        self._model = model

    @property
    def folder(self) -> Path:
        """Where the model came from."""
        return self.processor.description.folder

    @property
    def config(self) -> Config:
        """What the model is made of."""
        return self.processor.description.config if self._light is not None else self.model.config

    @classmethod
    def serves(cls, config: Config, folder: Path) -> bool:
        """Whether a model of this config, in this folder, can be asked to do it."""
        raise NotImplementedError

    @property
    def tokenizer(self) -> Tokenizer:
        return self.processor.tokenizer

    @property
    def max_length(self) -> int | None:
        """How many tokens the model reads."""
        return self.processor.max_length

    @property
    def device(self) -> "torch.device":
        return next(self.model.parameters()).device

    @contextmanager
    def unwatched(self) -> Iterator[None]:
        """Within it nobody looks; those who edit still do."""
        if self._light is not None:  # which nobody can watch
            yield
            return
        from regard.attention.taps import unwatched

        with unwatched():
            yield

    @property
    def is_watched(self) -> bool:
        """Whether somebody looks here."""
        if self._light is not None:
            return False
        from regard.tasks.replay import is_watched

        return is_watched(self.model)

    def in_batches(
        self, texts: Sequence[Encoded], run: Callable[[Any], Sequence[Output]], progress: OnProgress | None
    ) -> list[Output]:
        """One output for each text, in their order; those of like length go through the model together."""
        import torch

        from regard.text.padding import batches

        with torch.no_grad():
            made = batches(texts, pad=self.processor.padding, side=self.side, device=self.device)
            return in_order(made, run, len(texts), progress)


def in_order(
    batches: Iterable[BatchLike], run: Callable[[Any], Sequence[Output]], count: int, progress: OnProgress | None
) -> list[Output]:
    """What is run on batches, in the order of the texts."""
    outputs: dict[int, Output] = {}
    for batch in batches:
        outputs.update(zip(batch.rows, run(batch), strict=True))
        if progress is not None:
            progress(len(batch.rows))
    return [outputs[row] for row in range(count)]


def as_array(tensor: "torch.Tensor | np.ndarray") -> np.ndarray:
    """Numbers as results hold them; numpy has no bfloat16."""
    if isinstance(tensor, np.ndarray):
        return tensor
    return (tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor).cpu().numpy()

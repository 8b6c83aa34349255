"""What all tasks share: a model, its tokeniser, and how texts are set side by side and put back in order.

A task is three steps that anyone can compose. `read` gives the tokens of a text and where they stand (tasks/inputs.py);
`write`, or `run` where nothing is written, puts some of these through the model, tells how far it is, and gives numbers
back; `answer` makes the result of what was read and what came of it. The first and the last are those of the task's
`processor` (tasks/processors), which takes no torch. `reading` is what a watched pass over both is to read. `__call__`
is these steps one after the other.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal

import numpy as np
import torch
from typing_extensions import TypeVar

from regard.checkpoints import Checkpoint
from regard.config import Config
from regard.models import Model
from regard.tasks.processors.processor import ModelDescription, Processor
from regard.text import Batch, Encoded, Tokenizer, batches

OnProgress = Callable[[int], None]
"""Told how many texts are done, again and again; what it raises ends the work."""
Output = TypeVar("Output")
TaskProcessor = TypeVar("TaskProcessor", bound=Processor, default=Processor, covariant=True)


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

    def __init__(self, checkpoint: Checkpoint, tokenizer: Tokenizer | None) -> None:
        self.checkpoint = checkpoint
        self.model: Model = checkpoint.model
        description = ModelDescription(checkpoint.folder, checkpoint.config, checkpoint.model.config)
        self.processor: TaskProcessor = self.processor_class(description, tokenizer)

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
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def in_batches(
        self, texts: Sequence[Encoded], run: Callable[[Batch], Sequence[Output]], progress: OnProgress | None
    ) -> list[Output]:
        """One output for each text, in their order; those of like length go through the model together."""
        outputs: dict[int, Output] = {}
        with torch.no_grad():
            for batch in batches(texts, pad=self.processor.padding, side=self.side, device=self.device):
                outputs.update(zip(batch.rows, run(batch), strict=True))
                if progress is not None:
                    progress(len(batch.rows))
        return [outputs[row] for row in range(len(texts))]


def as_array(tensor: torch.Tensor) -> np.ndarray:
    """Numbers as results hold them; numpy has no bfloat16."""
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).cpu().numpy()

"""What all tasks share: a model, its tokeniser, and how texts are set side by side and put back in order.

A task is three steps that anyone can compose. `read` gives the tokens of a text and where they stand (tasks/inputs.py);
`write`, or `run` where nothing is written, puts some of these through the model, tells how far it is, and gives numbers
back; `answer` makes the result of what was read and what came of it. `reading` is what a watched pass over both is to
read. `__call__` is these steps one after the other.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeGuard, TypeVar

import numpy as np
import torch

from regard.checkpoints import Checkpoint, CheckpointError
from regard.checkpoints.files import read_json
from regard.config import Config
from regard.errors import RegardError
from regard.models import AlignerConfig, MemoryNetworkConfig
from regard.tasks.inputs import Text
from regard.text import Batch, Encoded, Tokenizer, TokenizerError, batches

OnProgress = Callable[[int], None]
"""Told how many texts are done, again and again; what it raises ends the work."""
Input = TypeVar("Input")
Output = TypeVar("Output")


class TextTooLong(RegardError, ValueError):
    """A text of more tokens than the model reads."""


class Task:
    """A model and its tokeniser. Called with a text it gives one answer, with several texts a list of them.

    Answers never depend on which texts are asked about together. `max_length` is how many tokens the model reads;
    `first`, in calls, is the number that messages give the first of several texts.
    """

    name: ClassVar[str]
    side: ClassVar[Literal["left", "right"]] = "right"
    can_cut: ClassVar[bool] = False
    __call__: Callable[..., Any]

    def __init__(self, checkpoint: Checkpoint, tokenizer: Tokenizer | None) -> None:
        self.checkpoint, self.model, self._tokenizer = checkpoint, checkpoint.model, tokenizer
        self.max_length = max_length_of(checkpoint)

    @classmethod
    def serves(cls, config: Config, folder: Path) -> bool:
        """Whether a model of this config, in this folder, can be asked to do it."""
        raise NotImplementedError

    @property
    def tokenizer(self) -> Tokenizer:
        if self._tokenizer is None:
            where = self.checkpoint.folder
            raise TokenizerError(f"{where}: was loaded without its tokeniser; the model itself takes token ids")
        return self._tokenizer

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def encode(
        self, text: Text, number: int | None = None, *, special: Collection[str] = (), cut: bool = False
    ) -> Encoded:
        """The tokens of a text, or one line that says how far it is too long."""
        first, second = (text, None) if isinstance(text, str) else text
        encoded = self.tokenizer.encode(first, second, special=special)
        if self.max_length is None or len(encoded) <= self.max_length:
            return encoded
        if cut:
            return encoded.cut(self.max_length)
        advice = "; cut=True (--cut) reads only its beginning" if self.can_cut else ""
        raise TextTooLong(
            f"{text_name(number)} has {len(encoded)} tokens, the model reads at most {self.max_length}{advice}"
        )

    def in_batches(
        self, texts: Sequence[Encoded], run: Callable[[Batch], Sequence[Output]], progress: OnProgress | None
    ) -> list[Output]:
        """One output for each text, in their order; those of like length go through the model together."""
        outputs: dict[int, Output] = {}
        with torch.no_grad():
            for batch in batches(texts, pad=self.tokenizer.specials.pad, side=self.side, device=self.device):
                outputs.update(zip(batch.rows, run(batch), strict=True))
                if progress is not None:
                    progress(len(batch.rows))
        return [outputs[row] for row in range(len(texts))]


def is_alone(text: Text | Iterable[Text]) -> TypeGuard[Text]:
    """Whether a call is about one text, or a pair, and not about several."""
    return isinstance(text, str | tuple)


def read_all(text: Text | Iterable[Text], read: Callable[[Text, int | None], Input], first: int) -> list[Input]:
    """What is read of each text of a call; `read` is told the number that messages give it, if there are several."""
    if is_alone(text):
        return [read(text, None)]
    return [read(each, number) for number, each in enumerate(text, first)]


def as_array(tensor: torch.Tensor) -> np.ndarray:
    """Numbers as results hold them; numpy has no bfloat16."""
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).cpu().numpy()


def text_name(number: int | None) -> str:
    """How a message names a text: by its number, if there are several."""
    return "the text" if number is None else f"text {number}"


def max_length_of(checkpoint: Checkpoint) -> int | None:
    """How many tokens a model reads: as many as it learned places for, or as its config says; None: any number."""
    config: Any = checkpoint.model.config
    if isinstance(config, AlignerConfig | MemoryNetworkConfig):
        return None
    side = config.encoder if hasattr(config, "encoder") else config.decoder
    if side.position.kind == "learned":
        return side.position.settings["length"]
    if side.position.kind == "buckets":
        return None
    value = checkpoint.config.get("max_position_embeddings")
    return value if isinstance(value, int) and value > 0 else None


def settings_of(folder: Path, file: str) -> dict[str, Any]:
    """A further file of settings, if the folder has it."""
    return read_json(folder / file) if (folder / file).is_file() else {}


def number_of(value: Any, where: str) -> int | None:
    """A token's number as a config gives it."""
    if value is not None and type(value) is not int:
        raise CheckpointError(f"{where}: the number of a token expected, got {value!r}")
    return value

"""A name becomes a model that can be asked."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from regard.engine.folder_model import FolderModel
from regard.engine.folder_weights import folder_architecture
from regard.engine.parts import Unsupported
from regard.errors import RegardError, TorchMissing, lookup
from regard.tasks.find import FILES, find
from regard.tasks.folder_memory import FolderMemory
from regard.tasks.purposes import PURPOSES
from regard.text.folder import load_tokenizer
from regard.untrusted import checked_file

if TYPE_CHECKING:
    from regard.tasks.answer import AnswerTask
    from regard.tasks.classify import ClassifyTask
    from regard.tasks.embed import EmbedTask
    from regard.tasks.fill import FillTask
    from regard.tasks.generate import GenerateTask
    from regard.tasks.task import Task
    from regard.tasks.torch_loading import DType, ModelName
    from regard.tasks.translate import TranslateTask

LIGHT = {"translate": "TranslateTask", "generate": "GenerateTask"}
"""Tasks whose texts the engine writes without torch, and their classes; each is loaded when it is tried."""
MEMORY_NETWORK = "MemoryNetwork"  # the architecture that numpy answers


# A built-in name or a task that is named tells a type checker what comes back.
@overload
def load(
    name: Literal["en-de", "de-en"],
    tokenizer: Literal[True] = ...,
    *,
    device: str | None = ...,
    dtype: "DType" = ...,
    task: None = ...,
) -> "TranslateTask": ...
@overload
def load(
    name: Literal["shakespeare", "shakespeare-long"],
    tokenizer: Literal[True] = ...,
    *,
    device: str | None = ...,
    dtype: "DType" = ...,
    task: None = ...,
) -> "GenerateTask": ...
@overload
def load(
    name: Literal["masked-en"],
    tokenizer: Literal[True] = ...,
    *,
    device: str | None = ...,
    dtype: "DType" = ...,
    task: None = ...,
) -> "FillTask": ...
@overload
def load(
    name: Literal["babi"],
    tokenizer: Literal[True] = ...,
    *,
    device: str | None = ...,
    dtype: "DType" = ...,
    task: None = ...,
) -> "AnswerTask": ...
@overload
def load(
    name: "ModelName",
    tokenizer: Any = ...,
    *,
    device: str | None = ...,
    dtype: "DType" = ...,
    task: Literal["translate"],
) -> "TranslateTask": ...
@overload
def load(
    name: "ModelName",
    tokenizer: Any = ...,
    *,
    device: str | None = ...,
    dtype: "DType" = ...,
    task: Literal["generate"],
) -> "GenerateTask": ...
@overload
def load(
    name: "ModelName", tokenizer: Any = ..., *, device: str | None = ..., dtype: "DType" = ..., task: Literal["fill"]
) -> "FillTask": ...
@overload
def load(
    name: "ModelName",
    tokenizer: Any = ...,
    *,
    device: str | None = ...,
    dtype: "DType" = ...,
    task: Literal["classify"],
) -> "ClassifyTask": ...
@overload
def load(
    name: "ModelName", tokenizer: Any = ..., *, device: str | None = ..., dtype: "DType" = ..., task: Literal["embed"]
) -> "EmbedTask": ...
@overload
def load(
    name: "ModelName", tokenizer: Any = ..., *, device: str | None = ..., dtype: "DType" = ..., task: Literal["answer"]
) -> "AnswerTask": ...
@overload
def load(
    name: "ModelName", tokenizer: Any = ..., *, device: str | None = ..., dtype: "DType" = ..., task: str | None = ...
) -> "Task": ...
def load(
    name: "ModelName",
    tokenizer: Any = True,  # of regard or transformers, or a folder
    *,
    device: str | None = None,
    dtype: "DType" = None,
    task: str | None = None,
) -> "Task":
    """Load a model to ask: `regard.load("folder")("text")`.

    `name` is a folder in the Hugging Face layout, a built-in name or a Hub id. The task follows from the
    architecture unless it is given: fill, classify, generate, translate, embed or answer. `tokenizer=False` is for
    folders that have none: the `.model` takes token ids. No code of the folder is run.

    `name` may be a model of transformers that is in memory already, and `tokenizer` its tokeniser (transformers' or
    ours, or a folder that has one): `regard.load(live_model, tokenizer)`. Weights are shared; docs/live-models.md says
    which ones have to be copied.

    A translator or a model that writes on, of a kind that the engine knows, and a memory network are read without
    torch, which is loaded when the `.model` is first asked for: to be watched, edited or taught.
    """
    reason = ""
    if task is not None:
        lookup(PURPOSES, task, "task")
    if isinstance(name, str | Path) and tokenizer is True and device in (None, "cpu") and dtype in (None, "float32"):
        try:
            return load_light(find(name), task)
        except Unsupported as problem:
            reason = str(problem)
    try:
        from regard.tasks.torch_loading import load_with_torch
    except ModuleNotFoundError as problem:
        raise TorchMissing.of(problem, f"{name} needs it{f', because {reason}' if reason else ''}") from None
    return load_with_torch(name, tokenizer, device=device, dtype=dtype, task=task)


def load_light(folder: Path, task: str | None) -> "TranslateTask | GenerateTask | AnswerTask":
    """A task whose texts the engine writes with the weights of a folder, or numpy answers. Raises Unsupported where
    torch is needed, if only to say what is wrong."""
    if task is None and (folder / "modules.json").is_file():
        task = "embed"
    if task not in (None, *LIGHT, "answer"):
        raise Unsupported(f"nothing else can {task} here")
    try:
        for path in (path for pattern in FILES for path in folder.glob(pattern)):
            checked_file(path)
    except RegardError as problem:
        raise Unsupported(str(problem)) from None
    if task in (None, "answer") and folder_architecture(folder) == MEMORY_NETWORK:
        from regard.tasks.answer import AnswerTask

        return AnswerTask(FolderMemory.open(folder), load_tokenizer(folder))
    model = FolderModel.open(folder, wait=find_spec("torch") is None)
    for name, class_name in LIGHT.items():
        if task in (None, name):
            kind = getattr(import_module(f"regard.tasks.{name}"), class_name)
            if kind.serves(model.config, folder):
                return kind(model, load_tokenizer(folder))
    raise Unsupported(f"it cannot {task}")

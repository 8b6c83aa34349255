"""A name becomes a model that can be asked."""

from pathlib import Path

import torch

from regard.checkpoints import CheckpointError, load_model
from regard.checkpoints.device import check_device
from regard.checkpoints.files import CONFIG, checked_file, read_json, read_tensors
from regard.config import Config
from regard.errors import RegardError, lookup
from regard.families import architecture_of, family_of
from regard.families.old_names import current_config
from regard.families.options import Options
from regard.tasks.answer import AnswerTask
from regard.tasks.classify import ClassifyTask
from regard.tasks.embed import EmbedTask
from regard.tasks.fill import FillTask
from regard.tasks.find import FILES, find
from regard.tasks.generate import GenerateTask
from regard.tasks.task import Task
from regard.tasks.translate import TranslateTask
from regard.text import load_tokenizer

TASKS: dict[str, type[Task]] = {
    task.name: task for task in (FillTask, ClassifyTask, TranslateTask, GenerateTask, EmbedTask, AnswerTask)
}
"""What a model can be asked to do; the first that fits is what it is for."""
TYPES = {"float32": torch.float32, "float64": torch.float64, "bfloat16": torch.bfloat16, "float16": torch.float16}


def load(
    name: str | Path,
    *,
    device: str | None = None,
    dtype: str | torch.dtype | None = None,
    task: str | None = None,
    tokenizer: bool = True,
) -> Task:
    """Load a model to ask: `regard.load("folder")("text")`.

    `name` is a folder in the Hugging Face layout, a built-in name or a Hub id. The task follows from the
    architecture unless it is given: fill, classify, generate, translate, embed or answer. `tokenizer=False` is for
    folders that have none: the `.model` takes token ids. No code of the folder is run.
    """
    task_type = None if task is None else lookup(TASKS, task, "task")
    number_type = lookup(TYPES, dtype, "dtype") if isinstance(dtype, str) else dtype or torch.float32
    folder = find(name)
    for path in (path for pattern in FILES for path in folder.glob(pattern)):
        checked_file(path)
    if (ours := config_of_folder(folder)) is not None:  # what does not fit is told before gigabytes are read
        task_class(task_type, ours, folder)
    checkpoint = load_model(folder, device=check_device(device), dtype=number_type)
    own_tokenizer = load_tokenizer(folder) if tokenizer else None
    return task_class(task_type, checkpoint.model.config, folder)(checkpoint, own_tokenizer)


def config_of_folder(folder: Path) -> Config | None:
    """The model that a folder describes, weights unread; None where that cannot be told and loading will say why."""
    try:
        config = current_config(read_json(folder / CONFIG))
        where = str(folder / CONFIG)
        family = family_of(config, where)
        return family.read(Options(config, where, read_tensors(folder)), architecture_of(config, family, where))
    except RegardError:
        return None


def task_class(task_name: type[Task] | None, config: Config, folder: Path) -> type[Task]:
    """The task that was asked for, if the model can do it; else what the model is for."""
    if task_name is None:
        return task_of(config, folder)
    if not task_name.serves(config, folder):
        task_names = ", ".join(name for name, kind in TASKS.items() if kind.serves(config, folder))
        described, where = current_config(read_json(folder / CONFIG)), str(folder / CONFIG)
        architecture = architecture_of(described, family_of(described, where), where)
        raise CheckpointError(f"{folder}: {architecture} cannot {task_name.name}; it can {task_names or 'do nothing'}")
    return task_name


def task_of(config: Config, folder: Path) -> type[Task]:
    """What a model is for: sentence vectors where the folder says how to pool, else what its heads are made for."""
    if (folder / "modules.json").is_file() and EmbedTask.serves(config, folder):
        return EmbedTask
    for kind in TASKS.values():
        if kind.serves(config, folder):
            return kind
    raise CheckpointError(
        f"{folder}: its model has no head that a task could use; regard.checkpoints loads it as it is"
    )

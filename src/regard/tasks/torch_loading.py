"""A name, or a model in memory, becomes a model of torch that can be asked."""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import nn

from regard.checkpoints import CheckpointError, load_model
from regard.checkpoints.device import check_device
from regard.checkpoints.files import CONFIG, checked_file, read_json, read_tensors
from regard.checkpoints.live import live_checkpoint
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
from regard.tasks.purposes import purpose_of
from regard.tasks.task import Task
from regard.tasks.translate import TranslateTask
from regard.text import Tokenizer, load_tokenizer

TASKS: dict[str, type[Task]] = {
    task.name: task for task in (FillTask, ClassifyTask, TranslateTask, GenerateTask, EmbedTask, AnswerTask)
}
"""What a model can be asked to do; the first that fits is what it is for."""
ModelName = str | Path | nn.Module
DType = str | torch.dtype | None
TYPES = {"float32": torch.float32, "float64": torch.float64, "bfloat16": torch.bfloat16, "float16": torch.float16}


def load_with_torch(name: ModelName, tokenizer: Any, *, device: str | None, dtype: DType, task: str | None) -> Task:
    """`regard.load` of a model whose steps torch takes, or of which somebody wants more than text."""
    task_type = None if task is None else lookup(TASKS, task, "task")
    if isinstance(name, nn.Module):
        return wrap_live(name, tokenizer, task_type, device, dtype)
    if not isinstance(tokenizer, bool):
        raise RegardError("a folder has its own tokeniser: one is given beside a model that is in memory")
    number_type = lookup(TYPES, dtype, "dtype") if isinstance(dtype, str) else dtype or torch.float32
    folder = find(name)
    for path in (path for pattern in FILES for path in folder.glob(pattern)):
        checked_file(path)
    if (ours := config_of_folder(folder)) is not None:  # what does not fit is told before gigabytes are read
        task_class(task_type, ours, folder)
    checkpoint = load_model(folder, device=check_device(device), dtype=number_type)
    own_tokenizer = load_tokenizer(folder) if tokenizer else None
    return task_class(task_type, checkpoint.model.config, folder)(checkpoint, own_tokenizer)


def wrap_live(
    model: nn.Module, tokenizer: Any, task_type: type[Task] | None, device: str | None, dtype: str | torch.dtype | None
) -> Task:
    """A model that is in memory already, as a task. What is no weight goes through a folder that is gone at once, and
    is read as that of any folder."""
    if device is not None or dtype is not None:
        raise RegardError("a model in memory stays where it is, as it is: move it with .to(…) before regard.load")
    checkpoint = live_checkpoint(model)
    with TemporaryDirectory() as parent:
        folder = Path(parent) / type(model).__name__
        folder.mkdir()
        (folder / CONFIG).write_text(json.dumps(checkpoint.config))
        settings = getattr(model, "generation_config", None)
        if settings is not None:
            settings.save_pretrained(folder)
        own_tokenizer = live_tokenizer(tokenizer, folder)
        checkpoint = replace(checkpoint, folder=folder)
        return task_class(task_type, checkpoint.model.config, folder)(checkpoint, own_tokenizer)


def live_tokenizer(tokenizer: Any, folder: Path) -> Tokenizer | None:
    """A tokeniser as ours, whoever's it is; none where none was given."""
    if isinstance(tokenizer, bool) or tokenizer is None:
        return None
    if isinstance(tokenizer, Tokenizer):
        return tokenizer
    if isinstance(tokenizer, str | Path):
        return load_tokenizer(find(tokenizer))
    if not hasattr(tokenizer, "save_pretrained"):
        kind = type(tokenizer).__name__
        raise RegardError(f"a tokeniser of regard or transformers, or a folder that has one, expected, got {kind}")
    tokenizer.save_pretrained(folder)
    return load_tokenizer(folder)


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
    """What a model is for."""
    return TASKS[purpose_of(config, folder)]

"""What models there are: built in, fetched, or in a folder."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from regard.card import read_card
from regard.errors import CheckpointError, RegardError
from regard.families import architecture_of, family_of
from regard.families.old_names import current_config
from regard.families.options import Options
from regard.families.read_config import read_model_config
from regard.folder_files import stored_tensors, weight_files
from regard.tasks.find import builtin, cached_models
from regard.tasks.purposes import purpose_of
from regard.untrusted import CONFIG, read_json

ModelOrigin = Literal["built in", "cached", "folder"]
"""Where a model is found."""


@dataclass(frozen=True)
class ListedModel:
    """One model: what it is for, what it is, how many numbers it has and how many bytes; or the `problem` with it.

    Scores and licence are those of its card.
    """

    name: str
    where: ModelOrigin
    task: str = ""
    architecture: str = ""
    parameters: int = 0
    size: int = 0
    scores: dict[str, float] = field(default_factory=dict)
    licence: str = ""
    problem: str = ""


def list_models(folders: list[Path] | None = None) -> list[ListedModel]:
    """The models in some folders; without them, those built in and those fetched from the Hub."""
    if folders:
        return [describe(path.name, path, "folder") for folder in folders for path in models_in(folder)]
    models = [describe(name, path, "built in") for name, path in sorted(builtin().items())]
    return models + [describe(name, path, "cached") for name, path in cached_models().items()]


def models_in(folder: Path) -> list[Path]:
    """A folder that is a model, or the models in it."""
    if (folder / CONFIG).is_file():
        return [folder.resolve()]
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: no such folder")
    folders = sorted(path for path in folder.iterdir() if (path / CONFIG).is_file())
    if not folders:
        raise CheckpointError(f"{folder}: no model in it, that is no {CONFIG}")
    return folders


def describe(name: str, folder: Path, where: ModelOrigin) -> ListedModel:
    """What can be said of a model without filling it."""
    try:
        config = current_config(read_json(folder / CONFIG))
        file = str(folder / CONFIG)
        family = family_of(config, file)
        architecture = architecture_of(config, family, file)
        tensors = stored_tensors(folder)
        ours = read_model_config(family, Options(config, file, tensors), architecture)
        size = sum(path.stat().st_size for path in weight_files(folder))
        numbers = sum(tensor.size for tensor in tensors.values() if tensor.is_floating_point)
        card = read_card(folder)
        task = purpose_of(ours, folder)
        return ListedModel(name, where, task, architecture, numbers, size, card.scores, card.licence)
    except RegardError as problem:
        return ListedModel(name, where, problem=str(problem))

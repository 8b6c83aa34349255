"""What a folder holds, read without torch: its config, and its weights by the names that they have in our models."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from regard.config import Config
from regard.engine.parts import Unsupported
from regard.errors import RegardError
from regard.families.folder_family import folder_family
from regard.families.options import Options
from regard.families.read_config import read_model_config
from regard.families.tensor_names import TensorName, fitting_tensors, tensor_name
from regard.folder_files import StoredTensor, check_manifest, file_states, stored_tensors
from regard.untrusted import CONFIG, read_json


@dataclass(frozen=True)
class FolderWeights:
    """`entries` are those of config.json, `config` is ours; `rows` say which of the `tensors` each weight is.

    Tensors are read when they are wanted: `states` say which files they are in.
    """

    folder: Path
    entries: dict[str, object]
    config: Config
    rows: Mapping[str, TensorName]
    tensors: Mapping[str, StoredTensor]
    states: Mapping[str, list[int]]
    opened_ns: int

    @classmethod
    def open(cls, folder: Path) -> "FolderWeights":
        """What the headers of the files say. Raises Unsupported where torch is needed, if only to say what is wrong."""
        opened_ns = time.time_ns()
        try:
            states = file_states(folder)
            entries, tensors = current_layout(read_json(folder / CONFIG), stored_tensors(folder))
            family, architecture = folder_family(entries, str(folder / CONFIG))
            config = read_model_config(family, Options(entries, str(folder / CONFIG), tensors), architecture)
            names = family.names(config, architecture)
            rows = tuple(tensor_name(name, name) for name in tensors) if names.is_own else names.rows
            fitting = fitting_tensors(names, rows, tensors, str(folder))
        except (RegardError, OSError) as problem:
            raise Unsupported(str(problem)) from None
        for copy, original in names.copies.items():
            one, other = fitting.get(copy), fitting.get(original)
            if one is not None and other is not None and one is not other and one.content() != other.content():
                raise Unsupported(f"{copy} differs from {original}")
        return cls(folder, entries, config, {row.name: row for row in rows}, fitting, states, opened_ns)

    def check_files(self) -> None:
        """Compare the files with their sums, if there are some. Raises Unsupported where they differ."""
        try:
            check_manifest(self.folder)
        except RegardError as problem:
            raise Unsupported(str(problem)) from None

    def check_unchanged(self) -> None:
        """Raises Unsupported where the files are others than those that were opened."""
        try:
            is_same = self.states == file_states(self.folder)
        except (RegardError, OSError):
            is_same = False
        if not is_same:
            raise Unsupported("its files have changed since it was opened: load it again")


def folder_architecture(folder: Path) -> str:
    """The class that a folder was saved by; empty where that cannot be told."""
    try:
        entries, _ = current_layout(read_json(folder / CONFIG), {})
        return folder_family(entries, str(folder / CONFIG))[1]
    except RegardError:
        return ""


def current_layout(
    entries: dict[str, object], tensors: Mapping[str, StoredTensor]
) -> tuple[dict[str, object], Mapping[str, StoredTensor]]:
    """A config.json and its tensors, those of an old layout of our own under today's names."""
    if not str(entries.get("model_type")).startswith("regard-"):
        return entries, tensors
    from regard.families.old_names import current_config, current_tensors, is_own

    return current_config(entries), current_tensors(tensors) if is_own(entries) else tensors

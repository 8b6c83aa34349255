"""What a run reads, known by content, so that nothing that changed meanwhile is trained on without a word."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from regard.checkpoints.files import read_json
from regard.errors import CheckpointError, RegardError
from regard.files import remove_folder, write_file
from regard.text import DataError, Stories
from regard.text.cache import digest
from regard.training.data.vocabulary import FOLDER as TOKENIZER
from regard.training.recipe.recipe import Recipe

INPUTS = "inputs.json"
START_FILES = (".json", ".model", ".safetensors", ".spm", ".txt")  # of a folder to start from, what may be read


class InputsChanged(RegardError):
    """Data, tokenizer or start model are not what a run was trained with so far."""


@dataclass(frozen=True)
class FileContent:
    """The content of a file, whatever its name and time."""

    size: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> "FileContent":
        if not path.is_file():
            raise DataError(f"{path}: {'no file' if path.exists() else 'no such file'}")
        return cls(path.stat().st_size, digest(path))

    def difference(self, other: "FileContent | None") -> str:
        """In words, what became of a file that had this content."""
        if other is None:
            return "gone"
        if other.size != self.size:
            return f"{self.size:,} bytes then, {other.size:,} now"
        return f"{self.size:,} bytes as then, and other content"


FileContents = dict[str, FileContent]


@dataclass(frozen=True)
class RunInputs:
    """The files that a run was trained with last, by path, and the changes to them that were accepted, oldest first."""

    files: FileContents
    changes: tuple[str, ...] = ()

    @classmethod
    def read(cls, run: Path) -> "RunInputs":
        """What the run recorded; nothing, where it is new or of a version that recorded nothing."""
        path = run / INPUTS
        if not path.exists():
            return cls({})
        values = read_json(path)
        try:
            return cls(
                {str(name): FileContent(**entry) for name, entry in values["files"].items()}, tuple(values["changes"])
            )
        except (AttributeError, KeyError, TypeError):
            raise CheckpointError(
                f"{path}: no record of the files of a run; without it they are recorded anew"
            ) from None

    def write(self, run: Path) -> None:
        values = {"files": {name: asdict(entry) for name, entry in self.files.items()}, "changes": self.changes}
        write_file(run / INPUTS, json.dumps(values, indent=1, ensure_ascii=False) + "\n")

    @property
    def tokenizer(self) -> FileContents:
        return {name: entry for name, entry in self.files.items() if name.startswith(f"{TOKENIZER}/")}

    def differences(self, files: FileContents) -> dict[str, str]:
        """Of every file that is not what it was, how it differs."""
        return {
            name: before.difference(files.get(name)) for name, before in self.files.items() if files.get(name) != before
        }

    def renewed(self, files: FileContents, run: Path, *, accept_changed: bool) -> "RunInputs":
        """Record these files; an error that names the first that changed, unless changes are accepted."""
        differences = self.differences(files)
        if differences and not accept_changed:
            (name, difference), more = next(iter(differences.items())), len(differences) - 1
            others = f" (and {more} more)" if more else ""
            raise InputsChanged(
                f"{name}: changed since this run was trained with it: {difference}{others}; put it back, or go on with "
                "what is there now: --accept-changed-data"
            )
        changes = [f"{name}: {difference}" for name, difference in differences.items()]
        inputs = RunInputs(files, (*self.changes, *changes))
        if inputs != self:
            inputs.write(run)
        return inputs


def check_sources(recipe: Recipe, run: Path, *, accept_changed: bool, is_begun: bool) -> RunInputs:
    """Before anything is read: texts and start model must be those of the record.

    Where nothing was learned yet, a run begins anew with what is there now, its tokenizer included.
    """
    inputs, sources = RunInputs.read(run), source_contents(recipe, run)
    if not is_begun and inputs.differences(sources | inputs.tokenizer):
        inputs = RunInputs({})
        if (run / TOKENIZER).is_dir():
            remove_folder(run / TOKENIZER)
    return inputs.renewed(sources | inputs.tokenizer, run, accept_changed=accept_changed)


def check_tokenizer(inputs: RunInputs, run: Path, *, accept_changed: bool) -> RunInputs:
    """Once the data was read, and the tokenizer made if there was none: the same for the tokenizer."""
    sources = {name: entry for name, entry in inputs.files.items() if name not in inputs.tokenizer}
    return inputs.renewed(sources | tokenizer_contents(run), run, accept_changed=accept_changed)


def source_contents(recipe: Recipe, run: Path) -> FileContents:
    """The files that others give a run: texts, and the model to start from; those it made itself by paths from it."""
    more = (name for table in recipe.data.also for name in table.train)
    paths = [source_file(name) for name in (*recipe.data.train, *recipe.data.valid, *more)]
    if recipe.start and (start := Path(recipe.start)).is_dir():
        paths += sorted(path for path in start.iterdir() if path.suffix in START_FILES and path.is_file())
    makes_texts = bool(recipe.data.make.kind)
    names = {path: str(path.relative_to(run) if makes_texts and path.is_relative_to(run) else path) for path in paths}
    return {name: FileContent.of(path) for path, name in names.items()}


def source_file(name: str) -> Path:
    """A file of texts, or the archive that it is a part of."""
    return Path(name) if Path(name).is_file() else Path(Stories.at(name).path)


def tokenizer_contents(run: Path) -> FileContents:
    """The tokenizer of a run, by paths from its folder."""
    folder = run / TOKENIZER
    paths = sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
    return {f"{TOKENIZER}/{path.name}": FileContent.of(path) for path in paths}

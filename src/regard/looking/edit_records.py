"""Edits as data, checked against EDIT_KINDS where they come in: from a file, a program or a page."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from safetensors import SafetensorError
from torch import Tensor

from regard.errors import EditError, UnknownName, lookup
from regard.files import write_file
from regard.json_text import parse_json
from regard.looking.activations.site_edits import SITE_EDIT_KINDS, SiteEditKind
from regard.looking.edit_fields import describe
from regard.looking.edit_kinds import EDIT_KINDS, EditKind, Record

ALL_KINDS: dict[str, EditKind | SiteEditKind] = {**EDIT_KINDS, **SITE_EDIT_KINDS}
VERSION = 2
"""Of the files that edits are saved in; version 1 had none, and other names for some fields."""
MAX_EDITS = 1 << 14
INLINE = 64  # numbers of a tensor that JSON holds; larger ones go into the file beside it
TENSORS = ".safetensors"
MAX_BYTES = 64 << 20  # of a file
OLD_FIELDS = {"place": "layer", "places": "positions"}
OLD_KINDS = {"temper": "temperature"}


def check_edits(records: object, max_edits: int = MAX_EDITS) -> list[Record]:
    """A list of edits, each of a known kind, with its fields and no others, each within its range."""
    if not isinstance(records, Sequence) or isinstance(records, str | bytes | bytearray):
        raise EditError(f"edits: a list expected, got {describe(records)}")
    if len(records) > max_edits:
        raise EditError(f"edits: at most {max_edits} expected, got {len(records)}")
    return [check_edit(record, f"edits[{number}]") for number, record in enumerate(records)]


def check_edit(record: object, name: str) -> Record:
    """One edit, which is called so where something is wrong with it."""
    if not isinstance(record, Mapping):
        raise EditError(f"{name}: an edit, that is fields by name, expected, got {describe(record)}")
    refuse_old_words(record, name)
    if "do" not in record:
        raise EditError(f"{name}.do: the kind of the edit expected, one of {', '.join(sorted(ALL_KINDS))}, got none")
    do = record["do"]
    try:
        kind = lookup(ALL_KINDS, do if isinstance(do, str) and len(do) < 40 else describe(do), "edit")
    except UnknownName as problem:
        raise EditError(f"{name}.do: {problem}") from None
    if unknown := [field for field in record if field != "do" and field not in kind.fields]:
        known = ", ".join(sorted(["do", *kind.fields]))
        raise EditError(f"{name}: the edit {do!r} has no field {describe(unknown[0])}: known: {known}")
    if missing := [field for field in kind.required if field not in record]:
        raise EditError(f"{name}: the edit {do!r} needs {', '.join(missing)}, got {describe(plain_record(record))}")
    return {
        field: value if field == "do" else kind.fields[field].check(value, f"{name}.{field}")
        for field, value in record.items()
    }


def refuse_old_words(record: Mapping[str, object], name: str) -> None:
    """Raise, and name the new word, where a record has a field or is of a kind that version 0.1 called otherwise."""
    kind = record.get("do")
    if isinstance(kind, str) and kind in OLD_KINDS:
        raise EditError(f"{name}.do: the edit {kind!r} is called {OLD_KINDS[kind]!r} now")
    for field, new_name in OLD_FIELDS.items():
        if field in record:
            raise EditError(f"{name}.{field}: this field is called {new_name!r} now")


def read_edits(path: Path) -> list[Record]:
    """Edits from a file of JSON: what `save_edits` wrote, or a plain list of records."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise EditError(f"at most {MAX_BYTES >> 20} MiB expected")
        saved = parse_json(content)
        return check_edits(with_tensors(saved_records(saved) if isinstance(saved, dict) else saved, path))
    except EditError as problem:
        raise EditError(f"{path}: {problem}") from None
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise EditError(f"{path}: edits cannot be read: {reason}") from None


def saved_records(saved: Record) -> object:
    """The records of a file that has a version."""
    if unknown := [field for field in saved if field not in ("version", "edits")]:
        raise EditError(f"a list of edits, or a version and edits, expected, got {describe(unknown[0])}")
    version = saved.get("version", VERSION)
    if type(version) is not int or version != VERSION:
        raise EditError(f"edits of version {VERSION} expected, got version {describe(version)}")
    return saved.get("edits")


def with_tensors(records: object, path: Path) -> object:
    """Records in which the tensors are those of the file beside them."""
    if not isinstance(records, list) or not any(map(tensor_fields, records)):
        return records
    from safetensors.torch import load_file

    try:
        tensors = load_file(path.with_suffix(TENSORS))
    except (OSError, SafetensorError) as problem:
        raise EditError(f"the tensors of the edits cannot be read: {problem}") from None
    for number, record in enumerate(records):
        for field, name in tensor_fields(record).items():
            if name not in tensors:
                raise EditError(f"edits[{number}].{field}: {path.with_suffix(TENSORS)} has no tensor {describe(name)}")
            record[field] = tensors[name]
    return records


def tensor_fields(record: object) -> dict[str, str]:
    """The fields of a record that stand for a tensor in another file, each with its name there."""
    fields = record.items() if isinstance(record, dict) else ()
    return {name: value["tensor"] for name, value in fields if isinstance(value, dict) and [*value] == ["tensor"]}


def save_edits(records: Sequence[Record], path: Path) -> None:
    """Write edits as JSON, the larger tensors of sites beside it; one that could not be read again is refused."""
    tensors: dict[str, Tensor] = {}
    plain_records = []
    for number, record in enumerate(records):
        large = {
            name: value.detach().cpu().contiguous()
            for name, value in record.items()
            if "site" in record and isinstance(value, Tensor) and value.numel() > INLINE
        }
        small = plain_record({name: value for name, value in record.items() if name not in large})
        check_edits([{**small, **large}])
        tensors |= {f"{number}.{name}": value for name, value in large.items()}
        plain_records.append({**small, **{name: {"tensor": f"{number}.{name}"} for name in large}})
    content = json.dumps({"version": VERSION, "edits": plain_records}, indent=1) + "\n"
    if len(content) > MAX_BYTES:
        raise EditError(f"{path}: edits of at most {MAX_BYTES >> 20} MiB expected, got {len(content) >> 20} MiB")
    if tensors:
        from safetensors.torch import save

        write_file(path.with_suffix(TENSORS), save(tensors))
    write_file(path, content)


def plain_record(record: Mapping[str, object]) -> Record:
    """The same without tensors, for JSON."""
    return {name: value.tolist() if isinstance(value, Tensor) else value for name, value in record.items()}

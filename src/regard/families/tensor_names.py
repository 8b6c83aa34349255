"""Tables of names: what a tensor is called here and there."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from regard.errors import CheckpointError, list_names

Value = TypeVar("Value")


@dataclass(frozen=True)
class TensorName:
    """One tensor of ours, and the tensor or tensors that hold it elsewhere.

    Several are joined along the first dimension, with `sizes` of theirs in that dimension (equal ones unless
    given). `turned` matrices lie the other way round there; with `column`, theirs has an extra dimension of 1 in front.
    With `begin`, ours is `sizes` rows of a larger tensor from there on, and the rows of the table before it fill the
    part before. With `heads`, theirs has query, key and value of each of so many heads side by side, ours all queries
    first. With `shapes`, ours and theirs have the same numbers in other dimensions. With `zeros`, ours has one part
    more than theirs, as large as each of them and zero: the one of this number.
    """

    name: str
    file_names: tuple[str, ...]
    sizes: tuple[int, ...] = ()
    transposed: bool = False
    column: bool = False
    begin: int | None = None
    heads: int | None = None
    shapes: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    zeros: int | None = None


def tensor_name(
    name: str, *file_names: str, sizes: Iterable[int] = (), transposed: bool = False, column: bool = False
) -> TensorName:
    return TensorName(name, file_names, tuple(sizes), transposed, column)


def weight_and_bias(
    name: str, *file_names: str, sizes: Iterable[int] = (), transposed: bool = False, bias: bool = True
) -> list[TensorName]:
    """The weight and the bias of a layer."""
    sizes = tuple(sizes)
    kinds = ("weight", "bias") if bias else ("weight",)
    return [
        tensor_name(f"{name}.{kind}", *(f"{name}.{kind}" for name in file_names), sizes=sizes, transposed=transposed)
        for kind in kinds
    ]


def read_row(
    row: TensorName,
    tensors: Mapping[str, Any],  # of torch or numpy
    join: Callable[[list[Any]], Any],
    zeros_like: Callable[[Any], Any],
) -> Any:
    """Our tensor, from theirs; `join` sets several one after another."""
    parts = [tensors[name] for name in row.file_names]
    if row.begin is not None:
        return parts[0][row.begin : row.begin + row.sizes[0]]
    if row.shapes is not None and tuple(parts[0].shape) == row.shapes[1]:  # else the wrong shape is told, theirs
        return parts[0].reshape(row.shapes[0])
    if row.heads is not None:
        shape = tuple(parts[0].shape)
        return parts[0].reshape(row.heads, 3, -1, *shape[1:]).swapaxes(0, 1).reshape(shape)
    parts = [part[0] if row.column else part.T if row.transposed and part.ndim == 2 else part for part in parts]
    if row.zeros is not None:
        parts.insert(row.zeros, zeros_like(parts[0]))
    return join(parts) if len(parts) > 1 else parts[0]


def fitting_tensors(
    names: "TensorNames", rows: Iterable[TensorName], tensors: Mapping[str, Value], where: str
) -> Mapping[str, Value]:
    """The tensors of a file under the names of the rows; whatever does not fit is named."""
    if twice := [name for name in tensors if names.current_name(name) != name and names.current_name(name) in tensors]:
        raise CheckpointError(f"{where}: tensors that are there under a newer name, too: {list_names(twice)}")
    tensors = names.with_current_names(tensors)
    alone = {original: copy for copy, original in names.copies.items() if copy in tensors and original not in tensors}
    tensors = {**tensors, **{original: tensors[copy] for original, copy in alone.items()}}
    required = {name for row in rows for name in row.file_names}
    missing, extra = required - tensors.keys(), tensors.keys() - required - names.copies.keys() - names.spare
    if missing or extra:
        parts = [f"missing {list_names(missing)}"] * bool(missing) + [f"unknown {list_names(extra)}"] * bool(extra)
        raise CheckpointError(f"{where}: tensors that do not fit: {'; '.join(parts)}")
    return tensors


@dataclass(frozen=True)
class TensorNames:
    """The table of a model.

    `copies` are tensors that may be there under another name, and where both are must be equal. `spare` ones are
    known and not needed; `echoes` are spare ones that others want to find, as copies of what is really used. `older`
    are endings of names that were once used, and today's. `root` may be left out, where no name has it: the bare model
    saves its tensors so, and models with a head read them. `outer_root` may stand before the names of a bare model that
    was saved with a head. `is_own`: every tensor has the name that it has in the model
    itself, one that has two being there once.
    """

    rows: tuple[TensorName, ...]
    copies: Mapping[str, str]
    spare: frozenset[str] = frozenset()
    echoes: Mapping[str, str] = field(default_factory=dict)
    old_endings: Mapping[str, str] = field(default_factory=dict)
    root: str = ""
    is_own: bool = False
    outer_root: str = ""

    @classmethod
    def of(
        cls,
        rows: Iterable[TensorName],
        copies: Mapping[str, str] | None = None,
        spare: Iterable[str] = (),
        echoes: Mapping[str, str] | None = None,
        old_endings: Mapping[str, str] | None = None,
        root: str = "",
    ) -> "TensorNames":
        spare = frozenset([*spare, *(echoes or {})])
        return cls(tuple(rows), dict(copies or {}), spare, dict(echoes or {}), dict(old_endings or {}), root)

    def __add__(self, other: "TensorNames") -> "TensorNames":
        """One table of both."""
        return TensorNames(
            self.rows + other.rows,
            {**self.copies, **other.copies},
            self.spare | other.spare,
            {**self.echoes, **other.echoes},
            {**self.old_endings, **other.old_endings},
            self.root or other.root,
            self.is_own or other.is_own,
            self.outer_root or other.outer_root,
        )

    def current_name(self, name: str) -> str:
        """What a tensor is called today."""
        name = name.removeprefix(self.outer_root)
        for older, newer in self.old_endings.items():
            if name.endswith(older):
                return name.removesuffix(older) + newer
        return name

    def with_current_names(self, tensors: Mapping[str, Value]) -> Mapping[str, Value]:
        """The same tensors under the names that they have today, root and all."""
        return self.with_root({self.current_name(name): tensor for name, tensor in tensors.items()})

    def with_root(self, tensors: Mapping[str, Value]) -> Mapping[str, Value]:
        """The same tensors with the root before their names, if none has it."""
        if not self.root or any(name.startswith(self.root) for name in tensors):
            return tensors
        file_names = {name for row in self.rows for name in row.file_names} | self.spare
        return {self.root + name if self.root + name in file_names else name: tensors[name] for name in tensors}


OWN_NAMES = TensorNames((), {}, is_own=True)

"""Tables of names: what a tensor is called here and there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from regard.checkpoints.files import CheckpointError, list_names


@dataclass(frozen=True)
class TensorName:
    """One tensor of ours, and the tensor or tensors that hold it elsewhere.

    Several are joined along the first dimension, with `sizes` of theirs in that dimension (equal ones unless
    given). `turned` matrices lie the other way round there; with `column`, theirs has an extra dimension of 1 in front.
    With `begin`, ours is `sizes` rows of a larger tensor from there on, and the rows of the table before it fill the
    part before.
    """

    name: str
    file_names: tuple[str, ...]
    sizes: tuple[int, ...] = ()
    transposed: bool = False
    column: bool = False
    begin: int | None = None

    def read(self, tensors: Mapping[str, Tensor]) -> Tensor:
        """Our tensor, from theirs."""
        parts = [tensors[name] for name in self.file_names]
        if self.begin is not None:
            return parts[0][self.begin : self.begin + self.sizes[0]]
        parts = [part[0] if self.column else part.T if self.transposed and part.ndim == 2 else part for part in parts]
        return torch.cat(parts, 0) if len(parts) > 1 else parts[0]

    def write(self, tensor: Tensor) -> dict[str, Tensor]:
        """Their tensors, from ours."""
        parts = tensor.split(self.sizes or [len(tensor) // len(self.file_names)] * len(self.file_names), 0)
        parts = [
            part[None] if self.column else part.T if self.transposed and part.ndim == 2 else part for part in parts
        ]
        return {name: part.contiguous() for name, part in zip(self.file_names, parts, strict=True)}


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


@dataclass(frozen=True)
class TensorNames:
    """The table of a model.

    `copies` are tensors that may be there under another name, and where both are must be equal. `spare` ones are
    known and not needed; `echoes` are spare ones that others want to find, as copies of what is really used. `older`
    are endings of names that were once used, and today's. `root` may be left out, where no name has it: the bare model
    saves its tensors so, and models with a head read them.
    """

    rows: tuple[TensorName, ...]
    copies: Mapping[str, str]
    spare: frozenset[str] = frozenset()
    echoes: Mapping[str, str] = field(default_factory=dict)
    old_endings: Mapping[str, str] = field(default_factory=dict)
    root: str = ""

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
        )

    def current_name(self, name: str) -> str:
        """What a tensor is called today."""
        for older, newer in self.old_endings.items():
            if name.endswith(older):
                return name.removesuffix(older) + newer
        return name

    def with_current_names(self, tensors: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """The same tensors under the names that they have today, root and all."""
        return self.with_root({self.current_name(name): tensor for name, tensor in tensors.items()})

    def with_root(self, tensors: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """The same tensors with the root before their names, if none has it."""
        if not self.root or any(name.startswith(self.root) for name in tensors):
            return tensors
        file_names = {name for row in self.rows for name in row.file_names} | self.spare
        return {self.root + name if self.root + name in file_names else name: tensors[name] for name in tensors}


def read_into(model: nn.Module, names: TensorNames, tensors: Mapping[str, Tensor], where: str) -> None:
    """Fill a model (which may be on the meta device) with tensors; whatever does not fit is named."""
    if twice := [name for name in tensors if names.current_name(name) != name and names.current_name(name) in tensors]:
        raise CheckpointError(f"{where}: tensors that are there under a newer name, too: {list_names(twice)}")
    tensors = names.with_current_names(tensors)
    alone = {original: copy for copy, original in names.copies.items() if copy in tensors and original not in tensors}
    tensors = {**tensors, **{original: tensors[copy] for original, copy in alone.items()}}
    required = {name for row in names.rows for name in row.file_names}
    missing, extra = required - tensors.keys(), tensors.keys() - required - names.copies.keys() - names.spare
    if missing or extra:
        parts = [f"missing {list_names(missing)}"] * bool(missing) + [f"unknown {list_names(extra)}"] * bool(extra)
        raise CheckpointError(f"{where}: tensors that do not fit: {'; '.join(parts)}")
    for copy, original in names.copies.items():
        if copy in tensors and original in tensors and not torch.equal(tensors[copy], tensors[original]):
            raise CheckpointError(f"{where}: {copy} differs from {original}, though they should be tied")
    parameters = dict(model.named_parameters(remove_duplicate=False))
    tensors_by_name: dict[str, Tensor] = {}
    for row in names.rows:
        tensors_by_name[row.name] = checked_tensor(row, tensors, parameters[row.name].shape, where)
    assign_parameters(model, tensors_by_name)


def checked_tensor(row: TensorName, tensors: Mapping[str, Tensor], shape: torch.Size, where: str) -> Tensor:
    """The tensor of a row, if it has this shape and is made of finite numbers."""
    names = " + ".join(row.file_names)
    try:
        tensor = row.read(tensors)
    except (RuntimeError, IndexError):
        shapes = " + ".join(str(tuple(tensors[name].shape)) for name in row.file_names)
        raise CheckpointError(f"{where}: {names} has the shape {shapes}, expected {tuple(shape)}") from None
    if tensor.shape != shape:
        raise CheckpointError(f"{where}: {names} has the shape {tuple(tensor.shape)}, expected {tuple(shape)}")
    if not tensor.is_floating_point():
        raise CheckpointError(f"{where}: {names} holds {str(tensor.dtype).removeprefix('torch.')}, expected weights")
    wide = tensor if tensor.element_size() > 1 else tensor.float()
    if tensor.numel() and not torch.stack(wide.aminmax()).isfinite().all():
        raise CheckpointError(f"{where}: {names} holds numbers that are not finite")
    return tensor


def assign_parameters(model: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    """Put the tensors in; parameters that are one under several names stay one."""
    filled: dict[int, nn.Parameter] = {}
    unfilled = []
    for path, parameter in model.named_parameters(remove_duplicate=False):
        if path in tensors:
            filled.setdefault(id(parameter), nn.Parameter(contiguous_copy(tensors[path]), parameter.requires_grad))
    for path, parameter in list(model.named_parameters(remove_duplicate=False)):
        owner, _, name = path.rpartition(".")
        if id(parameter) not in filled:
            unfilled.append(path)
        else:
            model.get_submodule(owner).register_parameter(name, filled[id(parameter)])
    assert not unfilled, f"no row of the table fills {unfilled}"


def contiguous_copy(tensor: Tensor) -> Tensor:
    """A copy that lies in memory as it is read."""
    return tensor.clone(memory_format=torch.contiguous_format)


def file_tensors(model: nn.Module, names: TensorNames) -> dict[str, Tensor]:
    """All tensors of a model under their names, each once, and echoes."""
    parameters = dict(model.named_parameters(remove_duplicate=False))
    tensors: dict[str, Tensor] = {}
    for row in names.rows:
        for name, part in row.write(parameters[row.name].detach()).items():
            tensors[name] = torch.cat([tensors[name], part]) if row.begin else part
    return tensors | {echo: tensors[name].clone() for echo, name in names.echoes.items()}

"""Tables of names: what a tensor is called here and there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from regard.checkpoints.files import CheckpointError, listed


@dataclass(frozen=True)
class TensorName:
    """One tensor of ours, and the tensor or tensors that hold it elsewhere.

    Several are joined along the first dimension, with `sizes` of theirs in that dimension (equal ones unless
    given). `turned` matrices lie the other way round there; with `column`, theirs has an extra dimension of 1 in front.
    With `begin`, ours is `sizes` rows of a larger tensor from there on, and the rows of the table before it fill the
    part before.
    """

    ours: str
    theirs: tuple[str, ...]
    sizes: tuple[int, ...] = ()
    turned: bool = False
    column: bool = False
    begin: int | None = None

    def read(self, tensors: Mapping[str, Tensor]) -> Tensor:
        """Our tensor, from theirs."""
        parts = [tensors[name] for name in self.theirs]
        if self.begin is not None:
            return parts[0][self.begin : self.begin + self.sizes[0]]
        parts = [part[0] if self.column else part.T if self.turned and part.ndim == 2 else part for part in parts]
        return torch.cat(parts, 0) if len(parts) > 1 else parts[0]

    def write(self, tensor: Tensor) -> dict[str, Tensor]:
        """Their tensors, from ours."""
        parts = tensor.split(self.sizes or [len(tensor) // len(self.theirs)] * len(self.theirs), 0)
        parts = [part[None] if self.column else part.T if self.turned and part.ndim == 2 else part for part in parts]
        return {name: part.contiguous() for name, part in zip(self.theirs, parts, strict=True)}


def tensor_name(
    ours: str, *theirs: str, sizes: Iterable[int] = (), turned: bool = False, column: bool = False
) -> TensorName:
    return TensorName(ours, theirs, tuple(sizes), turned, column)


def weight_and_bias(
    ours: str, *theirs: str, sizes: Iterable[int] = (), turned: bool = False, bias: bool = True
) -> list[TensorName]:
    """The weight and the bias of a layer."""
    sizes = tuple(sizes)
    kinds = ("weight", "bias") if bias else ("weight",)
    return [
        tensor_name(f"{ours}.{kind}", *(f"{name}.{kind}" for name in theirs), sizes=sizes, turned=turned)
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
    older: Mapping[str, str] = field(default_factory=dict)
    root: str = ""

    @classmethod
    def of(
        cls,
        rows: Iterable[TensorName],
        copies: Mapping[str, str] | None = None,
        spare: Iterable[str] = (),
        echoes: Mapping[str, str] | None = None,
        older: Mapping[str, str] | None = None,
        root: str = "",
    ) -> "TensorNames":
        spare = frozenset([*spare, *(echoes or {})])
        return cls(tuple(rows), dict(copies or {}), spare, dict(echoes or {}), dict(older or {}), root)

    def __add__(self, other: "TensorNames") -> "TensorNames":
        """One table of both."""
        return TensorNames(
            self.rows + other.rows,
            {**self.copies, **other.copies},
            self.spare | other.spare,
            {**self.echoes, **other.echoes},
            {**self.older, **other.older},
            self.root or other.root,
        )

    def today(self, name: str) -> str:
        """What a tensor is called today."""
        for older, newer in self.older.items():
            if name.endswith(older):
                return name.removesuffix(older) + newer
        return name

    def current(self, tensors: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """The same tensors under the names that they have today, root and all."""
        return self.rooted({self.today(name): tensor for name, tensor in tensors.items()})

    def rooted(self, tensors: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """The same tensors with the root before their names, if none has it."""
        if not self.root or any(name.startswith(self.root) for name in tensors):
            return tensors
        known = {name for row in self.rows for name in row.theirs} | self.spare
        return {self.root + name if self.root + name in known else name: tensors[name] for name in tensors}


def read_into(model: nn.Module, names: TensorNames, tensors: Mapping[str, Tensor], where: str) -> None:
    """Fill a model (which may be on the meta device) with tensors; whatever does not fit is named."""
    if twice := [name for name in tensors if names.today(name) != name and names.today(name) in tensors]:
        raise CheckpointError(f"{where}: tensors that are there under a newer name, too: {listed(twice)}")
    tensors = names.current(tensors)
    alone = {original: copy for copy, original in names.copies.items() if copy in tensors and original not in tensors}
    tensors = {**tensors, **{original: tensors[copy] for original, copy in alone.items()}}
    wanted = {name for row in names.rows for name in row.theirs}
    missing, extra = wanted - tensors.keys(), tensors.keys() - wanted - names.copies.keys() - names.spare
    if missing or extra:
        parts = [f"missing {listed(missing)}"] * bool(missing) + [f"unknown {listed(extra)}"] * bool(extra)
        raise CheckpointError(f"{where}: tensors that do not fit: {'; '.join(parts)}")
    for copy, original in names.copies.items():
        if copy in tensors and original in tensors and not torch.equal(tensors[copy], tensors[original]):
            raise CheckpointError(f"{where}: {copy} differs from {original}, though they should be tied")
    ours = dict(model.named_parameters(remove_duplicate=False))
    found: dict[str, Tensor] = {}
    for row in names.rows:
        found[row.ours] = fitting(row, tensors, ours[row.ours].shape, where)
    complete(model, found)


def fitting(row: TensorName, tensors: Mapping[str, Tensor], shape: torch.Size, where: str) -> Tensor:
    """The tensor of a row, if it has this shape and is made of finite numbers."""
    names = " + ".join(row.theirs)
    try:
        tensor = row.read(tensors)
    except (RuntimeError, IndexError):
        shapes = " + ".join(str(tuple(tensors[name].shape)) for name in row.theirs)
        raise CheckpointError(f"{where}: {names} has the shape {shapes}, expected {tuple(shape)}") from None
    if tensor.shape != shape:
        raise CheckpointError(f"{where}: {names} has the shape {tuple(tensor.shape)}, expected {tuple(shape)}")
    if not tensor.is_floating_point():
        raise CheckpointError(f"{where}: {names} holds {str(tensor.dtype).removeprefix('torch.')}, expected weights")
    wide = tensor if tensor.element_size() > 1 else tensor.float()
    if tensor.numel() and not torch.stack(wide.aminmax()).isfinite().all():
        raise CheckpointError(f"{where}: {names} holds numbers that are not finite")
    return tensor


def complete(model: nn.Module, found: Mapping[str, Tensor]) -> None:
    """Put the tensors in; parameters that are one under several names stay one."""
    filled: dict[int, nn.Parameter] = {}
    unfilled = []
    for path, parameter in model.named_parameters(remove_duplicate=False):
        if path in found:
            filled.setdefault(id(parameter), nn.Parameter(own(found[path]), parameter.requires_grad))
    for path, parameter in list(model.named_parameters(remove_duplicate=False)):
        owner, _, name = path.rpartition(".")
        if id(parameter) not in filled:
            unfilled.append(path)
        else:
            model.get_submodule(owner).register_parameter(name, filled[id(parameter)])
    assert not unfilled, f"no row of the table fills {unfilled}"


def own(tensor: Tensor) -> Tensor:
    """A copy that lies in memory as it is read."""
    return tensor.clone(memory_format=torch.contiguous_format)


def written(model: nn.Module, names: TensorNames) -> dict[str, Tensor]:
    """All tensors of a model under their names, each once, and echoes."""
    ours = dict(model.named_parameters(remove_duplicate=False))
    tensors: dict[str, Tensor] = {}
    for row in names.rows:
        for name, part in row.write(ours[row.ours].detach()).items():
            tensors[name] = torch.cat([tensors[name], part]) if row.begin else part
    return tensors | {echo: tensors[name].clone() for echo, name in names.echoes.items()}

"""Tensors of a file become parameters of a model, and back, by a table of names."""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor, nn

from regard.checkpoints.files import first_line
from regard.errors import CheckpointError
from regard.families.tensor_names import TensorName, TensorNames, fitting_tensors, read_row, tensor_name


def write_tensors(tensors: Mapping[str, Tensor], path: Path) -> None:
    """Write a file of safetensors; what the disk refuses is an OSError, as of any other file."""
    try:
        save_file(dict(tensors), path, metadata={"format": "pt"})
    except SafetensorError as problem:
        raise OSError(first_line(problem)) from None


def write_row(row: TensorName, tensor: Tensor) -> dict[str, Tensor]:
    """Their tensors, from ours."""
    if row.shapes is not None:
        (name,) = row.file_names
        return {name: tensor.reshape(row.shapes[1]).contiguous()}
    if row.heads is not None:
        (name,) = row.file_names
        return {name: tensor.unflatten(0, (3, row.heads, -1)).transpose(0, 1).flatten(0, 2).contiguous()}
    count = len(row.file_names) + (row.zeros is not None)
    parts = [*tensor.split(row.sizes or [len(tensor) // count] * count, 0)]
    if row.zeros is not None:
        del parts[row.zeros]
    parts = [part[None] if row.column else part.T if row.transposed and part.ndim == 2 else part for part in parts]
    return {name: part.contiguous() for name, part in zip(row.file_names, parts, strict=True)}


def rows_of(names: TensorNames, model: nn.Module) -> tuple[TensorName, ...]:
    """The rows of a table; in a layout of our own the model itself says them."""
    return tuple(tensor_name(name, name) for name, _ in model.named_parameters()) if names.is_own else names.rows


def read_into(
    model: nn.Module, names: TensorNames, tensors: Mapping[str, Tensor], where: str, *, share: bool = False
) -> None:
    """Fill a model (which may be on the meta device) with tensors; whatever does not fit is named.

    With `share` a tensor that is one here and there keeps its memory; else all are copies.
    """
    rows = rows_of(names, model)
    tensors = fitting_tensors(names, rows, tensors, where)
    for copy, original in names.copies.items():
        if copy in tensors and original in tensors and not torch.equal(tensors[copy], tensors[original]):
            raise CheckpointError(f"{where}: {copy} differs from {original}, though they should be tied")
    parameters = dict(model.named_parameters(remove_duplicate=False))
    tensors_by_name: dict[str, Tensor] = {}
    for row in rows:
        tensors_by_name[row.name] = checked_tensor(row, tensors, parameters[row.name].shape, where)
    assign_parameters(model, tensors_by_name, share=share)


def checked_tensor(row: TensorName, tensors: Mapping[str, Tensor], shape: torch.Size, where: str) -> Tensor:
    """The tensor of a row, if it has this shape and is made of finite numbers."""
    names = " + ".join(row.file_names)
    try:
        tensor = read_row(row, tensors, torch.cat, torch.zeros_like)
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


def assign_parameters(model: nn.Module, tensors: Mapping[str, Tensor], *, share: bool = False) -> None:
    """Put the tensors in; parameters that are one under several names stay one."""
    filled: dict[int, nn.Parameter] = {}
    unfilled = []
    for path, parameter in model.named_parameters(remove_duplicate=False):
        if path in tensors:
            tensor = tensors[path].detach() if share else contiguous_copy(tensors[path])
            filled.setdefault(id(parameter), nn.Parameter(tensor, parameter.requires_grad))
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
    for row in rows_of(names, model):
        for name, part in write_row(row, parameters[row.name].detach()).items():
            tensors[name] = torch.cat([tensors[name], part]) if row.begin else part
    return tensors | {echo: tensors[name].clone() for echo, name in names.echoes.items()}

"""What can be done at a site. A new kind is a function and a line in SITE_EDIT_KINDS."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.attention.regions import numbers
from regard.errors import RegardError, ShapeError
from regard.looking.conditions import start_condition, stop_condition
from regard.looking.edit_fields import (
    EditField,
    Record,
    coefficient,
    directions,
    indices,
    layer_name,
    text_positions,
    value,
    whole_number,
)


def replace_numbers(x: Tensor, value: Tensor, record: Record) -> Tensor:
    return value.expand_as(x)


def zero(x: Tensor, value: Tensor, record: Record) -> Tensor:
    return torch.zeros_like(x)


def add(x: Tensor, value: Tensor, record: Record) -> Tensor:
    """A steering vector: Turner et al. 2023, Rimsky et al. 2024."""
    return x + value * record.get("coefficient", 1.0)


def multiply(x: Tensor, value: Tensor, record: Record) -> Tensor:
    return x * record["coefficient"]


def mean(x: Tensor, value: Tensor, record: Record) -> Tensor:
    """Mean ablation: the mean over the batch, at each position."""
    return x.mean(0, keepdim=True).expand_as(x)


def resample(x: Tensor, value: Tensor, record: Record) -> Tensor:
    """Resample ablation: what another text of the batch has there, drawn by the seed; nobody keeps its own."""
    if len(x) < 2:
        raise RegardError("resample takes what another text of the batch has: 2 texts or more expected, got 1")
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(record.get("seed", 0)))
    partner = torch.empty_like(order)
    partner[order] = order.roll(1)
    return x[partner.to(x.device)]


def project_out(x: Tensor, value: Tensor, record: Record) -> Tensor:
    """Without what lies along these directions, (width) or (directions, width): directional ablation."""
    basis = torch.as_tensor(record["directions"], dtype=x.dtype, device=x.device)
    if basis.shape[-1] != x.shape[-1]:
        raise ShapeError(f"directions of {x.shape[-1]} numbers expected, got {basis.shape[-1]}")
    orthonormal = torch.linalg.qr(basis.reshape(-1, basis.shape[-1]).double().T).Q.to(x.dtype)
    return x - (x @ orthonormal) @ orthonormal.T


@dataclass(frozen=True)
class SiteEditKind:
    """A kind of edit of a site: what it makes of the numbers there, and its fields beside "do"."""

    apply: Callable[[Tensor, Tensor, Record], Tensor]
    fields: dict[str, EditField]

    @property
    def required(self) -> list[str]:
        return sorted(name for name, field in self.fields.items() if not field.is_optional)


WHERE = {
    "site": EditField(layer_name),
    **{name: EditField(indices, is_optional=True) for name in ("heads", "batch")},
    "positions": EditField(text_positions, is_optional=True),
    "start": EditField(start_condition, is_optional=True),
    "stop": EditField(stop_condition, is_optional=True),
}
"""Which site, and what of it: all, unless heads, positions, a run of positions or members of the batch are named."""
SITE_EDIT_KINDS: dict[str, SiteEditKind] = {
    "replace": SiteEditKind(replace_numbers, {**WHERE, "value": EditField(value)}),
    "zero": SiteEditKind(zero, WHERE),
    "add": SiteEditKind(
        add, {**WHERE, "value": EditField(value), "coefficient": EditField(coefficient, is_optional=True)}
    ),
    "multiply": SiteEditKind(multiply, {**WHERE, "coefficient": EditField(coefficient)}),
    "mean": SiteEditKind(mean, WHERE),
    "resample": SiteEditKind(resample, {**WHERE, "seed": EditField(whole_number, is_optional=True)}),
    "project_out": SiteEditKind(project_out, {**WHERE, "directions": EditField(directions)}),
}
"""What can be done at a site, and what is said for it."""


def edit_site(x: Tensor, record: Record, positions: Tensor, is_edited: Tensor | None = None) -> Tensor:
    """The numbers at a site, (batch, length, width) or (batch, heads, length, width), after an edit.

    `positions` say where they stand in their texts, (batch or 1, length), and `is_edited` where the edit is at work,
    (batch, length), if that depends on tokens.
    """
    kind, region = SITE_EDIT_KINDS[record["do"]], chosen_region(x, record, positions)
    if is_edited is not None:
        region = by_heads(is_edited, x) if region is None else region & by_heads(is_edited, x)
    numbers = torch.zeros((), dtype=x.dtype, device=x.device)
    if "value" in record:
        numbers, written = place_value(x, record, positions)
        region = written if region is None else region if written is None else region & written
    edited = kind.apply(x, numbers, record)
    return edited if region is None else torch.where(region, edited, x)


def chosen_region(x: Tensor, record: Record, positions: Tensor) -> Tensor | None:
    """What of a site is meant, as a mask that fits it but for the width; None: all."""
    parts: list[Tensor] = []
    if (batch := record.get("batch")) is not None:
        parts.append(mask_of(batch, len(x), "batch member", x).view(-1, *(1,) * (x.ndim - 1)))
    if (heads := record.get("heads")) is not None:
        if x.ndim != 4:
            raise RegardError(f"{record['site']} has no heads: only what attention has by head has")
        parts.append(mask_of(heads, x.shape[1], "head", x).view(-1, 1, 1))
    by_position: list[Tensor] = []
    if (named := record.get("positions")) is not None:
        by_position.append(torch.isin(positions, torch.tensor(named, device=x.device, dtype=torch.long)))
    if isinstance(start := record.get("start"), int):
        by_position.append(positions >= start)
    if isinstance(stop := record.get("stop"), int):
        by_position.append(positions < stop)
    parts += [by_heads(part, x) for part in by_position]
    region: Tensor | None = None
    for part in parts:
        region = part if region is None else region & part
    return region


def by_heads(mask: Tensor, x: Tensor) -> Tensor:
    """A mask (batch or 1, length) as one that fits a site but for the width."""
    return mask[:, None, :, None] if x.ndim == 4 else mask[..., None]


def mask_of(indices: Sequence[int], size: int, what: str, x: Tensor) -> Tensor:
    mask = torch.zeros(size, dtype=torch.bool, device=x.device)
    mask[numbers(indices, size, what)] = True
    return mask


def place_value(x: Tensor, record: Record, positions: Tensor) -> tuple[Tensor, Tensor | None]:
    """The value so that it fits a site, and a mask of what it has numbers for; None: all.

    It fits from the right: (width), (positions, width), with heads and batch before. Rows are those of the named
    positions, or of the text from its first token on.
    """
    value = torch.as_tensor(record["value"], dtype=x.dtype, device=x.device)
    value = value[(None,) * (x.ndim - value.ndim)] if value.ndim <= x.ndim else value
    named = record.get("positions")
    sizes = [len(x), *([x.shape[1]] if x.ndim == 4 else []), value.shape[-2], x.shape[-1]]
    for axis, (field, what) in enumerate((("batch", "batch members"), ("heads", "heads"))[: x.ndim - 2]):
        chosen = record.get(field)
        if chosen is not None and value.shape[axis] == len(chosen) != sizes[axis]:
            index = torch.tensor(numbers(chosen, sizes[axis], what), device=x.device)
            shape = list(value.shape)
            shape[axis] = sizes[axis]
            value = value.new_zeros(shape).index_copy(axis, index, value)
    if value.ndim != x.ndim or any(size not in (1, wanted) for size, wanted in zip(value.shape, sizes, strict=True)):
        raise ShapeError(f"a value that fits {tuple(x.shape)} expected, got {tuple(value.shape)}")
    rows = value.shape[-2]
    if rows == 1:
        return value, None
    if named is not None and len(named) != rows:
        raise ShapeError(f"a value for 1 or for each of {len(named)} positions expected, got one for {rows}")
    if (
        named is None
        and rows == positions.shape[1]
        and torch.equal(positions, torch.arange(rows, device=x.device)[None])
    ):
        return value, None
    places = torch.arange(rows) if named is None else torch.tensor(named)
    row_of = torch.full((max(int(places.max()), int(positions.max())) + 2,), -1, dtype=torch.long)
    row_of[places] = torch.arange(rows)
    found = row_of.to(x.device)[positions]
    index = found.clamp(min=0)
    index = index[:, None, :, None] if x.ndim == 4 else index[..., None]
    return torch.take_along_dim(value, index, dim=-2), by_heads(found >= 0, x)

"""Single pairs of a query and a key, or blocks of them: cut, or given a weight, the rest of the row renormalised."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from regard.attention import Pattern
from regard.attention.masks.pairs import WithoutPairs
from regard.attention.regions import numbers
from regard.errors import RegardError, ShapeError
from regard.looking.edit_fields import Record
from regard.looking.set_weights import forbidden_weight, members_by_positions

Group = tuple[list[int], list[int], list[int]]
"""Members of the batch, with the numbers of their queries and keys that are meant."""


def cut_pairs(pattern: Pattern, record: Record, layer: str) -> Pattern:
    """These queries do not look at these keys; what is left of their rows sums to 1, in the kernel itself."""
    batch, heads, queries, keys = pattern.shape
    device = pattern.query.device
    for members, rows, columns in groups(pattern, record, layer):
        mask = WithoutPairs(
            torch.tensor(rows, device=device, dtype=torch.long) + keys - queries,
            torch.tensor(columns, device=device, dtype=torch.long),
            chosen(record.get("heads"), heads, "head", device),
            chosen(members, batch, "batch member", device),
        )
        pattern = replace(pattern, mask=mask if pattern.mask is None else pattern.mask & mask, row_statistics=None)
    return pattern


def set_pairs(pattern: Pattern, record: Record, layer: str) -> Pattern:
    """These queries give these keys so much weight; the other keys of each row share what is left as they did."""
    heads = numbers(record.get("heads"), pattern.shape[1], "head")
    weight = torch.as_tensor(record["weight"], dtype=pattern.zeros(0).dtype, device=pattern.query.device)
    wanted_queries, wanted_keys = record.get("queries"), record.get("keys")
    for members, rows, columns in groups(pattern, record, layer):
        wanted = (rows if wanted_queries is None else wanted_queries, columns if wanted_keys is None else wanted_keys)
        check_weight(weight, (pattern.shape[0], len(heads), *map(len, wanted)))
        own = weight
        if own.ndim == 4 and len(own) > 1:
            own = own[members]
        if own.ndim > 1 and own.shape[-2] > 1 and wanted_queries is not None:
            own = own[..., [wanted_queries.index(row) for row in named(pattern, layer, members, rows, 0)], :]
        if own.ndim > 0 and own.shape[-1] > 1 and wanted_keys is not None:
            own = own[..., [wanted_keys.index(key) for key in named(pattern, layer, members, columns, 1)]]
        tile = renormalised(pattern[members, heads, rows], own, columns)
        pattern = pattern.set(tile, heads, rows, members)
        if (forbidden := forbidden_weight(pattern)) is not None:
            raise RegardError(
                f"{layer}: the pair of query {forbidden[0]} and key {forbidden[1]} is one the mask forbids"
            )
    return pattern


def check_weight(weight: Tensor, sizes: tuple[int, ...]) -> None:
    """One number, or one for each of what is meant, the keys last."""
    pairs = zip(reversed(weight.shape), reversed(sizes), strict=False)
    if weight.ndim > len(sizes) or any(size not in (1, meant) for size, meant in pairs):
        raise ShapeError(f"weights of pairs: {sizes} of batch, heads, queries, keys expected, got {(*weight.shape,)}")


def renormalised(tile: Tensor, weight: Tensor, columns: Sequence[int]) -> Tensor:
    """Rows of weights (…, rows, keys) in which some keys have what was said."""
    is_set = torch.zeros(tile.shape[-1], dtype=torch.bool, device=tile.device)
    is_set[list(columns)] = True
    said = torch.zeros_like(tile)
    said[..., list(columns)] = weight.to(tile.dtype).expand(*tile.shape[:-1], len(columns))
    left, others = 1 - said.sum(-1, keepdim=True), torch.where(is_set, 0, tile)
    total = others.sum(-1, keepdim=True)
    if bool((left < -1e-5).any()):
        raise ShapeError(f"weights of pairs sum to 1 at most in each row, got {float(said.sum(-1).max()):g}")
    return torch.where(is_set, said, others * (left.clamp(min=0) / total.clamp(min=torch.finfo(tile.dtype).tiny)))


def groups(pattern: Pattern, record: Record, layer: str) -> Iterator[Group]:
    """Members of the batch that are meant, with their queries and keys; a text that has not come so far has none."""
    batch = numbers(record.get("batch"), pattern.shape[0], "batch member")
    for members, query_positions, key_positions in members_by_positions(pattern, layer):
        some = [member for member in (members or range(pattern.shape[0])) if member in batch]
        rows = at(query_positions, record.get("queries"))
        columns = at(key_positions, record.get("keys"))
        if some and rows and columns:
            yield some, rows, columns


def at(positions: Sequence[int], wanted: Sequence[int] | None) -> list[int]:
    """Where in a call these positions of a text are; None: all that are no padding."""
    places = set(positions) - {-1} if wanted is None else set(wanted)
    return [number for number, position in enumerate(positions) if position in places and position >= 0]


def named(pattern: Pattern, layer: str, members: list[int], places: Sequence[int], which: int) -> list[int]:
    """The positions in their text of queries (0) or keys (1) of some members."""
    for group, *positions in members_by_positions(pattern, layer):
        if group is None or members[0] in group:
            return [positions[which][place] for place in places]
    return []


def chosen(indices: Sequence[int] | None, size: int, what: str, device: torch.device) -> Tensor:
    mask = torch.zeros(size, dtype=torch.bool, device=device)
    mask[numbers(indices, size, what)] = True
    return mask

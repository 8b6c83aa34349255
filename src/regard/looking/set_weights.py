"""Weights set by hand for rows that are named by their positions in a text, however the text is read.

A text may be read at once, beside others that are longer, or token by token: the row of a token is found by its
position, and so are the keys that it shall attend to.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from regard.attention import Pattern, tiles
from regard.attention.regions import numbers
from regard.errors import RegardError, ShapeError, expect
from regard.looking.layer_names import attends_to_source, reads_source

TextPositions = list[int]
"""The positions in a text of the queries or keys of one member of a batch; -1 is padding."""


def set_weights(
    pattern: Pattern, layer: str, weights: Tensor, heads: Sequence[int] | None, rows: Sequence[int] | None
) -> Pattern:
    """The pattern with these rows of some heads as drawn; None: all rows.

    `weights` fit (members, heads, rows, keys) from the right. Rows of a text that is being written wait until it has
    come so far; rows and keys of a source have to be there.
    """
    weights = weights[None] if weights.ndim == 1 else weights
    if weights.ndim == 4:
        expect("weights", "batch members", len(weights), len(pattern.query), 1)
    for members, query_positions, key_positions in members_by_positions(pattern, layer):
        member_weights = weights if members is None or weights.ndim < 4 or len(weights) == 1 else weights[members]
        row_numbers = rows_to_set(layer, query_positions, key_positions, rows, weights.shape[-2])
        if row_numbers:
            member_weights = (
                member_weights if member_weights.shape[-2] == 1 else member_weights[..., list(row_numbers.values()), :]
            )
            pattern = pattern.set(
                weights_of_keys(member_weights, layer, key_positions), heads, list(row_numbers), members
            )
            if (forbidden := forbidden_weight(pattern)) is not None:
                row, key = forbidden
                raise RegardError(
                    f"{layer}: row {query_positions[row]} puts weight on key {key_positions[key]}, "
                    "which the mask forbids"
                )
    return pattern


def forbidden_weight(pattern: Pattern) -> tuple[int, int] | None:
    """A query and a key that the mask keeps it from, though the rows that were set last give it weight; None: fine."""
    fixed = pattern.fixed[-1]
    if pattern.mask is None or not fixed.heads or fixed.members == ():
        return None
    used = fixed.weights[:, :, :1] if fixed.weights.stride(2) == 0 else fixed.weights  # one row may stand for all
    columns = (used != 0).flatten(0, 2).any(0).nonzero().flatten()
    rows, keys = pattern.indices(slice(0, pattern.shape[2]), slice(0, pattern.shape[3]))
    step = max(1, tiles.BUDGET // max(1, len(columns) * len(fixed.heads) * len(pattern.query)))
    for start in range(0, len(fixed.rows), step):
        lines = list(fixed.rows[start : start + step])
        allowed = pattern.mask.tile(rows[lines], keys[columns])
        if len(allowed) > 1 and fixed.members is not None:
            allowed = allowed[list(fixed.members)]
        if allowed.shape[1] > 1:
            allowed = allowed[:, list(fixed.heads)]
        wrong = ((fixed.weights[:, :, start : start + step, columns] != 0) & ~allowed).nonzero()
        if len(wrong):
            _, _, line, column = wrong[0].tolist()
            return lines[line], int(columns[column])
    return None


def members_by_positions(
    pattern: Pattern, layer: str
) -> Iterator[tuple[list[int] | None, TextPositions, TextPositions]]:
    """Members of the batch whose queries and keys stand at the same positions, None for all, and these positions."""
    queries, keys = pattern.shape[2:]
    columns = pattern.positions
    if pattern.query_positions is not None:
        lines = pattern.query_positions
    elif is_cross_attention(layer):
        lines = torch.arange(queries)[None]
    else:
        lines = columns[:, keys - queries :]  # the last query stands beside the last key
    if len(lines) == len(columns) == 1:
        yield None, lines[0].tolist(), columns[0].tolist()
        return
    groups: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    both = (part.expand(len(pattern.query), -1).tolist() for part in (lines, columns))
    for member, (query_positions, key_positions) in enumerate(zip(*both, strict=True)):
        groups.setdefault((tuple(query_positions), tuple(key_positions)), []).append(member)
    for (query_positions, key_positions), members in groups.items():
        yield members, list(query_positions), list(key_positions)


def is_cross_attention(layer: str) -> bool:
    """Whether those who look are not among those who are looked at."""
    return layer.endswith(("cross", "align")) or "hop" in layer.split(".")


def rows_to_set(
    layer: str, query_positions: TextPositions, key_positions: TextPositions, rows: Sequence[int] | None, row_count: int
) -> dict[int, int]:
    """Numbers of queries whose rows are set, each with the number of its row among the `row_count` that are given."""
    at = {
        position: number for number, position in enumerate(query_positions) if position >= 0
    }  # padding before the first stands there, too
    count = max(at, default=-1) + 1
    if -1 in key_positions and not is_cross_attention(layer):
        count = max(key_positions) + 1  # padding after the last token counts on from it
    if rows is None:
        rows = range(count if row_count == 1 or reads_source(layer) else row_count)
    if reads_source(layer):
        rows = numbers(rows, count, "query")
    if row_count not in (1, len(rows)):
        raise ShapeError(f"weights of 1 row or of {len(rows)} rows expected, got {row_count}")
    positions = [row + count if row < 0 else row for row in rows]
    return {at[position]: number for number, position in enumerate(positions) if position < count and position in at}


def weights_of_keys(weights: Tensor, layer: str, key_positions: TextPositions) -> Tensor:
    """Weights of positions as weights of the keys that stand there; padding has none, nor has what came later."""
    width, tokens = weights.shape[-1], max(key_positions, default=-1) + 1
    if attends_to_source(layer) and (
        width < tokens or bool(weights[..., tokens:].any())
    ):  # others in the batch are longer
        raise ShapeError(f"weights of {tokens} keys, one for each token of the source, expected, got {width}")
    later = (weights[..., tokens:] != 0).flatten(0, -2).any(0).nonzero()
    if len(later):
        raise RegardError(f"{layer}: a row shall look at position {tokens + int(later[-1])}, of {tokens} tokens so far")
    dropped_keys = sorted({int(key) for key in (weights != 0).flatten(0, -2).any(0).nonzero()} - set(key_positions))
    if dropped_keys:
        raise RegardError(
            f"{layer}: a row puts weight on key {dropped_keys[0]}, which the cache has dropped behind its window"
        )
    positions = torch.tensor(key_positions, dtype=torch.long, device=weights.device)
    is_present = (positions >= 0) & (positions < width)
    return torch.where(is_present, weights[..., positions.clamp(0, width - 1)], 0)

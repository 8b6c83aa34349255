"""What can be asked of a finished run: tiles of the map, thumbnails, rows, pairs, links."""

import math
from dataclasses import replace

import torch
from torch import Tensor

from regard.attention import Padding, Pattern
from regard.attention.normalisers import Softmax
from regard.attention.scores import Additive, Dot, Local, Score, Shaw, XLScore
from regard.errors import ShapeError
from regard.viewer import pyramid
from regard.viewer.binary_frame import frame
from regard.viewer.payload import AttendedKey, CellPooling, ScoreDetail, SoftmaxRow, TopLinks
from regard.viewer.pyramid import TILE, Pyramid
from regard.viewer.refusals import NotYet

WHOLE = 2048  # keys of a row that is sent whole


def map_tile(
    pattern: Pattern, stored: Pyramid | None, layer: str, head: int, level: int, row: int, column: int, how: CellPooling
) -> bytes:
    """Up to 256 x 256 cells of one zoom level."""
    heads = head_slice(pattern, head)
    if level >= pyramid.levels(pattern):
        raise ShapeError(f"{layer} has zoom levels 0 to {pyramid.levels(pattern) - 1}, got {level}")
    if stored is None and (base := pyramid.stored_level(pattern)) is not None and level >= base:
        raise NotYet(f"{layer} is not pooled yet")
    rows, columns = (
        tile_range(length, level, number) for length, number in zip(pattern.shape[2:], (row, column), strict=True)
    )
    cells = pyramid.pool(pattern, stored, heads, level, rows, columns, how)[0]
    address = {"layer": layer, "head": head, "level": level, "row": row, "column": column, "how": how}
    size = {"rows": len(cells), "columns": cells.shape[1], "cell": 1 << level, "largest": float(cells.max())}
    return frame(address | size, [cells])


def tile_range(length: int, level: int, number: int) -> slice:
    """The cells of a tile along one side."""
    count = pyramid.cells(length, level)
    if not 0 <= number * TILE < count:
        raise ShapeError(f"level {level} has tiles 0 to {(count - 1) // TILE}, got {number}")
    return slice(number * TILE, min((number + 1) * TILE, count))


def overview(patterns: dict[str, Pattern], pyramids: dict[str, Pyramid], how: CellPooling, size: int) -> bytes:
    """Every head of every layer, small."""
    layers, numbers = [], []
    for name, pattern in patterns.items():
        if name not in pyramids and pyramid.stored_level(pattern) is not None:
            raise NotYet(f"{name} is not pooled yet")
        thumbs = thumbnails(pattern, pyramids.get(name), how, size)
        numbers.append(thumbs)
        heads, rows, columns = thumbs.shape
        largest = thumbs.flatten(1).amax(1).tolist()
        layers.append({"name": name, "heads": heads, "rows": rows, "columns": columns, "largest": largest})
    return frame({"how": how, "size": size, "layers": layers}, numbers)


def thumbnails(pattern: Pattern, stored: Pyramid | None, how: CellPooling, size: int) -> Tensor:
    """All heads at the finest level of which one fits: (heads, rows, columns)."""
    _, heads, queries, keys = pattern.shape
    level = max(0, math.ceil(math.log2(max(queries, keys, 1) / size)))
    rows, columns = (slice(0, pyramid.cells(length, level)) for length in (queries, keys))
    return pyramid.pool(pattern, stored, slice(0, heads), level, rows, columns, how)


def softmax_row(pattern: Pattern, layer: str, head: int, number: int, top: int) -> SoftmaxRow:
    """One row of the softmax."""
    head_slice(pattern, head)
    check_row(pattern, number)
    weights = pattern[0, head, number].float()
    best = weights.topk(min(top, len(weights)))
    attended = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return SoftmaxRow(
        layer=layer,
        head=head,
        row=number,
        keys=len(weights),
        weights=weights.tolist() if len(weights) <= WHOLE else [],
        top=[AttendedKey(column=column, weight=weight) for column, weight in attended if weight > 0],
        entropy=float(torch.special.entr(weights.clamp(min=0)).sum()),
        logsumexp=logsumexp(pattern, head, number),
    )


def logsumexp(pattern: Pattern, head: int, number: int) -> float | None:
    if not isinstance(pattern.normaliser, Softmax):
        return None
    return finite(float(pattern.logsumexp[0, head, number]))


def finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def score_detail(pattern: Pattern, layer: str, head: int, number: int, column: int) -> ScoreDetail:
    """One score, taken apart."""
    head_slice(pattern, head)
    check_row(pattern, number)
    if not 0 <= column < pattern.shape[3]:
        raise ShapeError(f"keys 0 to {pattern.shape[3] - 1} expected, got {column}")
    part = pattern.narrow(slice(0, 1), slice(head, head + 1))
    here = slice(number, number + 1), slice(column, column + 1)
    positions = part.indices(*here)
    query, key = part.query[:, :, here[0]].float(), part.key[:, :, here[1]].float()
    total = float(part.score.tile(query, key, *positions))
    bias = 0.0 if part.bias is None else float(part.bias.tile(*positions).flatten()[0])
    products, scale = score_products(part.score, query[0, 0, 0], key[0, 0, 0])
    content = float(products.sum()) if products is not None else total
    score = finite(float(part.scores(*here)))
    return ScoreDetail(
        layer=layer,
        head=head,
        row=number,
        column=column,
        kind=type(part.score).__name__,
        query=query.flatten().tolist(),
        key=key.flatten().tolist(),
        products=[] if products is None else products.tolist(),
        scale=scale,
        content=finite(content) or 0.0,
        position=(finite(total) or 0.0) - content if finite(total) is not None else 0.0,
        bias=finite(bias) or 0.0,
        inverse_temperature=1.0 if part.inverse_temperature is None else float(part.inverse_temperature[0]),
        score=score,
        is_allowed=score is not None,
        logsumexp=logsumexp(pattern, head, number),
        weight=float(pattern[0, head, number, column]),
    )


def score_products(score: Score, query: Tensor, key: Tensor) -> tuple[Tensor | None, float | None]:
    """What each dimension adds to the content of a score, and the factor in it; None where it does not come apart."""
    if isinstance(score, Local):
        return score_products(score.score, query[:-1], key[:-1])
    if isinstance(score, Additive):
        return score.vector[0] * torch.tanh(query + key), None
    if isinstance(score, Dot | XLScore | Shaw):
        scale = Dot(score.scale).factor(len(key))
        shifted_query = query + score.u[0] if isinstance(score, XLScore) else query
        return shifted_query * key * scale, scale
    return None, None


def top_links(pattern: Pattern, layer: str, heads: list[int], top: int, first: int, count: int) -> TopLinks:
    """The keys that each of some queries attends to most."""
    queries, keys = pattern.shape[2:]
    if not 0 <= first < queries:
        raise ShapeError(f"rows 0 to {queries - 1} expected, got {first}")
    links: list[tuple[int, int, int, float]] = []
    for head in dict.fromkeys(heads):
        head_slice(pattern, head)
        rows = slice(first, min(first + count, queries))
        best = pattern[0, head, rows].float().topk(min(top, keys))
        for number, (columns, weights) in enumerate(zip(best.indices.tolist(), best.values.tolist(), strict=True)):
            attended = zip(columns, weights, strict=True)
            links += [(head, first + number, column, weight) for column, weight in attended if weight > 0]
    return TopLinks(layer=layer, links=links)


def head_slice(pattern: Pattern, head: int) -> slice:
    if not 0 <= head < pattern.shape[1]:
        raise ShapeError(f"heads 0 to {pattern.shape[1] - 1} expected, got {head}")
    return slice(head, head + 1)


def check_row(pattern: Pattern, number: int) -> None:
    if not 0 <= number < pattern.shape[2]:
        raise ShapeError(f"rows 0 to {pattern.shape[2] - 1} expected, got {number}")


def mask_name(pattern: Pattern) -> str:
    """Which keys a query may attend to, in a word."""
    allowed, (queries, keys) = pattern.allowed, pattern.shape[2:]
    if allowed is None:
        return "none"
    is_causal, rest = allowed.split(queries, keys)
    if isinstance(rest, Padding) and bool(rest.attention_mask.all()):
        rest = None
    parts = [
        *(["causal"] if is_causal else []),
        *([] if rest is None else [type(rest).__name__.removesuffix("Mask").lower()]),
    ]
    return " and ".join(parts) or "none"


def with_row_statistics(pattern: Pattern) -> Pattern:
    """The pattern with what its looks need filled in, so that the first of them is as quick as the others."""
    return pattern if pattern.row_statistics is not None else replace(pattern, row_statistics=pattern.statistics)

"""The pattern of a live layer's call, from what its kernel or its softmax was really given."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.attention import Bias, Causal, Dense, Dot, Given, Mask, Padding, Pattern, Softmax
from regard.attention.normalisers import Normaliser, Sink
from regard.attention.scores import Score, SoftCap
from regard.looking.live.calls import Arguments, LayerCall, tokens_of

ALL_ROWS = 1 << 20  # weights up to which every row of a compact pattern is compared with the layer's own
SOME_ROWS = 16  # rows that are compared above
CLOSE = {torch.float32: 1e-5, torch.float64: 1e-9}  # half precision: what its rounding can do to a score
ROUNDED = 3e-2


@dataclass(frozen=True)
class Fused:
    """What torch.nn.functional.scaled_dot_product_attention is called with."""

    query: Tensor
    key: Tensor
    value: Tensor
    attn_mask: Tensor | None
    dropout_p: float
    is_causal: bool
    scale: float | None
    enable_gqa: bool


@dataclass(frozen=True)
class Standing:
    """Where the queries and keys of a call stand in their texts, and how many of the keys are there at all."""

    keys: int
    first_key: int
    query_positions: Tensor
    key_positions: Tensor
    padding: Padding | None

    @property
    def fields(self) -> dict[str, Any]:
        return {
            "query_positions": self.query_positions,
            "key_positions": self.key_positions,
            "first_key": self.first_key,
        }


def fused_pattern(call: LayerCall, given: Fused) -> Pattern:
    """What the fused kernel is about to compute."""
    query, key, value = (autocast(x) for x in (given.query, given.key, given.value))
    batch, queries, keys = len(query), query.shape[2], key.shape[2]
    mask, bias = read_mask(given.attn_mask, keys)
    if given.is_causal:
        mask = Causal() if queries == keys else Dense(torch.ones(queries, keys, dtype=torch.bool).tril())
    stands = standing(call, batch, queries, keys, mask)
    return Pattern(
        query,
        key[:, :, : stands.keys],
        Dot(given.scale),
        crop_bias(bias, stands.keys),
        both(crop(mask, stands.keys), stands.padding),
        value=value[:, :, : stands.keys],
        **stands.fields,
    )


def softmax_pattern(call: LayerCall, scores: Tensor, weights: Tensor) -> Pattern:
    """What a softmax computed: from queries and keys where these give the same weights, else from the scores."""
    if scores.ndim == 3:
        scores, weights = (x.unflatten(0, (call.batch or 1, -1)) for x in (scores, weights))
    if call.arguments is not None:
        compact = argument_pattern(call, call.arguments)
        if compact is not None and agrees(compact, weights):
            return compact
    return score_pattern(call, scores)


def argument_pattern(call: LayerCall, given: Arguments) -> Pattern | None:
    """What transformers' own eager function computes with these arguments, as far as we know it."""
    query, key, value = given.query, given.key, given.value
    if query.ndim != 4 or (isinstance(given.attention_mask, Tensor) and given.attention_mask.ndim != 4):
        return None
    batch, queries, keys = len(query), query.shape[2], key.shape[2]
    mask, bias = read_mask(given.attention_mask, keys)
    added = given.others.get("position_bias")
    if added is not None:
        bias = Given(added[..., :keys] if bias is None else added[..., :keys] + bias.numbers)
    cap, sinks = given.others.get("softcap"), given.others.get("s_aux", getattr(call.module, "sinks", None))
    score: Score = Dot(given.scaling) if cap is None else SoftCap(cap, given.scaling)
    normaliser: Normaliser = Softmax() if sinks is None else Sink(sinks.reshape(-1))
    stands = standing(call, batch, queries, keys, mask)
    return Pattern(
        query,
        key[:, :, : stands.keys],
        score,
        crop_bias(bias, stands.keys),
        both(crop(mask, stands.keys), stands.padding),
        normaliser,
        value=value[:, :, : stands.keys],
        **stands.fields,
    )


def score_pattern(call: LayerCall, scores: Tensor) -> Pattern:
    """A pattern of the scores themselves, which the layer has written out in full anyway."""
    batch, heads, queries, keys = scores.shape
    mask, bias = read_mask(scores, keys)
    stands = standing(call, batch, queries, keys, mask)
    numbers = bias.numbers if bias is not None else torch.zeros_like(scores)
    return Pattern(
        scores.new_zeros(batch, heads, queries, 0),
        scores.new_zeros(batch, heads, stands.keys, 0),
        Dot(1.0),
        Given(numbers[..., : stands.keys]),
        both(crop(mask, stands.keys), stands.padding),
        **stands.fields,
    )


def agrees(pattern: Pattern, weights: Tensor) -> bool:
    """Whether a pattern has the weights that a layer computed; rows that see nothing do not count."""
    batch, heads, queries, keys = pattern.shape
    if weights.shape[:3] != (batch, heads, queries) or weights.shape[3] < keys:
        return False
    few = weights.numel() <= ALL_ROWS
    rows = range(queries) if few else sorted({round(i * (queries - 1) / (SOME_ROWS - 1)) for i in range(SOME_ROWS)})
    with torch.no_grad():
        mine, theirs = pattern[:, :, list(rows)], weights[:, :, list(rows)].detach()
        sees = mine.sum(-1, keepdim=True) > 0
        difference = torch.where(sees, (mine - theirs[..., :keys]).abs(), 0)
    limit = CLOSE.get(pattern.query.dtype if pattern.query.dtype == weights.dtype else weights.dtype, ROUNDED)
    return not difference.numel() or bool(difference.max() <= limit)


def autocast(x: Tensor) -> Tensor:
    """A tensor as the kernel gets it under autocast."""
    kind = x.device.type
    return x.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else x


def read_mask(mask: Tensor | None, keys: int) -> tuple[Mask | None, Given | None]:
    """A mask of transformers as ours: True may look; of numbers that are added, the lowest there is forbids."""
    if mask is None:
        return None, None
    mask = mask[..., :keys]
    mask = mask[(None,) * (4 - mask.ndim)]
    if mask.dtype == torch.bool:
        return allowed(mask), None
    forbids = mask <= torch.finfo(mask.dtype).min / 2
    numbers = mask.masked_fill(forbids, 0)
    return allowed(~forbids), Given(numbers) if bool(numbers.any()) else None


def allowed(may_look: Tensor) -> Mask | None:
    """A mask in its shortest form."""
    if bool(may_look.all()):
        return None
    rows_alike = may_look.shape[1] == may_look.shape[2] == 1
    return Padding(may_look[:, 0, 0]) if rows_alike else Dense(may_look)


def crop(mask: Mask | None, keys: int) -> Mask | None:
    """A mask of the first keys."""
    if isinstance(mask, Padding):
        return Padding(mask.real[:, :keys])
    return Dense(mask.allowed[..., :keys]) if isinstance(mask, Dense) else mask


def crop_bias(bias: Given | None, keys: int) -> Bias | None:
    return bias if bias is None else Given(bias.numbers[..., :keys])


def both(mask: Mask | None, padding: Padding | None) -> Mask | None:
    if mask is None or padding is None:
        return padding if mask is None else mask
    return mask & padding


def standing(call: LayerCall, batch: int, queries: int, keys: int, mask: Mask | None) -> Standing:
    """Where queries and keys stand. Places of a cache that nothing was written to yet are no keys."""
    first_query, first_key = call.first_query, call.first_key
    if call.cached:
        keys = min(keys, first_query + queries - first_key)
    rows, columns = slice(first_query, first_query + queries), slice(first_key, first_key + keys)
    tokens = tokens_of(call)
    usable = tokens is not None and tokens.shape[0] in (1, batch) and tokens.shape[1] >= columns.stop
    if usable and tokens is not None and not bool(tokens.all()) and hides(mask, tokens[:, columns], batch):
        positions = torch.where(tokens, tokens.cumsum(-1) - 1, -1)
        query_positions = positions[:, rows]
        if call.is_cross or query_positions.shape[1] != queries:
            query_positions = torch.arange(rows.start, rows.stop, device=tokens.device)[None]
        return Standing(keys, first_key, query_positions, positions[:, columns], Padding(tokens[:, columns]))
    device = None if mask is None else tokens.device if tokens is not None else None
    lines, places = (torch.arange(part.start, part.stop, device=device)[None] for part in (rows, columns))
    return Standing(keys, first_key, lines, places, None)


def hides(mask: Mask | None, tokens: Tensor, batch: int) -> bool:
    """Whether a mask hides what is said to be padding; a model may not heed what it was told."""
    keys = tokens.shape[1]
    if isinstance(mask, Padding):
        return not bool((mask.real[:, :keys] & ~tokens).any())
    if isinstance(mask, Dense):
        seen = mask.full[..., :keys].any(1).any(1)  # (batch or 1, keys)
        return not bool((seen & ~tokens).any())
    return False

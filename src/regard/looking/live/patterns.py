"""The pattern of a live layer's call, from what its kernel or its softmax was really given."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from regard.attention import (
    Causal,
    DenseBias,
    DenseMask,
    Dot,
    Mask,
    Normaliser,
    Padding,
    Pattern,
    Score,
    Sink,
    SoftCap,
    Softmax,
)
from regard.errors import RegardError
from regard.looking.live.calls import Arguments, LayerCall, running, tokens_of
from regard.looking.torch_layers import autocast

HEADS = ("num_heads", "num_attention_heads", "n_heads")  # as layers call how many they have
ALL_ROWS = 1 << 20  # weights up to which every row of a compact pattern is compared with the layer's own
SOME_ROWS = 16  # rows that are compared above
CLOSE = {torch.float32: 1e-5, torch.float64: 1e-9}  # half precision: what its rounding can do to a score
ROUNDED = 3e-2


@dataclass(frozen=True)
class FusedArguments:
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
class CallPositions:
    """Where the queries and keys of a call stand in their texts, what they may see, and how many keys there are."""

    keys: int
    mask: Mask | None
    bias: DenseBias | None
    first_key: int
    query_positions: Tensor | None
    key_positions: Tensor | None

    def pattern(
        self, query: Tensor, key: Tensor, value: Tensor | None, score: Score, normaliser: Normaliser = Softmax()
    ) -> Pattern:
        """The pattern of these vectors. Positions of a cache that nothing was written to yet are no keys."""
        return Pattern(
            query,
            key[:, :, : self.keys],
            score,
            self.bias,
            self.mask,
            normaliser,
            value=None if value is None else value[:, :, : self.keys],
            query_positions=self.query_positions,
            key_positions=self.key_positions,
            first_key=self.first_key,
        )


def fused_pattern(call: LayerCall, arguments: FusedArguments) -> Pattern:
    """What the fused kernel is about to compute."""
    batch = max(len(x) for x in (arguments.query, arguments.key, arguments.value))
    query, key, value = (
        autocast(x).expand(batch, -1, -1, -1) for x in (arguments.query, arguments.key, arguments.value)
    )
    mask = arguments.attn_mask
    if arguments.is_causal and query.shape[2] != key.shape[2]:  # the first query stands beside the first key
        mask = torch.ones(query.shape[2], key.shape[2], dtype=torch.bool, device=query.device).tril()
    positions = positions_of_call(call, query, key.shape[2], mask)
    if arguments.is_causal and mask is None:
        positions = replace(positions, mask=Causal() if positions.mask is None else Causal() & positions.mask)
    return positions.pattern(query, key, value, Dot(arguments.scale))


def softmax_pattern(call: LayerCall, scores: Tensor, weights: Tensor) -> Pattern:
    """What a softmax computed: from queries and keys where these give the same weights, else from the scores."""
    if scores.ndim == 3:
        scores, weights = (x.unflatten(0, (batch_of(call, len(scores)), -1)) for x in (scores, weights))
    if call.arguments is not None:
        compact = argument_pattern(call, call.arguments)
        if compact is not None and agrees(compact, weights):
            return compact
        if compact is not None and isinstance(compact.normaliser, Sink):
            raise RegardError(f"{type(call.module).__name__} attends with a sink in a way that is not known here")
    return score_pattern(call, scores)


def batch_of(call: LayerCall, rows: int) -> int:
    """How many texts there are, where a layer has put texts and heads into one dimension."""
    heads = next((number for name in HEADS if isinstance(number := getattr(call.module, name, None), int)), 0)
    return rows // heads if heads and rows % heads == 0 else call.batch or 1


def argument_pattern(call: LayerCall, arguments: Arguments) -> Pattern | None:
    """What transformers' own eager function computes with these arguments, as far as we know it."""
    query, key = arguments.query, arguments.key
    if query.ndim != 4 or (isinstance(arguments.attention_mask, Tensor) and arguments.attention_mask.ndim != 4):
        return None
    positions = positions_of_call(call, query, key.shape[2], arguments.attention_mask)
    if (position_bias := arguments.others.get("position_bias")) is not None:
        numbers = position_bias[..., : positions.keys]
        positions = replace(
            positions, bias=DenseBias(numbers if positions.bias is None else numbers + positions.bias.numbers)
        )
    cap, sinks = arguments.others.get("softcap"), arguments.others.get("s_aux", getattr(call.module, "sinks", None))
    score = Dot(arguments.scaling) if cap is None else SoftCap(cap, arguments.scaling)
    return positions.pattern(
        query, key, arguments.value, score, Softmax() if sinks is None else Sink(sinks.reshape(-1))
    )


def score_pattern(call: LayerCall, scores: Tensor) -> Pattern:
    """A pattern of the scores themselves, which the layer has written out in full anyway."""
    query = scores.new_zeros(*scores.shape[:3], 0)
    key = scores.new_zeros(*scores.shape[:2], scores.shape[3], 0)
    return positions_of_call(call, query, scores.shape[3], scores).pattern(query, key, None, Dot(1.0))


def agrees(pattern: Pattern, weights: Tensor) -> bool:
    """Whether a pattern has the weights that a layer computed; rows that see nothing do not count."""
    batch, heads, queries, keys = pattern.shape
    sinks = int(isinstance(pattern.normaliser, Sink))
    beyond = weights[..., keys : weights.shape[3] - sinks]
    if weights.shape[:3] != (batch, heads, queries) or weights.shape[3] < keys + sinks or bool(beyond.any()):
        return False
    few = weights.numel() <= ALL_ROWS
    rows = range(queries) if few else sorted({round(i * (queries - 1) / (SOME_ROWS - 1)) for i in range(SOME_ROWS)})
    with torch.no_grad():
        pattern_rows, layer_rows = pattern[:, :, list(rows)], weights[:, :, list(rows)].detach()
        sees = pattern_rows.sum(-1, keepdim=True) > 0
        difference = torch.where(sees, (pattern_rows - layer_rows[..., :keys]).abs(), 0)
    limit = CLOSE.get(pattern.query.dtype if pattern.query.dtype == weights.dtype else weights.dtype, ROUNDED)
    return not difference.numel() or bool(difference.max() <= limit)


KnownPositions = tuple[Tensor, Tensor | None, int, tuple[int | bool | None, ...], CallPositions]
"""Of a mask: what goes with it, its version, what else they depend on, and the positions."""


def positions_of_call(call: LayerCall, query: Tensor, keys: int, mask: Tensor | None) -> CallPositions:
    """Where queries and keys stand and what they see; layers that are called alike with one mask share the answer."""
    attention_mask = tokens_of(call)
    key = (len(query), query.shape[2], keys, call.cached, call.first_query, call.first_key, call.is_cross)
    if mask is None:
        return compute_positions(call, query, keys, None, attention_mask)
    for known_mask, known_attention_mask, version, known_key, positions in running.positions:
        if (
            known_mask is mask
            and known_attention_mask is attention_mask
            and (version, known_key) == (mask._version, key)
        ):
            return positions
    positions = compute_positions(call, query, keys, mask, attention_mask)
    if positions.bias is None:
        running.positions.append((mask, attention_mask, mask._version, key, positions))
    return positions


def compute_positions(
    call: LayerCall, query: Tensor, keys: int, mask: Tensor | None, tokens: Tensor | None
) -> CallPositions:
    queries, first_key = query.shape[2], call.first_key
    total = call.first_query + queries
    if first_key is None:
        first_key = max(total - keys, 0) if call.cached else 0
    may_look, bias = read_mask(mask, keys)
    written = min(keys, total - first_key) if call.cached else keys
    if call.expected_keys is not None and keys not in (call.expected_keys, written):  # not what the cache spoke of
        return CallPositions(keys, smallest_mask(may_look), bias, 0, None, None)
    if may_look is not None and not bool(may_look[..., written:].any()):  # nobody sees the empty positions of a cache
        keys, may_look, bias = written, may_look[..., :written], crop(bias, written)
    rows = slice(call.first_query, call.first_query + queries)
    columns = slice(first_key, first_key + keys)
    lines = torch.arange(rows.start, rows.stop, device=query.device)[None] if call.is_cross else None
    if written < keys:  # vectors behind those of the tokens, which no token stands for
        beyond = torch.arange(columns.start, columns.stop, device=query.device)[None]
        beyond[:, written:] = -1
        return CallPositions(keys, smallest_mask(may_look), bias, first_key, lines, beyond)
    last_needed = max(columns.stop, 0 if call.is_cross else rows.stop)
    if tokens is None or len(tokens) not in (1, len(query)) or tokens.shape[1] < last_needed:
        return CallPositions(keys, smallest_mask(may_look), bias, first_key, lines, None)
    if not call.cached and tokens.shape[1] != keys:  # of another input than this layer's
        return CallPositions(keys, smallest_mask(may_look), bias, first_key, lines, None)
    padding = tokens[:, columns].to(query.device)
    if bool(tokens[:, : columns.stop].all()) or not hides(may_look, padding):
        return CallPositions(keys, smallest_mask(may_look), bias, first_key, lines, None)
    positions = torch.where(tokens, tokens.cumsum(-1) - 1, -1).to(query.device)
    if not call.is_cross:
        lines = positions[:, rows]
    visible = smallest_mask(may_look & padding[:, None, None]) if may_look is not None else None
    if not bool(padding.all()):
        visible = Padding(padding) if visible is None or is_padding(visible, padding) else visible & Padding(padding)
    return CallPositions(keys, visible, bias, first_key, lines, positions[:, columns] if first_key else None)


def read_mask(mask: Tensor | None, keys: int) -> tuple[Tensor | None, DenseBias | None]:
    """A mask of transformers as what may be seen, (batch or 1, heads or 1, queries or 1, keys), and what is added.

    Of a mask of numbers, the lowest there is forbids.
    """
    if mask is None:
        return None, None
    mask = mask[(None,) * (4 - mask.ndim)][..., :keys]
    if mask.dtype == torch.bool:
        return mask, None
    forbids = mask <= torch.finfo(mask.dtype).min / 2
    numbers = mask.masked_fill(forbids, 0)
    return ~forbids, DenseBias(numbers) if bool(numbers.any()) else None


def crop(bias: DenseBias | None, keys: int) -> DenseBias | None:
    return bias if bias is None else DenseBias(bias.numbers[..., :keys])


def smallest_mask(may_look: Tensor | None) -> DenseMask | None:
    """What may be seen, as a mask in its shortest form: rows that are all alike are one."""
    if may_look is None or bool(may_look.all()):
        return None
    alike = may_look.stride(2) == 0 or bool((may_look == may_look[:, :, :1]).all())
    return DenseMask(may_look[:, :, :1] if alike else may_look)


def is_padding(mask: DenseMask, padding: Tensor) -> bool:
    """Whether a mask hides padding and nothing else."""
    return mask.allowed.shape[1] == mask.allowed.shape[2] == 1 and bool((mask.allowed[:, 0, 0] == padding).all())


def blind_rows(mask: Tensor | None) -> Tensor | None:
    """Rows in which a mask of numbers forbids everything, (batch or 1, heads or 1, queries or 1, 1); None: there are
    none. A kernel weighs all keys alike there."""
    if mask is None or mask.dtype == torch.bool:
        return None
    blind = (mask <= torch.finfo(mask.dtype).min / 2).all(-1, keepdim=True)
    return blind[(None,) * (4 - blind.ndim)] if bool(blind.any()) else None


def hides(may_look: Tensor | None, padding: Tensor) -> bool:
    """Whether a mask hides what is said to be padding: a model may not heed what it was told."""
    if may_look is None:
        return bool(padding.all())
    return not bool((may_look.any(1).any(1) & ~padding).any())

"""How values are gathered: the fused kernel where it applies, blocks of queries where it does not.

The one file that knows torch's private operator, which hands out the log-sum-exp that the public one keeps.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from regard.attention.masks import Causal, Padding
from regard.attention.masks.padding import padding
from regard.attention.normalisers import RowStatistics, Softmax
from regard.attention.pattern import Pattern
from regard.attention.scores import Dot
from regard.attention.tiles import BUDGET, assemble, span
from regard.shapes import AttentionOutput

FLASH = 1  # torch.nn.attention.SDPBackend.FLASH_ATTENTION, whose import is slow

KernelResult = tuple[Tensor, RowStatistics | None]
"""What was gathered, and what the normaliser knows of each row if the kernel says."""


Run = Callable[[Pattern, float, bool], KernelResult]
"""How a pattern is gathered with: given it, a share of weights to drop, and whether to tell what is known of rows."""


def attention_output(pattern: Pattern, dropout: float = 0.0, run: Run | None = None) -> AttentionOutput:
    """The values, weighted by the pattern: (batch, heads, queries, value width)."""
    return output_and_statistics(pattern, dropout, run, tell=False)[0]


def output_and_statistics(
    pattern: Pattern, dropout: float = 0.0, run: Run | None = None, *, tell: bool = True
) -> tuple[AttentionOutput, Pattern]:
    """The same, and the pattern with what the kernel knows of it filled in. `run` is another way than `exact`."""
    run, hides = run or exact, padding(pattern.allowed)
    if hides is None:
        output, row_statistics = run(pattern, dropout, tell)
    elif pattern.query.device.type != "cpu" or torch.compiler.is_compiling():
        output, row_statistics = run(without_padding(pattern, hides), dropout, tell)
    else:
        # Zero times NaN is NaN, so what stands in a padded position must not matter: rare, and found afterwards.
        output, row_statistics = run(pattern, dropout, tell)
        if not is_finite(output) or (torch.is_grad_enabled() and not is_finite(pattern.key)):
            output, row_statistics = run(without_padding(pattern, hides), dropout, tell)
    for fixed in pattern.fixed:
        output = fixed.output_rows(output, pattern.values)
    if pattern.gate is not None:
        output = apply_gate(output, pattern.gate[:, :, None, None])
    return output, replace(pattern, row_statistics=row_statistics) if row_statistics else pattern


def apply_gate(output: Tensor, gate: Tensor) -> Tensor:
    """A head that is off gives zeros, whatever it gathered."""
    product = output * gate
    return product if gate.requires_grad else torch.where(gate == 0, 0, product)


def is_finite(tensor: Tensor) -> bool:
    """Whether there is no NaN or infinity; found by one sum, in a dtype that it cannot overflow by itself."""
    return math.isfinite(tensor.detach().sum(dtype=torch.promote_types(tensor.dtype, torch.float32)).item())


def without_padding(pattern: Pattern, hides: Padding) -> Pattern:
    """Zeros in the keys and values that nobody may see."""
    attention_mask = hides.attention_mask[:, None, :, None]
    key, value = torch.where(attention_mask, pattern.key, 0), torch.where(attention_mask, pattern.values, 0)
    return replace(pattern, key=key, value=value)


def exact(pattern: Pattern, dropout: float, tell: bool) -> KernelResult:
    """One kernel call if the kernel can say it all, else one per block of queries."""
    _, _, queries, keys = pattern.shape
    if 0 in pattern.shape:
        # No numbers are summed, yet all three get a gradient: of zeros.
        nothing = sum(part[..., :0].sum() for part in (pattern.query, pattern.key, pattern.values))
        return pattern.values.new_zeros(*pattern.query.shape[:3], pattern.values.shape[-1]) + nothing, None
    if fuses(pattern, dropout) and pattern.bias is None:
        allowed = pattern.allowed
        is_causal, rest = allowed.split(queries, keys) if allowed else (False, None)
        on_cpu = pattern.query.device.type == "cpu"
        if rest is None or (isinstance(rest, Padding) and (on_cpu or not is_causal)):
            mask = rest.attention_mask[:, None, None] if isinstance(rest, Padding) else None
            return fused(pattern, pattern.query, pattern.key, pattern.values, mask, is_causal, tell)
        if isinstance(rest, Causal) and 1 < queries < keys and queries * keys > BUDGET and not torch.is_grad_enabled():
            continued = later_rows(pattern)
            if continued is not None:
                return continued
    return blockwise(pattern, dropout, tell)


def later_rows(pattern: Pattern) -> KernelResult | None:
    """The last queries of a text that is read in pieces: all of them see the keys before them, which need no mask, and
    among themselves they are causal. Two kernel calls, put together by their log-sum-exps; None where one hides its."""
    _, _, queries, keys = pattern.shape
    outputs: list[Tensor] = []
    totals: list[Tensor] = []
    for columns, is_causal in ((slice(0, keys - queries), False), (slice(keys - queries, keys), True)):
        key, value = pattern.key[:, :, columns], pattern.values[:, :, columns]
        output, row_statistics = fused(pattern, pattern.query, key, value, None, is_causal, True)
        if row_statistics is None:
            return None
        outputs.append(output)
        totals.append(row_statistics[0])
    total = torch.logaddexp(*totals)
    early, own = ((each - total).exp_().to(output.dtype) for each, output in zip(totals, outputs, strict=True))
    return outputs[0] * early + outputs[1] * own, (total,)


def fuses(pattern: Pattern, dropout: float) -> bool:
    """Whether the weights are a softmax of dot products plus something that needs no gradient."""
    plain = isinstance(pattern.score, Dot) and type(pattern.normaliser) is Softmax and not dropout
    # Half precision has no room for a query times a sharpness; the explicit way works in float32.
    fits = pattern.inverse_temperature is None or pattern.query.dtype.itemsize >= 4
    return plain and fits and not (pattern.bias is not None and pattern.bias.learns and torch.is_grad_enabled())


def fused(
    pattern: Pattern,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    is_causal: bool,
    tell: bool,
) -> KernelResult:
    """The kernel itself. Widths are made equal and numbers adjacent, because torch takes others by way of N x N."""
    assert isinstance(pattern.score, Dot)
    scale = pattern.score.factor(key.shape[-1])
    if pattern.inverse_temperature is not None:
        query = query * pattern.inverse_temperature[:, None, None].to(query.dtype)
    wide, narrow = value.shape[-1], key.shape[-1]
    if wide < narrow:
        value = F.pad(value, (0, narrow - wide))
    elif wide > narrow:
        query, key = F.pad(query, (0, wide - narrow)), F.pad(key, (0, wide - narrow))
    kind = query.dtype
    if learns_in_half(query):
        query, key, value = query.float(), key.float(), value.float()
    query, key, value = contiguous(query), contiguous(key), contiguous(value)
    shares = query.shape[1] != key.shape[1]
    answer = kernel_call(query, key, value, mask, is_causal, scale, shares) if tell else None
    if answer is None:
        output = F.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, is_causal=is_causal, scale=scale, enable_gqa=shares
        )
        return output[..., :wide].to(kind), None
    output, row_statistics = answer
    return output[..., :wide].to(kind), row_statistics


def kernel_call(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    is_causal: bool,
    scale: float | None,
    shares: bool,
) -> tuple[Tensor, RowStatistics] | None:
    """What torch's own fused attention computes from these, to the bit, with the log-sum-exp; None where it would
    choose another kernel than the one that tells."""
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    learns = mask is not None and mask.requires_grad
    if learns or 0 in query.shape or not tells(query, key, value, mask, is_causal, scale, shares):
        return None
    if mask is not None and mask.dtype == torch.bool:
        mask = torch.zeros_like(mask, dtype=query.dtype).masked_fill_(~mask, -torch.inf)
    operator = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    output, logsumexp = operator(query, key, value, 0.0, is_causal, attn_mask=mask, scale=scale)
    return output, (logsumexp.detach()[..., None],)


def learns_in_half(query: Tensor) -> bool:
    """Whether torch would take a gradient in half precision on a processor: many times slower than in full."""
    return query.device.type == "cpu" and query.dtype.itemsize < 4 and torch.is_grad_enabled()


def contiguous(tensor: Tensor) -> Tensor:
    """The same numbers, those of each vector side by side in memory."""
    return tensor if tensor.stride(-1) == 1 else tensor.clone(memory_format=torch.contiguous_format)


def tells(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    is_causal: bool,
    scale: float,
    shares: bool,
) -> bool:
    """Whether the public function would choose the private operator, so that both give the same bits."""
    if query.device.type != "cpu" or not hasattr(torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu"):
        return False
    choice = torch.ops.aten._fused_sdp_choice(query, key, value, mask, 0.0, is_causal, scale=scale, enable_gqa=shares)
    return choice == FLASH


def blockwise(pattern: Pattern, dropout: float, tell: bool) -> KernelResult:
    """Queries in blocks, each with its own tile of bias and mask; recomputed backward, so that none is kept."""
    units = list(pattern.blocks())
    split = [*zip(units, split_pattern(pattern, units), strict=True)]
    several = len(units) > 1 or len(units[0][2]) > 1
    recompute = several and torch.is_grad_enabled()

    def answers(part: Pattern, lines: list[slice]):
        for query, rows in zip(part.query.split(lines[0].stop, 2), lines, strict=True):
            if recompute:
                yield checkpoint(
                    block,
                    part,
                    query,
                    rows,
                    dropout,
                    tell,
                    use_reentrant=False,
                    preserve_rng_state=dropout > 0,
                )
            else:
                yield block(part, query, rows, dropout, tell)

    output, *row_statistics = assemble(
        (members, heads, answers(part, lines)) for (members, heads, lines), part in split
    )
    return output, tuple(row_statistics) or None


def split_pattern(pattern: Pattern, units: list[tuple[slice, slice, list[slice]]]) -> list[Pattern]:
    """The pattern of every unit. Split, not sliced: the gradient is then put together once, not added up per unit."""
    (members, heads, _), shared = units[0], pattern.query.shape[1] // pattern.key.shape[1]
    kv_heads = max((heads.stop - heads.start) // shared, 1)
    times = max(shared // (heads.stop - heads.start), 1)  # blocks that share one group

    def cut(tensor: Tensor, size: int, repeat: int) -> list[Tensor]:
        return [
            piece
            for some in tensor.split(members.stop - members.start, 0)
            for piece in some.split(size, 1)
            for _ in range(repeat)
        ]

    queries = cut(pattern.query, heads.stop - heads.start, 1)
    keys, values = cut(pattern.key, kv_heads, times), cut(pattern.values, kv_heads, times)
    return [
        replace(pattern, query=query, key=key, value=value, **pattern.parts(batch, some))
        for query, key, value, (batch, some, _) in zip(queries, keys, values, units, strict=True)
    ]


def block(part: Pattern, query: Tensor, rows: slice, dropout: float, tell: bool) -> tuple[Tensor, ...]:
    """What a block of queries gathers, and what is known of its rows if somebody looks."""
    columns = span(part.allowed, rows, *part.shape[2:])
    key, value = part.key[:, :, columns], part.values[:, :, columns]
    row_statistics: RowStatistics | None = None
    if columns.start < columns.stop and fuses(part, dropout):
        output, row_statistics = fused(part, query, key, value, bias_and_mask(part, rows, columns), False, tell)
    else:
        output, scores = explicit(part, rows, columns, value, dropout)
        if tell:
            row_statistics = part.normaliser.row_statistics(scores.detach(), part.indices(rows, columns)[1])
    return output, *(row_statistics or ())


def explicit(part: Pattern, rows: slice, columns: slice, value: Tensor, dropout: float) -> tuple[Tensor, Tensor]:
    """The definition, for a block: scores, weights, weighted sum."""
    scores = part.scores(rows, columns)
    weights = part.focus(part.normaliser.whole(scores, part.indices(rows, columns)[1]), rows, columns)
    if value.shape[1] != weights.shape[1]:
        value = value.repeat_interleave(weights.shape[1] // value.shape[1], dim=1)
    return (F.dropout(weights, dropout) @ value.to(weights.dtype)).to(value.dtype), scores


def bias_and_mask(part: Pattern, rows: slice, columns: slice) -> Tensor | None:
    """Bias and mask of a block as one tensor that the kernel adds to the scores."""
    row_places, column_places = part.indices(rows, columns)
    numbers = None
    if part.bias is not None:
        numbers = part.bias.tile(row_places, column_places)
        if part.inverse_temperature is not None:
            numbers = numbers * part.inverse_temperature[:, None, None]
        numbers = numbers.to(torch.promote_types(part.query.dtype, torch.float32))  # a far position is a large number
    allowed = part.allowed
    if allowed is None:
        return numbers
    tile = allowed.tile(row_places, column_places)
    return tile if numbers is None else numbers.masked_fill(~tile, -torch.inf)

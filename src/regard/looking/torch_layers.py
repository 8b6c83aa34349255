"""torch.nn's own attention, opened up so that it can be looked at.

While a tap is on such a layer, its forward pass goes through attend(); the layer itself is not changed.
"""

from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import BaseTorchFunctionMode

from regard.attention import Bias, DenseBias, DenseMask, Mask, Padding
from regard.attention.kernels import output_and_statistics
from regard.attention.pattern import Pattern
from regard.attention.taps import Taps, active_taps, edits
from regard.errors import ShapeError

FAST = (nn.TransformerEncoder, nn.TransformerEncoderLayer)
"""What has a closed fast path, in which no layer is called that could be looked at."""
FOREIGN = (nn.MultiheadAttention, nn.TransformerDecoderLayer, *FAST)


def open_up(module: nn.Module) -> None:
    """Make room for taps; a second time does nothing."""
    if "taps" in vars(module):
        return
    vars(module)["taps"] = ()
    vars(module)["forward"] = partial(forward if isinstance(module, nn.MultiheadAttention) else around, module)


def close(module: nn.Module) -> None:
    """Leave the layer as it was."""
    del vars(module)["forward"], vars(module)["taps"]


def taps_of(module: nn.Module) -> Taps:
    """The taps at work; another thread may just have closed the layer."""
    return active_taps(vars(module).get("taps", ()))


def around(module: nn.Module, *args: object, **kwargs: object) -> Tensor:
    """What a block or an encoder computes, layer by layer while somebody looks here.

    A function mode, even an idle one, keeps torch.nn from its fast path, and does so in this thread alone.
    """
    if not (taps := taps_of(module)):
        return type(module).forward(module, *args, **kwargs)
    with BaseTorchFunctionMode():
        x = type(module).forward(module, *args, **kwargs)
    if not isinstance(module, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
        return x
    stream = x[None] if x.ndim == 2 else x if module.self_attn.batch_first else x.transpose(0, 1)
    for tap in taps:
        tap.block_output(stream)
    return x


def forward(
    layer: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """What nn.MultiheadAttention computes, through attend() while somebody looks here."""
    torch_forward = partial(
        type(layer).forward,
        layer,
        query,
        key,
        value,
        key_padding_mask,
        need_weights,
        attn_mask,
        average_attn_weights,
        is_causal,
    )
    if not (taps := taps_of(layer)):
        return torch_forward()
    if is_causal and attn_mask is None:
        raise ShapeError("is_causal only says of what kind attn_mask is: a mask expected, got none")
    single = query.ndim == 2
    ordered = [x[None] if single else x if layer.batch_first else x.transpose(0, 1) for x in (query, key, value)]
    if single and key_padding_mask is not None:
        key_padding_mask = key_padding_mask[None]
    heads = [autocast(x) for x in project_heads(layer, *ordered)]
    mask, bias = read_masks(layer, attn_mask, key_padding_mask, heads[1].shape[2])
    pattern = edited = Pattern(heads[0], heads[1], bias=bias, mask=mask, value=heads[2])
    for tap in taps:
        edited = tap.edit(edited)
    edits_nothing = edited is pattern
    if edits_nothing:  # the bits are those of torch, whichever path it takes
        for tap in taps:
            tap.see(pattern)
        if "_regard_sites" not in vars(layer.out_proj):
            return torch_forward()
    with torch.autocast(query.device.type, enabled=False):
        gathered, edited = output_and_statistics(edited, layer.dropout if layer.training else 0.0)
    for tap in () if edits_nothing else taps:
        tap.see(edited)
    joined = gathered.transpose(1, 2).flatten(2)
    output = layer.out_proj(joined if layer.batch_first else joined.transpose(0, 1))
    if edits_nothing and not any(map(edits, taps)):
        return torch_forward()
    output = output if layer.batch_first else output.transpose(0, 1)
    weights = edited.weights() if need_weights else None
    if weights is not None and average_attn_weights:
        weights = weights.mean(1)
    if single:
        return output[0], None if weights is None else weights[0]
    return output if layer.batch_first else output.transpose(0, 1), weights


def project_heads(layer: nn.MultiheadAttention, *sources: Tensor) -> list[Tensor]:
    """Queries, keys and values in heads, with the extra keys that the layer may be set to add."""
    if layer._qkv_same_embed_dim:
        matrices = layer.in_proj_weight.chunk(3)
    else:
        matrices = (layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight)
    biases = layer.in_proj_bias.chunk(3) if layer.in_proj_bias is not None else (None,) * 3
    query, key, value = (F.linear(x, m, b) for x, m, b in zip(sources, matrices, biases, strict=True))
    if layer.bias_k is not None and layer.bias_v is not None:
        key = torch.cat([key, layer.bias_k.expand(len(key), 1, -1)], 1)
        value = torch.cat([value, layer.bias_v.expand(len(value), 1, -1)], 1)
    if layer.add_zero_attn:
        key, value = F.pad(key, (0, 0, 0, 1)), F.pad(value, (0, 0, 0, 1))
    return [x.unflatten(-1, (layer.num_heads, -1)).transpose(1, 2) for x in (query, key, value)]


def autocast(x: Tensor) -> Tensor:
    """A tensor as a kernel gets it under autocast."""
    kind = x.device.type
    return x.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else x


def read_masks(
    layer: nn.MultiheadAttention, attn_mask: Tensor | None, key_padding_mask: Tensor | None, keys: int
) -> tuple[Mask | None, Bias | None]:
    """torch.nn's masks, in which True forbids and floats are added, as ours. Keys that the layer added are free."""
    mask: Mask | None = None
    numbers: Tensor | None = None
    if attn_mask is not None:
        attn_mask = F.pad(attn_mask, (0, keys - attn_mask.shape[-1]))
        if attn_mask.ndim == 3:  # (batch x heads, queries, keys)
            attn_mask = attn_mask.unflatten(0, (-1, layer.num_heads))
        if attn_mask.dtype == torch.bool:
            mask = DenseMask(~attn_mask)
        else:
            numbers = attn_mask if attn_mask.ndim == 4 else attn_mask[None, None]
    if key_padding_mask is not None:
        key_padding_mask = F.pad(key_padding_mask, (0, keys - key_padding_mask.shape[-1]))
        if key_padding_mask.dtype == torch.bool:
            padding = Padding(~key_padding_mask)
            mask = mask & padding if mask else padding
        else:
            added = key_padding_mask[:, None, None]
            numbers = added if numbers is None else numbers + added
    return mask, None if numbers is None else DenseBias(numbers)

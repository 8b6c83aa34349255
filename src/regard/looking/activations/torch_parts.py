"""The parts of torch.nn's transformer layers."""

from torch import nn

from regard.looking.activations.parts import Access, BlockParts, ModelParts, StackParts, Sublayer, SublayerKind

BLOCKS = nn.TransformerEncoderLayer | nn.TransformerDecoderLayer


def torch_parts(model: nn.Module, blocks: dict[str, nn.Module]) -> ModelParts:
    """`blocks` are those of the model, by name."""
    known = {name: block_parts(block) for name, block in blocks.items() if isinstance(block, BLOCKS)}
    first = next(block for block in blocks.values() if isinstance(block, BLOCKS))
    stacks = {
        name.rpartition(".")[2]: StackParts(module, final_norm=module.norm)
        for name, module in model.named_modules()
        if isinstance(module, nn.TransformerEncoder | nn.TransformerDecoder)
    }
    return ModelParts(first.self_attn.embed_dim, known, stacks, batch_first=first.self_attn.batch_first)


def block_parts(block: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer) -> BlockParts:
    is_decoder = isinstance(block, nn.TransformerDecoderLayer)
    norms = [block.norm1, block.norm2, *([block.norm3] if is_decoder else [])]
    sublayers = [attention(block, "self", block.self_attn, norms[0])]
    if isinstance(block, nn.TransformerDecoderLayer):
        sublayers.append(attention(block, "cross", block.multihead_attn, norms[1]))
    after = None if block.norm_first else norms[-1]
    sublayers.append(
        Sublayer(
            "feed_forward",
            Access(block.linear1, "input"),
            Access(block.linear2, "input"),
            block.linear2,
            Access(block.linear2, "output"),
            norm_after=after,
            stream=None if after is None else Access(after, "output"),
            width=block.linear2.in_features,
        )
    )
    return BlockParts(block, tuple(sublayers))


def attention(
    block: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer,
    kind: SublayerKind,
    layer: nn.MultiheadAttention,
    norm: nn.Module,
) -> Sublayer:
    after = None if block.norm_first else norm
    return Sublayer(
        kind,
        Access(layer, "input"),
        Access(layer.out_proj, "input"),
        layer.out_proj,
        Access(layer, "output"),
        norm_after=after,
        stream=None if after is None else Access(after, "output"),
        heads=layer.num_heads,
        head_width=layer.head_dim,
        query_width=layer.head_dim,
        kv_heads=layer.num_heads,
        layer=layer,
    )

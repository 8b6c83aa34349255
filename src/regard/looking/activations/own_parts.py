"""The parts of regard's own models, and of modules built of its blocks."""

from torch import nn

from regard.layers import ClassificationHead, MultiHead, Output, TransformerBlock
from regard.looking.activations.parts import Access, BlockParts, ModelParts, StackParts, Sublayer, SublayerKind
from regard.models.embedded_stack import EmbeddedStack


def own_parts(model: nn.Module, blocks: dict[str, nn.Module]) -> ModelParts:
    """`blocks` are those of the model, by name."""
    known = {name: block_parts(block) for name, block in blocks.items() if isinstance(block, TransformerBlock)}
    width = next((block.self.width for block in blocks.values() if isinstance(block, TransformerBlock)), 0)
    stacks = {
        name.rpartition(".")[2]: StackParts(module, module.embedding.table, module.stack.norm)
        for name, module in model.named_modules()
        if isinstance(module, EmbeddedStack)
    }
    output = next((module for module in model.children() if isinstance(module, Output | ClassificationHead)), None)
    logits = None if output is None else Access(output, "output")
    return ModelParts(width, known, stacks, logits, len(output.weight) if isinstance(output, Output) else 0)


def block_parts(block: TransformerBlock) -> BlockParts:
    sublayers = [attention(block, "self", block.self, block.self_norm)]
    if block.cross is not None:
        sublayers.append(attention(block, "cross", block.cross, block.cross_norm))
    if block.feed_forward is not None:
        after = None if block.pre_norm else block.feed_forward_norm
        feed_forward = block.feed_forward
        sublayers.append(
            Sublayer(
                "feed_forward",
                Access(feed_forward, "input"),
                Access(feed_forward.narrow, "input"),
                feed_forward.narrow,
                Access(feed_forward, "output"),
                norm_after=after,
                stream=None if after is None else Access(after, "output"),
                width=feed_forward.narrow.in_features,
            )
        )
    return BlockParts(block, tuple(sublayers))


def attention(block: TransformerBlock, kind: SublayerKind, layer: MultiHead, norm: nn.Module | None) -> Sublayer:
    after = None if block.pre_norm else norm
    return Sublayer(
        kind,
        Access(layer, "input"),
        Access(layer.output, "input"),
        layer.output,
        Access(layer, "output"),
        norm_after=after,
        stream=None if after is None else Access(after, "output"),
        heads=len(layer.split.remaining_heads),
        head_width=layer.split.value_width,
        query_width=layer.split.width,
        kv_heads=len(layer.split.remaining_heads if layer.kv_head_of is not None else layer.split.remaining_kv_heads),
        layer=layer,
    )

"""The parts of regard's own models, and of modules built of its blocks."""

from dataclasses import dataclass

from torch import nn

from regard.layers import ClassificationHead, FeedForward, MixtureOfExperts, MultiHead, Output, TransformerBlock
from regard.looking.activations.parts import Access, BlockParts, ModelParts, StackParts, Sublayer, SublayerKind
from regard.models.embedded_stack import EmbeddedStack
from regard.models.speech import FeatureStack


def own_parts(model: nn.Module, blocks: dict[str, nn.Module]) -> ModelParts:
    """`blocks` are those of the model, by name."""
    known = {name: block_parts(block) for name, block in blocks.items() if isinstance(block, TransformerBlock)}
    width = next((block.self.width for block in blocks.values() if isinstance(block, TransformerBlock)), 0)
    stacks = {
        name.rpartition(".")[2]: StackParts(module, embedding_of(module), module.stack.norm)
        for name, module in model.named_modules()
        if isinstance(module, EmbeddedStack | FeatureStack)
    }
    output = next((module for module in model.children() if isinstance(module, Output | ClassificationHead)), None)
    logits = None if output is None else Access(output, "output")
    return ModelParts(width, known, stacks, logits, len(output.weight) if isinstance(output, Output) else 0)


def embedding_of(stack: EmbeddedStack | FeatureStack) -> nn.Module:
    """What makes vectors of what a stack reads, before positions are added."""
    return stack.embedding.table if isinstance(stack, EmbeddedStack) else stack.embedding


def block_parts(block: TransformerBlock) -> BlockParts:
    sublayers = [attention(block, "self", block.self)]
    if block.cross is not None:
        sublayers.append(attention(block, "cross", block.cross))
    if block.feed_forward is not None:
        sublayers.append(feed_forward(block, block.feed_forward))
    return BlockParts(block, tuple(sublayers), block.is_parallel)


@dataclass(frozen=True)
class NormsOfSublayer:
    """Which norm comes after the sum, and which one after what is added, before it is."""

    after: nn.Module | None
    of_write: nn.Module | None

    @classmethod
    def of(cls, block: TransformerBlock, kind: SublayerKind) -> "NormsOfSublayer":
        norm, output_norm = getattr(block, f"{kind}_norm"), getattr(block, f"{kind}_output_norm")
        if block.pre_norm:
            return cls(None, output_norm)
        return cls(None, norm) if block.output_norm else cls(norm, None)

    @property
    def stream(self) -> Access | None:
        return None if self.after is None else Access(self.after, "output")

    def writes(self, module: nn.Module) -> Access:
        return Access(self.of_write or module, "output")


def feed_forward(block: TransformerBlock, module: FeedForward | MixtureOfExperts) -> Sublayer:
    norms = NormsOfSublayer.of(block, "feed_forward")
    narrow = module.narrow if isinstance(module, FeedForward) else None  # experts have one each
    return Sublayer(
        "feed_forward",
        Access(module, "input"),
        None if narrow is None else Access(narrow, "input"),
        narrow or module,
        norms.writes(module),
        norm_after=norms.after,
        stream=norms.stream,
        norm_of_write=norms.of_write,
        width=0 if narrow is None else narrow.in_features,
    )


def attention(block: TransformerBlock, kind: SublayerKind, layer: MultiHead) -> Sublayer:
    norms = NormsOfSublayer.of(block, kind)
    return Sublayer(
        kind,
        Access(layer, "input"),
        Access(layer.output, "input"),
        layer.output,
        norms.writes(layer),
        norm_after=norms.after,
        stream=norms.stream,
        norm_of_write=norms.of_write,
        heads=len(layer.split.remaining_heads),
        head_width=layer.split.value_width,
        query_width=layer.split.width,
        kv_heads=len(layer.split.remaining_heads if layer.kv_head_of is not None else layer.split.remaining_kv_heads),
        layer=layer,
    )

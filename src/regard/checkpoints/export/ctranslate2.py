"""CTranslate2: model.bin and vocabularies, written with its own specification of a Transformer."""

from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor, nn

from regard.checkpoints.export.export_source import ExportSource
from regard.errors import lookup
from regard.layers import FeedForward, MultiHead, TransformerBlock
from regard.models import EmbeddedStackConfig
from regard.models.embedded_stack import EmbeddedStack
from regard.text import Tokenizer

ACTIVATIONS = {"relu": "RELU", "gelu": "GELU", "gelu-tanh": "GELUTanh", "silu": "SWISH", "tanh": "Tanh"}


def write(source: ExportSource, folder: Path) -> None:
    from ctranslate2.specs import transformer_spec

    model, config = source.model, source.model.config
    assert model.output is not None
    spec: Any = transformer_spec.TransformerSpec(
        transformer_spec.TransformerEncoderSpec(*sizes(config.encoder), **stack_options(config.encoder)),
        transformer_spec.TransformerDecoderSpec(*sizes(config.decoder), **stack_options(config.decoder)),
    )
    fill_stack(spec.encoder, model.encoder, source)
    fill_stack(spec.decoder, model.decoder, source)
    spec.decoder.projection.weight = numbers(model.output.weight)
    if (bias := source.output_bias()) is not None:
        spec.decoder.projection.bias = numbers(bias)
    tokenizer, target = source.tokenizer, source.tokenizer.target
    spec.register_source_vocabulary(token_names(tokenizer, config.encoder.embedding.vocabulary))
    spec.register_target_vocabulary(token_names(target, config.decoder.embedding.vocabulary))
    end = target.token(source.token_id("eos_token_id"))
    spec.config.bos_token = spec.config.eos_token = end
    spec.config.unk_token = end if target.specials.unk is None else target.token(target.specials.unk)
    spec.config.decoder_start_token = target.token(source.token_id("decoder_start_token_id"))
    spec.config.layer_norm_epsilon = config.decoder.stack.norm.epsilon
    spec.validate()
    spec.optimize()
    spec.save(str(folder))


def token_names(tokenizer: Tokenizer, count: int) -> list[str]:
    """The vocabulary in the order of its numbers."""
    return [tokenizer.token(number) for number in range(count)]


def sizes(side: EmbeddedStackConfig) -> tuple[int, int]:
    """Layers and heads."""
    return side.stack.layers, side.stack.attention.heads


def stack_options(side: EmbeddedStackConfig) -> dict[str, Any]:
    from ctranslate2.specs import common_spec

    activation = lookup(ACTIVATIONS, side.stack.feed_forward.activation, "activation of CTranslate2")
    return {
        "pre_norm": side.stack.pre_norm,
        "no_final_norm": not side.stack.final_norm,
        "activation": common_spec.Activation[activation],
        "layernorm_embedding": side.embedding.norm,
    }


def fill_stack(spec: Any, side: EmbeddedStack, source: ExportSource) -> None:
    words = spec.embeddings[0] if isinstance(spec.embeddings, list) else spec.embeddings
    words.weight = numbers(side.embedding.table.weight)
    spec.scale_embeddings = side.embedding.scale
    spec.position_encodings.encodings = numbers(source.position_table(side))
    if side.embedding.norm is not None:
        fill_norm(spec.layernorm_embedding, side.embedding.norm)
    if side.stack.norm is not None:
        fill_norm(spec.layer_norm, side.stack.norm)
    for layer, block in zip(spec.layer, side.stack.blocks, strict=True):
        assert isinstance(block, TransformerBlock)
        fill_block(layer, block)


def fill_block(spec: Any, block: TransformerBlock) -> None:
    fill_attention(spec.self_attention, block.self, block.self.qkv)
    fill_norm(spec.self_attention.layer_norm, block.self_norm)
    if block.cross is not None:
        fill_attention(spec.attention, block.cross, block.cross.query, block.cross.kv)
        fill_norm(spec.attention.layer_norm, block.cross_norm)
    assert isinstance(block.feed_forward, FeedForward)
    fill_linear(spec.ffn.linear_0, block.feed_forward.widen)
    fill_linear(spec.ffn.linear_1, block.feed_forward.narrow)
    fill_norm(spec.ffn.layer_norm, block.feed_forward_norm)


def fill_attention(spec: Any, attention: MultiHead, *projections: nn.Linear) -> None:
    """Attention: queries, keys and values are joined there as they are here."""
    for part, layer in zip(spec.linear, (*projections, attention.output), strict=True):
        fill_linear(part, layer)


def fill_linear(spec: Any, layer: nn.Linear) -> None:
    spec.weight, spec.bias = numbers(layer.weight), numbers(layer.bias)


def fill_norm(spec: Any, norm: nn.Module | None) -> None:
    assert isinstance(norm, nn.LayerNorm)
    spec.gamma, spec.beta = numbers(norm.weight), numbers(norm.bias)


def numbers(tensor: Tensor) -> np.ndarray:
    return tensor.detach().numpy()

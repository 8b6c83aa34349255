"""The first GPT: Radford et al. 2018. Its norms stand after the layers, and there is none at the end."""

from typing import Any

from regard.checkpoints.hub import gpt2
from regard.checkpoints.hub.family import Family
from regard.checkpoints.options import Options
from regard.checkpoints.tensor_names import TensorNames, tensor_name
from regard.config import (
    AttentionConfig,
    DecoderConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    NormConfig,
    PositionConfig,
    StackConfig,
)

ARCHITECTURES = ("OpenAIGPTModel", "OpenAIGPTLMHeadModel", "OpenAIGPTForSequenceClassification")
ACTIVATIONS = {"gelu": "gelu-tanh", "relu": "relu", "silu": "silu", "swish": "silu"}


def read(options: Options, architecture: str) -> DecoderConfig:
    width = options.get("n_embd", 768)
    stack = StackConfig(
        layers=options.get("n_layer", 12),
        width=width,
        attention=AttentionConfig(options.get("n_head", 12), dropout=options.get("attn_pdrop", 0.1)),
        feed_forward=FeedForwardConfig(4 * width, options.one_of("afn", ACTIVATIONS, "gelu")),
        norm=NormConfig("layer", options.get("layer_norm_epsilon", 1e-5)),
        pre_norm=False,
        final_norm=False,
        dropout=options.get("resid_pdrop", 0.1),
    )
    options.only("predict_special_tokens", True)
    words = EmbeddingConfig(options.get("vocab_size", 40478), dropout=options.get("embd_pdrop", 0.1))
    length = options.get("n_positions", 512)
    position = PositionConfig("learned", {"length": length, "width": width})
    return DecoderConfig(EmbeddedStackConfig(words, stack, position), **gpt2.heads_config(options, architecture))


def write(config: DecoderConfig, architecture: str) -> dict[str, Any]:
    activation = config.decoder.stack.feed_forward.activation
    afn = next(key for key, name in ACTIVATIONS.items() if name == activation)
    return {"model_type": "openai-gpt", **gpt2.sizes(config), "afn": afn}


def names(config: DecoderConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "OpenAIGPTModel" else "transformer."
    rows = [
        tensor_name("decoder.embedding.table.weight", f"{root}tokens_embed.weight"),
        tensor_name("decoder.position.table.weight", f"{root}positions_embed.weight"),
        *gpt2.blocks(config.decoder.stack, root),
        *gpt2.heads(config),
    ]
    copies = {"lm_head.weight": f"{root}tokens_embed.weight"} if config.output and config.output.tied else {}
    spare = [f"{root}position_ids", *gpt2.masks(config.decoder.stack, root)]
    return TensorNames.of(rows, copies, spare=spare, root=root)


FAMILY = Family(("openai-gpt",), ARCHITECTURES, read, write, names)

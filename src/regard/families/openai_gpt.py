"""The first GPT: Radford et al. 2018. Its norms stand after the layers, and there is none at the end."""

from dataclasses import replace

from regard.config import DecoderConfig
from regard.config.ranges import EPSILON
from regard.families import gpt2
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import example_sizes
from regard.families.tensor_names import TensorNames, tensor_name

ARCHITECTURES = ("OpenAIGPTModel", "OpenAIGPTLMHeadModel", "OpenAIGPTForSequenceClassification")
ACTIVATIONS = {"gelu": "gelu-tanh", "relu": "relu", "silu": "silu", "swish": "silu"}


def read(options: Options, architecture: str) -> DecoderConfig:
    sizes = gpt2.sizes_of(options, options.activation("afn", "gelu", ACTIVATIONS), 40478, 512)
    options.only("predict_special_tokens", True)
    side = gpt2.side(sizes, options.number("layer_norm_epsilon", 1e-5, EPSILON), pre_norm=False)
    return DecoderConfig(side, **gpt2.heads_config(options, architecture))


def write(config: DecoderConfig, architecture: str) -> dict[str, object]:
    activation = config.decoder.stack.feed_forward.activation
    afn = next(key for key, name in ACTIVATIONS.items() if name == activation)
    return {"model_type": "openai-gpt", **gpt2.size_entries(config), "afn": afn}


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


def example() -> ExampleModel:
    config = DecoderConfig(gpt2.side(replace(example_sizes("gelu-tanh"), feed_forward_width=96), pre_norm=False))
    return ExampleModel(config, "OpenAIGPTLMHeadModel", {"model_type": "openai-gpt"})


FAMILY = Family("openai-gpt", ARCHITECTURES, read, write, names, example)

"""OLMo 2: Walsh et al. 2025. Llama's, with norms of what each part puts out, and of all queries and all keys."""

from dataclasses import replace
from functools import partial

from regard.config import AttentionConfig, DecoderConfig, NormConfig, OutputConfig, PositionConfig
from regard.config.ranges import EPSILON
from regard.families import llama
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import example_sizes

ARCHITECTURES = ("Olmo2Model", "Olmo2ForCausalLM", "Olmo2ForSequenceClassification")
DEFAULTS: dict[str, object] = {"vocab_size": 50304, "intermediate_size": 11008}
NORMS = {"self_norm": "post_attention_layernorm", "feed_forward_norm": "post_feedforward_layernorm"}


def read(options: Options, architecture: str) -> DecoderConfig:
    options.presume(DEFAULTS)
    attention = llama.attention_of(options, options.flag("attention_bias", False))
    norm = NormConfig("rms", options.number("rms_norm_eps", 1e-5, EPSILON))
    config = reordered(attention, llama.rotary(options, attention.head_width or 0), norm, options)
    return replace(config, **llama.heads_config(options, architecture))


def reordered(
    attention: AttentionConfig, position: PositionConfig, norm: NormConfig, options: Options | None = None
) -> DecoderConfig:
    """A Llama whose parts read the stream as it is; without options, a small one."""
    small = replace(example_sizes("silu"), dropout=0.0, attention_dropout=0.0, embedding_dropout=0.0)
    sizes = small if options is None else llama.sizes_of(options)
    body = llama.side(sizes, position, replace(attention, qk_norm="all"), norm)
    stack = replace(body.stack, pre_norm=False, output_norm=True)
    return DecoderConfig(replace(body, stack=stack), OutputConfig(tied=False))


def example() -> ExampleModel:
    position = PositionConfig("rotary", {"head_width": 6, "base": llama.BASE, "pairing": "halves"})
    config = reordered(AttentionConfig(4, kv_heads=2, bias=False), position, NormConfig("rms", 1e-5))
    return ExampleModel(config, "Olmo2ForCausalLM", {"model_type": "olmo2"})


def write(config: DecoderConfig, architecture: str) -> dict[str, object]:
    bias = config.decoder.stack.attention.bias
    return {"model_type": "olmo2"} | llama.config_entries(config) | {"attention_bias": bias}


FAMILY = Family("olmo2", ARCHITECTURES, read, write, partial(llama.names, norms=NORMS), example)

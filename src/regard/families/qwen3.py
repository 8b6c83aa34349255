"""Qwen 3: Yang et al. 2025. Llama's, with a norm of the queries and keys of each head."""

from dataclasses import replace

from regard.config import AttentionConfig, DecoderConfig, NormConfig, OutputConfig, PositionConfig, StackConfig
from regard.config.ranges import EPSILON, POSITIONS, STACK_LAYERS
from regard.families import llama
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import example_sizes

ARCHITECTURES = ("Qwen3Model", "Qwen3ForCausalLM", "Qwen3ForSequenceClassification")
DEFAULTS: dict[str, object] = {
    "vocab_size": 151936, "num_key_value_heads": 32, "head_dim": 128, "max_position_embeddings": 32768,
    "intermediate_size": 22016,
}  # fmt: skip
LOCAL, GLOBAL = "sliding_attention", "full_attention"


def read(options: Options, architecture: str) -> DecoderConfig:
    options.presume(DEFAULTS)
    attention = replace(llama.attention_of(options, options.flag("attention_bias", False)), qk_norm="head")
    norm = NormConfig("rms", options.number("rms_norm_eps", 1e-6, EPSILON))
    body = llama.side(llama.sizes_of(options), llama.rotary(options, attention.head_width or 0), attention, norm)
    layers = body.stack.layers
    slides = options.flag("use_sliding_window", False)
    width = options.integer_or_none("sliding_window", 4096, POSITIONS)
    near = options.integer("max_window_layers", 28, STACK_LAYERS)
    first = near if slides and width is not None else layers
    usual = [GLOBAL if layer < first else LOCAL for layer in range(layers)]
    window, global_layers = windows(options, usual, width if slides else None)
    stack = replace(body.stack, window=window, global_layers=global_layers)
    return DecoderConfig(replace(body, stack=stack), **llama.heads_config(options, architecture))


def windows(options: Options, usual: list[str], window: int | None) -> tuple[int | None, list[int]]:
    """The window of those layers that have one, and the layers that have none, as `layer_types` says or as is usual."""
    kinds = options.list("layer_types") or usual
    if len(kinds) != len(usual) or not {*kinds} <= {LOCAL, GLOBAL} or (window is None and LOCAL in kinds):
        options.refuse("layer_types", f"{len(usual)} times {GLOBAL} or {LOCAL}, the latter with a window")
    global_layers = [layer for layer, kind in enumerate(kinds) if kind == GLOBAL]
    return (None, []) if len(global_layers) == len(kinds) else (window, global_layers)


def layer_types(stack: StackConfig) -> list[str]:
    """What `windows` reads."""
    has_window = [stack.window is not None and layer not in stack.global_layers for layer in range(stack.layers)]
    return [LOCAL if local else GLOBAL for local in has_window]


def example() -> ExampleModel:
    sizes = replace(example_sizes("silu"), dropout=0.0, attention_dropout=0.0, embedding_dropout=0.0)
    position = PositionConfig("rotary", {"head_width": 8, "base": llama.BASE, "pairing": "halves"})
    body = llama.side(sizes, position, AttentionConfig(4, 8, kv_heads=2, bias=False, qk_norm="head"))
    return ExampleModel(DecoderConfig(body, OutputConfig(tied=False)), "Qwen3ForCausalLM", {"model_type": "qwen3"})


def write(config: DecoderConfig, architecture: str) -> dict[str, object]:
    stack = config.decoder.stack
    return (
        {"model_type": "qwen3"}
        | llama.config_entries(config)
        | {
            "attention_bias": stack.attention.bias,
            "use_sliding_window": stack.window is not None,
            "sliding_window": stack.window,
            "layer_types": layer_types(stack),
        }
    )


FAMILY = Family("qwen3", ARCHITECTURES, read, write, llama.names, example)

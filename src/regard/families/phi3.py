"""Phi-3: Abdin et al. 2024. Llama's, its projections in one matrix each; Phi-4-mini turns a part of each head."""

from dataclasses import replace

from regard.config import AttentionConfig, DecoderConfig, NormConfig, OutputConfig, PositionConfig, StackConfig
from regard.config.ranges import EPSILON, POSITIONS, SHARE
from regard.families import llama
from regard.families.family import ExampleModel, Family
from regard.families.gpt2 import heads
from regard.families.options import Options
from regard.families.sizes import example_sizes
from regard.families.tensor_names import TensorName, TensorNames, tensor_name

ARCHITECTURES = ("Phi3Model", "Phi3ForCausalLM", "Phi3ForSequenceClassification")
DEFAULTS: dict[str, object] = {
    "vocab_size": 32064, "hidden_size": 3072, "intermediate_size": 8192, "max_position_embeddings": 4096,
}  # fmt: skip


def read(options: Options, architecture: str) -> DecoderConfig:
    options.presume(DEFAULTS)
    options.only("attention_bias", False)
    options.ignore("auto_map")  # which names code that transformers has had itself since; none is run
    options.ignore("original_max_position_embeddings")  # which a longrope alone asks for, and that is refused
    attention = llama.attention_of(options, bias=False)
    sizes = replace(
        llama.sizes_of(options),
        dropout=options.number("resid_pdrop", 0.0, SHARE),
        embedding_dropout=options.number("embd_pdrop", 0.0, SHARE),
    )
    share = options.number("partial_rotary_factor", 1.0, SHARE)
    body = llama.side(
        sizes,
        llama.rotary(options, attention.head_width or 0, share, ("default",)),
        attention,
        NormConfig("rms", options.number("rms_norm_eps", 1e-5, EPSILON)),
        window=options.integer_or_none("sliding_window", None, POSITIONS),
    )
    return DecoderConfig(body, **llama.heads_config(options, architecture))


def example() -> ExampleModel:
    sizes = replace(example_sizes("silu"), dropout=0.0, attention_dropout=0.0, embedding_dropout=0.0)
    position = PositionConfig("rotary", {"head_width": 6, "base": llama.BASE, "pairing": "halves", "rotary_width": 4})
    body = llama.side(sizes, position, AttentionConfig(4, kv_heads=2, bias=False), NormConfig("rms", 1e-5), window=3)
    return ExampleModel(DecoderConfig(body, OutputConfig(tied=False)), "Phi3ForCausalLM", {"model_type": "phi3"})


def write(config: DecoderConfig, architecture: str) -> dict[str, object]:
    side, stack = config.decoder, config.decoder.stack
    rope = {"partial_rotary_factor": 1.0} | llama.rope(side.position.settings)
    return (
        {"model_type": "phi3"}
        | llama.config_entries(config)
        | {
            "rope_parameters": rope,
            "partial_rotary_factor": rope["partial_rotary_factor"],
            "resid_pdrop": stack.dropout,
            "embd_pdrop": side.embedding.dropout,
            "sliding_window": stack.window,
        }
    )


def names(config: DecoderConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "Phi3Model" else "model."
    rows = [
        tensor_name("decoder.embedding.table.weight", f"{root}embed_tokens.weight"),
        tensor_name("decoder.stack.norm.weight", f"{root}norm.weight"),
        *blocks(config.decoder.stack, root),
        *heads(config),
    ]
    copies = {"lm_head.weight": f"{root}embed_tokens.weight"} if config.output and config.output.tied else {}
    return TensorNames.of(rows, copies, root=root)


def blocks(config: StackConfig, root: str) -> list[TensorName]:
    parts = {
        "self.qkv": "self_attn.qkv_proj",
        "self.output": "self_attn.o_proj",
        "self_norm": "input_layernorm",
        "feed_forward.widen": "mlp.gate_up_proj",
        "feed_forward.narrow": "mlp.down_proj",
        "feed_forward_norm": "post_attention_layernorm",
    }
    return [
        tensor_name(f"decoder.stack.blocks.{layer}.{ours}.weight", f"{root}layers.{layer}.{theirs}.weight")
        for layer in range(config.layers)
        for ours, theirs in parts.items()
    ]


FAMILY = Family("phi3", ARCHITECTURES, read, write, names, example)

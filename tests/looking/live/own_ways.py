"""Families of transformers that attend each in a way of their own, small and random, and what they are called with."""

import copy
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch
from looking.live.families import SMALL, VOCABULARY, transformers
from torch import Tensor, nn

LENGTH, PADDING, FRAMES, HEADS = 9, 3, 12, 4


@dataclass(frozen=True)
class Family:
    """A family: its class, what its config needs, and where the heads of its second layer are projected."""

    model: str
    kind: str
    side: str
    projection: str
    changes: dict[str, Any] = field(default_factory=dict)
    paddings: tuple[str, ...] = ("none", "right", "left")
    generates: bool = True


BERT: dict[str, Any] = {"paddings": ("none", "right"), "generates": False}
FAMILIES = {
    "gemma2": Family("Gemma2ForCausalLM", "gemma2", "decoder", "model.layers.1.self_attn.o_proj",
                     {"attn_logit_softcapping": 2.0, "layer_types": ["sliding_attention", "full_attention"]}),
    "gpt_oss": Family("GptOssForCausalLM", "gpt_oss", "decoder", "model.layers.1.self_attn.o_proj",
                      {"layer_types": ["full_attention", "sliding_attention"]}),
    "falcon": Family("FalconForCausalLM", "falcon", "decoder", "transformer.h.1.self_attention.dense",
                     {"new_decoder_architecture": False, "alibi": False}),
    "falcon-alibi": Family("FalconForCausalLM", "falcon", "decoder", "transformer.h.1.self_attention.dense",
                           {"alibi": True, "multi_query": False}),
    "falcon-new": Family("FalconForCausalLM", "falcon", "decoder", "transformer.h.1.self_attention.dense",
                         {"new_decoder_architecture": True, "num_kv_heads": 2, "alibi": False}),
    "gptj": Family("GPTJForCausalLM", "gptj", "decoder", "transformer.h.1.attn.out_proj"),
    "gpt_neo": Family("GPTNeoForCausalLM", "gpt_neo", "decoder", "transformer.h.1.attn.attention.out_proj",
                      {"attention_types": [[["global", "local"], 1]], "window_size": 4}),
    "codegen": Family("CodeGenForCausalLM", "codegen", "decoder", "transformer.h.1.attn.out_proj"),
    "bloom": Family("BloomForCausalLM", "bloom", "decoder", "transformer.h.1.self_attention.dense"),
    "mpt": Family("MptForCausalLM", "mpt", "decoder", "transformer.blocks.1.attn.out_proj"),
    "xglm": Family("XGLMForCausalLM", "xglm", "decoder", "model.layers.1.self_attn.out_proj",
                   {"attention_heads": 4}),
    "pythia": Family("GPTNeoXForCausalLM", "gpt_neox", "decoder", "gpt_neox.layers.1.attention.dense"),
    "qwen3": Family("Qwen3ForCausalLM", "qwen3", "decoder", "model.layers.1.self_attn.o_proj"),
    "phi3": Family("Phi3ForCausalLM", "phi3", "decoder", "model.layers.1.self_attn.o_proj"),
    "opt": Family("OPTForCausalLM", "opt", "decoder", "model.decoder.layers.1.self_attn.out_proj"),
    "olmo2": Family("Olmo2ForCausalLM", "olmo2", "decoder", "model.layers.1.self_attn.o_proj"),
    "xlnet": Family("XLNetLMHeadModel", "xlnet", "encoder", "transformer.layer.1.rel_attn.o",
                    {"d_head": 8, "d_inner": 24}, **BERT),
    "mpnet": Family("MPNetForMaskedLM", "mpnet", "encoder", "mpnet.encoder.layer.1.attention.attn.o", **BERT),
    "roformer": Family("RoFormerForMaskedLM", "roformer", "encoder",
                       "roformer.encoder.layer.1.attention.output.dense", **BERT),
    "deberta-v2": Family("DebertaV2ForMaskedLM", "deberta-v2", "encoder",
                         "deberta.encoder.layer.1.attention.output.dense",
                         {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "share_att_key": False}, **BERT),
    "splinter": Family("SplinterModel", "splinter", "encoder", "encoder.layer.1.attention.output.dense", **BERT),
    "align-text": Family("AlignTextModel", "align_text_model", "encoder", "encoder.layer.1.attention.output.dense",
                         **BERT),
    "clap-text": Family("ClapTextModel", "clap_text_model", "encoder", "encoder.layer.1.attention.output.dense",
                        **BERT),
    "electra": Family("ElectraForMaskedLM", "electra", "encoder", "electra.encoder.layer.1.attention.output.dense",
                      **BERT),
    "modernbert": Family("ModernBertForMaskedLM", "modernbert", "encoder", "model.layers.1.attn.Wo",
                         {"global_attn_every_n_layers": 2, "local_attention": 4}, **BERT),
    "mbart": Family("MBartForConditionalGeneration", "mbart", "decoder", "model.decoder.layers.1.self_attn.out_proj"),
    "mt5": Family("MT5ForConditionalGeneration", "mt5", "decoder", "decoder.block.1.layer.0.SelfAttention.o"),
    "pegasus": Family("PegasusForConditionalGeneration", "pegasus", "decoder",
                      "model.decoder.layers.1.self_attn.out_proj"),
    "nllb-moe": Family("NllbMoeForConditionalGeneration", "nllb-moe", "decoder",
                       "model.decoder.layers.1.self_attn.out_proj", {"num_experts": 2}),
    "whisper": Family("WhisperForConditionalGeneration", "whisper", "decoder",
                      "model.decoder.layers.1.self_attn.out_proj", {"num_mel_bins": 8, "max_source_positions": 12},
                      paddings=("none",)),
    "bigbird_pegasus": Family("BigBirdPegasusForConditionalGeneration", "bigbird_pegasus", "decoder",
                              "model.decoder.layers.1.self_attn.out_proj", {"attention_type": "original_full"}),
}  # fmt: skip


def is_pair(model: nn.Module) -> bool:
    return model.config.is_encoder_decoder


def implementations(name: str) -> list[str]:
    """The implementations of attention that compute the same in a family: eager Falcon adds ALiBi twice."""
    has_sdpa = getattr(transformers, FAMILIES[name].model)._supports_sdpa and name != "falcon-alibi"
    return ["sdpa", "eager"] if has_sdpa else ["eager"]


@cache
def model_of(name: str, implementation: str) -> Any:
    """The model of a family, one for all tests: the same weights whatever the implementation."""
    family = FAMILIES[name]
    fields = transformers.AutoConfig.for_model(family.kind).to_dict()
    known = {name: value for name, value in SMALL.items() if name in fields} | family.changes
    config = transformers.AutoConfig.for_model(family.kind, **known)
    torch.manual_seed(0)
    model = getattr(transformers, family.model)._from_config(config, attn_implementation=implementation).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    if family.generates:
        model.generation_config.eos_token_id = None
    return model


def inputs(name: str, padding: str) -> dict[str, Tensor]:
    """Two texts, one of which is shorter and has padding behind or before it; with no padding there is no mask."""
    tokens = torch.randint(5, VOCABULARY, (2, LENGTH), generator=torch.Generator().manual_seed(1))
    attention_mask = torch.ones(2, LENGTH, dtype=torch.long)
    if padding == "right":
        attention_mask[1, -PADDING:] = 0
    elif padding == "left":
        attention_mask[0, :PADDING] = 0
    given = {"input_ids": tokens * attention_mask}
    if padding != "none":
        given["attention_mask"] = attention_mask
    if name == "whisper":
        sound = torch.randn(2, 8, 2 * FRAMES, generator=torch.Generator().manual_seed(2))
        return {"input_features": sound, "decoder_input_ids": tokens}
    return given | ({"decoder_input_ids": tokens.flip(-1)} if is_pair(model_of(name, "eager")) else {})


def without_a_head(name: str, head: int) -> Any:
    """A copy of the eager model in which nothing is read of one head of the second layer."""
    model = copy.deepcopy(model_of(name, "eager"))
    *path, last = FAMILIES[name].projection.split(".")
    projection = getattr(model.get_submodule(".".join(path)), last)
    with torch.no_grad():
        if isinstance(projection, nn.Parameter):  # (width, heads, head width)
            projection[:, head] = 0
        else:
            width = projection.in_features // HEADS
            projection.weight[:, head * width : (head + 1) * width] = 0
    return model

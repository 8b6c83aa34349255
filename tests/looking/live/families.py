"""Small random models of transformers' families, all of their sizes set by one table."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
import torch

transformers = pytest.importorskip("transformers")
transformers.logging.set_verbosity_error()

VOCABULARY = 61
WINDOW = 5
START = 2
SMALL = {
    **dict.fromkeys(("vocab_size", "vocab_size_per_layer_input"), VOCABULARY),
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "dim", "embedding_size", "word_embed_proj_dim"), 32),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_decoder_layers"), 2),
    **dict.fromkeys(("encoder_layers", "decoder_layers"), 2),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads"), 4),
    **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 4),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"), 4),
    **dict.fromkeys(("intermediate_size", "n_inner", "d_ff", "hidden_dim", "ffn_dim", "ffn_hidden_size"), 24),
    **dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim"), 24),
    **dict.fromkeys(("moe_intermediate_size", "shared_expert_intermediate_size"), 16),
    **dict.fromkeys(("num_experts_per_tok", "moe_k", "moe_topk"), 2),
    **dict.fromkeys(("max_position_embeddings", "n_positions", "max_target_positions", "max_source_positions"), 64),
    **dict.fromkeys(("head_dim", "d_kv", "v_head_dim", "hidden_size_per_layer_input"), 8),
    **dict.fromkeys(("q_lora_rank", "kv_lora_rank"), 16),
    **dict.fromkeys(("qk_rope_head_dim", "qk_nope_head_dim", "rotary_dim"), 4),
    **dict.fromkeys(("n_group", "topk_group", "first_k_dense_replace"), 1),
    **dict.fromkeys(("layer_types", "mlp_layer_types", "no_rope_layers"), None),
    **{"num_key_value_heads": 2, "type_vocab_size": 2, "sliding_window_pattern": 2, "num_kv_shared_layers": 0},
    **{"sliding_window": WINDOW, "attention_chunk_size": WINDOW},
    **{"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 2, "decoder_start_token_id": START},
}
"""What a config is given, as far as it has such a field."""
AUTO = {
    "causal": transformers.AutoModelForCausalLM,
    "masked": transformers.AutoModelForMaskedLM,
    "seq2seq": transformers.AutoModelForSeq2SeqLM,
}


@dataclass(frozen=True)
class Family:
    """One family: what transformers calls it, what it is for, and what its config needs besides."""

    name: str
    role: str
    changes: dict[str, Any] = field(default_factory=dict, hash=False, compare=False)
    model_type: str = ""

    @property
    def writes(self) -> bool:
        return self.role != "masked"

    @property
    def is_pair(self) -> bool:
        return self.role == "seq2seq"


MAIN = {
    family.name: family
    for family in (
        Family("llama", "causal"),
        Family("gpt2", "causal"),
        Family("gemma3_text", "causal", {"layer_types": ["sliding_attention", "full_attention"]}),
        Family("mistral", "causal"),
        Family("bert", "masked"),
        Family("marian", "seq2seq"),
        Family("t5", "seq2seq"),
    )
}
"""The families of which every combination of settings is run."""
MIXED = {"layer_types": ["sliding_attention", "full_attention"]}
LATENT = {"num_key_value_heads": 4, "head_dim": 4}  # keys and values of all heads come from one small vector
LINEAR = {
    "layer_types": ["linear_attention", "full_attention"],
    **{"linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 8},
}
MAMBA = {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 8}
CHANGES: dict[str, dict[str, Any]] = {
    "gemma2": MIXED,
    "olmo3": MIXED,
    **dict.fromkeys(("axk1", "deepseek_v2", "deepseek_v3", "glm4_moe_lite", "minicpm3", "youtu"), LATENT),
    **dict.fromkeys(("qwen3_next", "qwen3_5_text"), LINEAR),
    "bamba": {"attn_layer_indices": [1], **MAMBA},
    "bert-generation": {"is_decoder": True},
    "dots1": {"n_shared_experts": 1},
    "esmc": {"num_key_value_heads": 4},
    "granitemoehybrid": {"layer_types": ["mamba", "attention"], **MAMBA},
    "jamba": {"attn_layer_offset": 1, "attn_layer_period": 2, "mamba_dt_rank": 4, "mamba_d_state": 4}
    | {"use_mamba_kernels": False},
    "lfm2_moe": {"layer_types": ["full_attention"] * 2, "num_dense_layers": 1},
    "xmod": {"default_language": "en_XX", "languages": ["en_XX"]},
    "zaya": {"num_experts_per_tok": 1},
}
OTHERS = {
    "causal": """
        afmoe apertus arcee aria_text axk1 bamba beam bert-generation biogpt bitnet cohere cohere2 cohere2_moe ctrl cwm
        deepseek_v2 deepseek_v3 deepseek_v4 diffllama doge dots1 ernie4_5 ernie4_5_moe exaone4 exaone_moe flex_olmo
        flint gemma gemma2 gemma3n_text gemma4_text gemma4_unified_text glm glm4 glm4_moe glm4_moe_lite gpt-sw3
        gpt_bigcode gpt_neox gpt_oss granite granite_swa granitemoe granitemoe_swa granitemoehybrid granitemoeshared
        helium hrm_text hunyuan_v1_dense hunyuan_v1_moe hy_v3 hy_v4 hyperclovax jais2 jamba jetmoe kolibri1 laguna lfm2
        lfm2_moe llama4_text mellum mimo_v2_flash minicpm3 minimax minimax_m2 ministral ministral3 mixtral
        modernbert-decoder nanochat nemotron olmo olmo2 olmo3 olmo_hybrid olmoe opt persimmon phi phi3 phimoe qwen2
        qwen2_moe qwen3 qwen3_5_text qwen3_moe qwen3_next seed_oss smollm3 solar_open stablelm starcoder2 vaultgemma
        youtu zaya""",
    "masked": """
        albert camembert data2vec-text distilbert electra ernie esm esmc eurobert gte jina_embeddings_v3 layoutlm
        mobilebert modernbert nomic_bert roberta roberta-prelayernorm ultrabert xlm-roberta xlm-roberta-xl xmod""",
    "seq2seq": """
        bart blenderbot blenderbot-small m2m_100 mbart mt5 nllb-moe pegasus pegasus_x plbart seamless_m4t
        switch_transformers umt5""",
}
FAMILIES = MAIN | {
    name: Family(name, role, CHANGES.get(name, {})) for role, names in OTHERS.items() for name in names.split()
}
BIASED = ("t5", "mt5", "umt5", "switch_transformers")
"""Families whose bias has one row for all texts, which transformers' flex attention asks for that of the second."""
SINKS = ("flint", "gpt_oss", "granite_swa", "granitemoe_swa")
"""Families whose queries can look at nothing."""
FAMILIES["bert-decoder"] = Family("bert-decoder", "causal", {"is_decoder": True}, "bert")


def config(family: Family, **changes: Any) -> Any:
    """A small config of a family."""
    kind = family.model_type or family.name
    fields = transformers.AutoConfig.for_model(kind).to_dict()
    given = {name: value for name, value in SMALL.items() if name in fields}
    return transformers.AutoConfig.for_model(kind, **(given | family.changes | changes))


def build(family: Family, implementation: str, seed: int = 0, **changes: Any) -> Any:
    """A model of random weights, large enough that every head looks somewhere."""
    torch.manual_seed(seed)
    model = AUTO[family.role].from_config(config(family, **changes), attn_implementation=implementation).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    if family.writes:
        model.generation_config.eos_token_id = None  # a text of fewer tokens would prove less
        model.generation_config.decoder_start_token_id = START
    return model


@cache
def model_of(name: str, implementation: str) -> Any:
    """The model of a family, one for all tests: the same weights whatever the implementation."""
    return build(FAMILIES[name], implementation)

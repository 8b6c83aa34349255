"""A small model of every family that can be loaded and has heads, drawn at random."""

import torch

from regard.config import AlignConfig, OutputConfig, RecurrentConfig
from regard.families import family_of
from regard.families.options import Options
from regard.families.pruned import without_pruned_heads
from regard.models import Aligner, AlignerConfig, Transformer, VisionTransformer, build

WORDS = 40
BERT = {
    "vocab_size": WORDS, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32,
    "max_position_embeddings": 20,
}  # fmt: skip
GPT2 = {"vocab_size": WORDS, "n_embd": 24, "n_layer": 2, "n_head": 4, "n_positions": 20}
LLAMA = {
    "vocab_size": WORDS, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 32,
}  # fmt: skip
BART = {"vocab_size": WORDS, "d_model": 24, "max_position_embeddings": 20, "activation_function": "relu"}
BART |= {f"{side}_layers": 2 for side in ("encoder", "decoder")}
BART |= {f"{side}_attention_heads": 4 for side in ("encoder", "decoder")}
BART |= {f"{side}_ffn_dim": 32 for side in ("encoder", "decoder")}
T5 = {"vocab_size": WORDS, "d_model": 24, "d_kv": 5, "d_ff": 32, "num_layers": 2, "num_heads": 4}
WRITES = {"is_decoder": True, "add_cross_attention": True}
XL = {
    "embedding": {"vocabulary": WORDS},
    "stack": {
        "layers": 2, "width": 24, "window": 5, "attention": {"heads": 4, "score": "xl"}, "feed_forward": {"width": 32},
        "norm": {},
    },
    "output": {},
}  # fmt: skip

CONFIGS = {
    "bert": (BERT, "BertForMaskedLM"),
    "roberta": (BERT | {"pad_token_id": 1, "type_vocab_size": 1}, "RobertaForMaskedLM"),
    "camembert": (BERT | {"pad_token_id": 1, "type_vocab_size": 1}, "CamembertForMaskedLM"),
    "xlm-roberta": (BERT | {"pad_token_id": 1, "type_vocab_size": 1}, "XLMRobertaForMaskedLM"),
    "distilbert": (
        {"vocab_size": WORDS, "dim": 24, "n_layers": 2, "n_heads": 4, "hidden_dim": 32, "max_position_embeddings": 20},
        "DistilBertForMaskedLM",
    ),
    "esm": (
        BERT | {"position_embedding_type": "rotary", "token_dropout": False, "pad_token_id": 1, "mask_token_id": 2},
        "EsmForMaskedLM",
    ),
    "albert": (BERT | {"embedding_size": 8, "num_hidden_layers": 3}, "AlbertForMaskedLM"),
    "bert-generation": (BERT, "BertGenerationEncoder"),
    "gpt2": (GPT2, "GPT2LMHeadModel"),
    "openai-gpt": (GPT2, "OpenAIGPTLMHeadModel"),
    "llama": (LLAMA, "LlamaForCausalLM"),
    "mistral": (LLAMA | {"sliding_window": 3}, "MistralForCausalLM"),
    "qwen2": (LLAMA, "Qwen2ForCausalLM"),
    "t5": (T5, "T5ForConditionalGeneration"),
    "bart": (BART, "BartForConditionalGeneration"),
    "marian": (BART | {"pad_token_id": 0}, "MarianMTModel"),
    "regard-xl": (XL, "TransformerXL"),
    "encoder-decoder": (
        {"encoder": BERT | {"model_type": "bert"}, "decoder": GPT2 | WRITES | {"model_type": "gpt2"}},
        "EncoderDecoderModel",
    ),
    "regard-alignment": ({}, "Aligner"),
    "e2k": ({}, "S2S"),
    "regard-vision": (
        {"size": 6, "patch": 2, "labels": 5, "width": 24, "layers": 2, "heads": 4, "feed_forward_width": 32},
        "VisionTransformer",
    ),
}
"""By model_type: the config, and the architecture."""

RECURRENT = AlignerConfig(
    RecurrentConfig(WORDS, 10, 12),
    RecurrentConfig(WORDS, 10, 24),
    AlignConfig("multihead", "between", 4),
    narrow=24,
    begins=False,
    deep=None,
    skips=False,
    output=OutputConfig(tied=False, bias=True),
)


def made(kind: str):
    """A model of a family, its config and its architecture; weights so large that every head matters."""
    config, architecture = CONFIGS[kind]
    config = {"model_type": kind, **config}
    torch.manual_seed(0)
    if kind in ("e2k", "regard-alignment"):  # the one says its sizes in its tensors alone
        model = Aligner(RECURRENT)
    else:
        options = Options(config, kind)
        model = build(without_pruned_heads(family_of(config, kind).read(options, architecture), options))
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.2)
    return model.eval(), config, architecture


def answers(model, seed: int = 0):
    """What a model says about two texts, the second of which is padded."""
    generator = torch.Generator().manual_seed(seed)
    tokens, target = (torch.randint(3, WORDS, (2, length), generator=generator) for length in (7, 5))
    attention_mask = torch.arange(7) < torch.tensor([[7], [4]])
    with torch.no_grad():
        if isinstance(model, Transformer | Aligner):
            return model(tokens, target, attention_mask=attention_mask)
        if isinstance(model, VisionTransformer):
            return model(torch.rand(2, 6, 6, generator=generator))
        return model(tokens, attention_mask=attention_mask)[attention_mask]

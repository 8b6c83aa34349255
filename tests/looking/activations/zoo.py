"""Small random models of the shapes that differ: ours, torch.nn's and transformers', each with something to read."""

from functools import cache
from typing import Any

import torch
import transformers as T
from looking.families import made
from torch import nn

OWN = ("gpt2", "llama", "bert", "marian", "t5")
LIVE = ("gpt2", "llama", "gpt_neox", "bert", "marian", "t5")
ALL = (*OWN, *(f"live {name}" for name in LIVE))
SIZES = {"vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 24}
GPT2 = {"vocab_size": 40, "n_layer": 2, "n_head": 4, "n_embd": 16, "bos_token_id": 1, "eos_token_id": 2}
SIDES = {f"{side}_{what}": size for side in ("encoder", "decoder") for what, size in
         {"layers": 2, "attention_heads": 4, "ffn_dim": 24}.items()}  # fmt: skip
MARIAN = {"vocab_size": 40, "d_model": 16, **SIDES, "pad_token_id": 0, "decoder_start_token_id": 0, "eos_token_id": 2,
          "forced_eos_token_id": None, "max_position_embeddings": 64}  # fmt: skip
T5 = {"vocab_size": 40, "d_model": 16, "d_kv": 4, "d_ff": 24, "num_layers": 2, "num_decoder_layers": 2, "num_heads": 4,
      "decoder_start_token_id": 0}  # fmt: skip


@cache
def model_of(kind: str) -> nn.Module:
    """The same model each time; weights so large that everything matters."""
    if not kind.startswith("live "):
        return made(kind)[0]
    torch.manual_seed(0)
    builders = {
        "gpt2": lambda: T.GPT2LMHeadModel(T.GPT2Config(**GPT2)),
        "llama": lambda: T.LlamaForCausalLM(T.LlamaConfig(num_key_value_heads=2, **SIZES)),
        "gpt_neox": lambda: T.GPTNeoXForCausalLM(T.GPTNeoXConfig(bos_token_id=1, eos_token_id=2, **SIZES)),
        "bert": lambda: T.BertForMaskedLM(T.BertConfig(**SIZES)),
        "marian": lambda: T.MarianMTModel(T.MarianConfig(**MARIAN)),
        "t5": lambda: T.T5ForConditionalGeneration(T.T5Config(**T5)),
    }
    model = builders[kind.removeprefix("live ")]().eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.2)
    return model


def inputs_of(kind: str, seed: int = 0, batch: int = 2) -> dict[str, Any]:
    """What the model is called with: texts of 6 tokens, and 5 of another where it writes one."""
    generator = torch.Generator().manual_seed(seed)
    tokens, target = (torch.randint(3, 40, (batch, length), generator=generator) for length in (6, 5))
    is_pair = kind.endswith(("marian", "t5"))
    if kind.startswith("live "):
        return {"input_ids": tokens, **({"decoder_input_ids": target} if is_pair else {})}
    return {"source": tokens, "target": target} if is_pair else {"tokens": tokens}


def logits_of(model: nn.Module, inputs: dict[str, Any]) -> torch.Tensor:
    output = model(**inputs)
    return output if isinstance(output, torch.Tensor) else output.logits


def side_of(kind: str) -> str:
    return "encoder" if kind.endswith("bert") else "decoder"


def lengths(kind: str, site: str) -> dict[str, int]:
    is_written = kind.endswith(("marian", "t5")) and not site.startswith("encoder")
    return {"batch": 2, "length": 5 if is_written else 6, "source": 6}

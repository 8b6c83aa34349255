"""Tiny models of transformers that peers and we look into: random weights, and weights that learned something.

A language model learns to repeat: random tokens, which come again in the same order. A translator learns to turn its
source round. A few hundred steps take seconds, and leave weights of a kind that random ones are not.
"""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
import transformers
from torch import Tensor

VOCABULARY, SPECIAL = 40, 4  # pad, unknown, begin, end; then words
PAD, UNKNOWN, BEGIN, END = range(SPECIAL)
LEARNING_RATE, WARMUP = 3e-3, 50
HALF = 8  # tokens, before they come again
MARKS = {"pad_token_id": PAD, "bos_token_id": BEGIN, "eos_token_id": END}
SIZES = {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
         "intermediate_size": 48, "max_position_embeddings": 64, **MARKS}  # fmt: skip
SIDES = {f"{side}_{what}": size for side in ("encoder", "decoder")
         for what, size in {"layers": 2, "attention_heads": 4, "ffn_dim": 48}.items()}  # fmt: skip


def gpt2() -> Any:
    sizes = {"vocab_size": VOCABULARY, "n_layer": 2, "n_head": 4, "n_embd": 32, "n_positions": 64}
    dropout = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes, **dropout, **MARKS))


def gpt_neox() -> Any:
    return transformers.GPTNeoXForCausalLM(transformers.GPTNeoXConfig(**SIZES))


def llama() -> Any:
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(num_key_value_heads=2, **SIZES))


def marian() -> Any:
    """Without `scale_embedding`: with it, inseq explains another model (see peers.py)."""
    config = transformers.MarianConfig(vocab_size=VOCABULARY, d_model=32, **SIDES, decoder_start_token_id=PAD,
                                       forced_eos_token_id=None, max_position_embeddings=64, dropout=0.0,
                                       scale_embedding=False, init_std=0.1, **MARKS)  # fmt: skip
    return transformers.MarianMTModel(config)


SHAPES: dict[str, Callable[[], Any]] = {"gpt2": gpt2, "gpt_neox": gpt_neox, "llama": llama}


def random_weights(build: Callable[[], Any], seed: int = 0) -> Any:
    """A model with weights so large that everything in it matters, norms and biases, too."""
    torch.manual_seed(seed)
    model = build().eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.requires_grad:  # positions that are computed stay what they are
                weight.add_(torch.randn_like(weight) * 0.2)
    return model


def trained_weights(build: Callable[[], Any], steps: int, seed: int = 0) -> tuple[Any, float]:
    """A model that learned its task for so many steps, and its last loss."""
    torch.manual_seed(seed)
    model = build().train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)
    loss = torch.tensor(0.0)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * min(1, (step + 1) / WARMUP)
        words = torch.randint(SPECIAL, VOCABULARY, (32, HALF))
        loss = translation_loss(model, words) if model.config.is_encoder_decoder else repeat_loss(model, words)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval(), float(loss)


def repeat_loss(model: Any, words: Tensor) -> Tensor:
    tokens = torch.cat([words, words], 1)
    return F.cross_entropy(model(tokens[:, :-1]).logits[:, HALF - 1 :].mT, tokens[:, HALF:])


def translation_loss(model: Any, words: Tensor) -> Tensor:
    target = words.flip(1)
    read = torch.cat([torch.full_like(target[:, :1], PAD), target[:, :-1]], 1)
    return F.cross_entropy(model(input_ids=words, decoder_input_ids=read).logits.mT, target)


def zero_row(model: Any, *tokens: int) -> Any:
    """A translator whose table has zeros for these tokens: what they stand for is then a baseline of zeros."""
    with torch.no_grad():
        model.get_input_embeddings().weight[[*tokens]] = 0
    return model


def texts(seed: int = 1) -> tuple[Tensor, Tensor]:
    """A text whose second half repeats the first, and one in which another word stands in the first half."""
    words = torch.randint(SPECIAL, VOCABULARY, (1, HALF), generator=torch.Generator().manual_seed(seed))
    clean = torch.cat([words, words], 1)[:, : HALF + 3]
    corrupt = clean.clone()
    corrupt[0, 3] = SPECIAL + (clean[0, 3] - SPECIAL + 1) % (VOCABULARY - SPECIAL)
    return clean, corrupt

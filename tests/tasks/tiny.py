"""Small models with tokenisers, in folders as transformers saves them."""

import json
from pathlib import Path

import pytest
import torch
from tokenizers import pre_tokenizers

transformers = pytest.importorskip("transformers")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

WORDS = [
    "the", "a", "dog", "cat", "sleeps", "runs", "under", "over", "table", "station", "where", "is", ",", ".",
    "?", "!", "not", "good", "bad", "film", "what",
]  # fmt: skip
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *"abcdefghijklmnopqrstuvwxyz", "##s", "##ing", "##ed"]
BERT = {
    "vocab_size": len(PIECES), "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3,
    "intermediate_size": 40, "max_position_embeddings": 32, "pad_token_id": 0,
}  # fmt: skip
BYTES = {
    letter: number for number, letter in enumerate([*sorted(pre_tokenizers.ByteLevel.alphabet()), "<|endoftext|>"])
}
GPT2 = {
    "vocab_size": len(BYTES), "n_positions": 40, "n_embd": 24, "n_layer": 2, "n_head": 3, "bos_token_id": 256,
    "eos_token_id": 256,
}  # fmt: skip
TEXTS = [
    "the dog sleeps .",
    "where is the station ?",
    "a cat",
    "what a good film , not a bad film !",
    "the table runs over",
]


def saved(model, folder: Path):
    """The model with weights far enough apart that no two answers are nearly equal, saved."""
    generator = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for parameter in (each for each in model.parameters() if each.requires_grad):  # waves are not learned
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    model.eval().save_pretrained(folder)
    return model


def bert(kind: str, folder: Path, **changes):
    """A BERT of this kind (ForMaskedLM) and its folder with vocab.txt."""
    torch.manual_seed(3)
    model = saved(getattr(transformers, f"Bert{kind}")(transformers.BertConfig(**(BERT | changes))), folder)
    (folder / "vocab.txt").write_text("\n".join(PIECES) + "\n", encoding="utf-8")
    return model


def gpt2(folder: Path, kind: str = "LMHeadModel", **changes):
    """A GPT-2 and its folder with vocab.json and merges.txt: every byte a token."""
    torch.manual_seed(3)
    model = saved(getattr(transformers, f"GPT2{kind}")(transformers.GPT2Config(**(GPT2 | changes))), folder)
    (folder / "vocab.json").write_text(json.dumps(BYTES))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    return model


def bart(folder: Path, **changes):
    """A BART and its folder with a byte-level tokeniser."""
    torch.manual_seed(3)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    letters = {token: number for number, token in enumerate([*special, *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    small = {
        "vocab_size": len(letters), "d_model": 24, "encoder_layers": 2, "decoder_layers": 1,
        "encoder_attention_heads": 3, "decoder_attention_heads": 3,
        "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_position_embeddings": 48,
        "forced_eos_token_id": 2,
    }  # fmt: skip
    model = saved(transformers.BartForConditionalGeneration(transformers.BartConfig(**(small | changes))), folder)
    (folder / "vocab.json").write_text(json.dumps(letters))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    return model


def their_tokens(folder: Path, texts, side="right", **told):
    """What transformers makes of some texts."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer(texts, return_tensors="pt", padding=True, padding_side=side, **told)

"""Small folders with nothing wrong, of every family and layout: what is damaged next."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch

from regard.checkpoints import load_model, save_model
from regard.config import AlignerConfig, DecoderConfig, EncoderConfig, MemoryNetworkConfig, TransformerConfig
from regard.families import EXAMPLES
from regard.models import build

BEFORE = Path(__file__).parents[2] / "before" / "checkpoints"
SPECIAL = ["<pad>", "</s>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
WORDS = ["the", "dog", "sleeps", ".", "where", "is", "a", "cat", "?"]
Files = Mapping[str, bytes]


@dataclass(frozen=True)
class SoundFolder:
    """The files of a folder by name, and what its model does: read, write, answer questions, or look at pictures
    (and listen)."""

    name: str
    files: Files
    does: str
    segments: int = 0


def as_json(content: object) -> bytes:
    return json.dumps(content).encode()


def tokenizer(vocabulary: int, *, is_encoder: bool) -> dict[str, object]:
    """A tokenizer.json of as many words as a model knows."""
    tokens = [*SPECIAL, *WORDS, *(f"w{number}" for number in range(vocabulary))][:vocabulary]
    ids = {token: number for number, token in enumerate(tokens)}
    first, last = (["[CLS]"], "[SEP]") if is_encoder else ([], "</s>")

    def special(token: str, segment: int) -> dict[str, object]:
        return {"SpecialToken": {"id": token, "type_id": segment}}

    single = [*(special(token, 0) for token in first), {"Sequence": {"id": "A", "type_id": 0}}, special(last, 0)]
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [
            {"id": ids[token], "content": token, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True}
            for token in SPECIAL
        ],
        "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": {
            "type": "TemplateProcessing", "single": single,
            "pair": [*single, {"Sequence": {"id": "B", "type_id": 1}}, special(last, 1)],
            "special_tokens": {
                token: {"id": token, "ids": [ids[token]], "tokens": [token]} for token in [*first, last]
            },
        },
        "decoder": None, "model": {"type": "WordLevel", "vocab": ids, "unk_token": "<unk>"},
    }  # fmt: skip


def sound_folder(name: str, folder: Path) -> SoundFolder:
    """A folder of a model with a tokeniser, and settings of how to write where it does."""
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "manifest.json"}
    config = load_model(folder).model.config
    names = dict(zip(("pad", "eos", "unk", "cls", "sep", "mask"), SPECIAL, strict=True))
    settings = {f"{kind}_token": token for kind, token in names.items()} | {"padding_side": "right"}
    files["tokenizer_config.json"] = as_json(settings)
    files["special_tokens_map.json"] = as_json({"unk_token": {"content": "<unk>", "lstrip": False}})
    if isinstance(config, MemoryNetworkConfig):
        files["tokenizer.json"] = as_json(tokenizer(config.vocabulary, is_encoder=False) | {"post_processor": None})
        return SoundFolder(name, files, "answer")
    if isinstance(config, AlignerConfig):
        vocabulary, segments = min(config.reads.vocabulary, config.writes.vocabulary), 0
    elif isinstance(config, EncoderConfig | DecoderConfig | TransformerConfig):
        embedding = (config.decoder if isinstance(config, DecoderConfig) else config.encoder).embedding
        vocabulary, segments = embedding.vocabulary, embedding.segments
    else:
        return SoundFolder(name, files, "look")
    files["tokenizer.json"] = as_json(tokenizer(vocabulary, is_encoder=isinstance(config, EncoderConfig)))
    if isinstance(config, EncoderConfig):
        return SoundFolder(name, files, "read", segments)
    starts = {} if isinstance(config, DecoderConfig) else {"decoder_start_token_id": 0, "forced_eos_token_id": 1}
    files["generation_config.json"] = as_json(
        starts | {"eos_token_id": 1, "pad_token_id": 0, "bos_token_id": 0, "num_beams": 2, "max_length": 9}
        | {"length_penalty": 1.0, "do_sample": False, "early_stopping": True, "bad_words_ids": [[2]]}
    )  # fmt: skip
    is_writer = getattr(config, "output", None) is not None
    return SoundFolder(name, files, "write" if is_writer else "read", segments)


@cache
def sound_folders(beside: Path) -> list[SoundFolder]:
    """Those that earlier versions wrote, those of this one, and three with other files; `beside` is a place to work."""
    folders = [sound_folder(path.name, path) for path in sorted(BEFORE.iterdir()) if path.is_dir()]
    for name, example in EXAMPLES.items():
        torch.manual_seed(0)
        model = example()
        saved = save_model(build(model.config), beside / name, model.config_entries, model.architecture)
        folders.append(sound_folder(f"example-{name}", saved))
    by_name = {folder.name: folder for folder in folders}
    for name, files in OTHER_FILES.items():
        base = by_name[name.split("+")[0]]
        kept = {file: content for file, content in base.files.items() if file not in TOKENIZERS or "+" not in name}
        kept = dict(base.files) if name.endswith("sentences") else kept
        folders.append(SoundFolder(name, {**kept, **files}, base.does, base.segments))
    return folders


TOKENIZERS = ("tokenizer.json", "special_tokens_map.json", "tokenizer_config.json")
BYTES = {letter: number for number, letter in enumerate([*"abcdeĠ", "ab", "<|endoftext|>"])}
OTHER_FILES: dict[str, Files] = {
    "bert+vocab.txt": {
        "vocab.txt": "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]).encode(),
        "tokenizer_config.json": as_json({"do_lower_case": True, "strip_accents": None}),
    },
    "gpt2+merges.txt": {
        "vocab.json": as_json(BYTES), "merges.txt": b"#version: 0.2\na b\n",
        "tokenizer_config.json": as_json({"tokenizer_class": "GPT2Tokenizer", "add_prefix_space": False}),
    },
    "bert+sentences": {
        "modules.json": as_json([
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        ]),
        "1_Pooling/config.json": as_json({"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True}),
        "sentence_bert_config.json": as_json({"max_seq_length": 8, "do_lower_case": False}),
        "config_sentence_transformers.json": as_json({"prompts": {"q": "the "}, "default_prompt_name": "q"}),
    },
}  # fmt: skip

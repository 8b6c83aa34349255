"""Small translators with sentencepiece, and one that nobody here trained."""

import json
from pathlib import Path

import torch
from models.test_transliteration import folder as names_folder
from tasks.tiny import saved, transformers

from regard.checkpoints import Checkpoint
from regard.tasks import TranslateTask
from regard.text import Encoded, Specials, Tokenizer


def small(kind, folder, count):
    """A Marian or a T5 for so many tokens."""
    torch.manual_seed(3)
    if kind == "marian":
        config = transformers.MarianConfig(
            vocab_size=count, d_model=24, encoder_layers=2, decoder_layers=2, encoder_attention_heads=3,
            decoder_attention_heads=3, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=64,
            pad_token_id=count - 1, decoder_start_token_id=count - 1, eos_token_id=0, forced_eos_token_id=0,
        )  # fmt: skip
        return saved(transformers.MarianMTModel(config), folder)
    config = transformers.T5Config(
        vocab_size=count, d_model=24, d_kv=8, d_ff=32, num_layers=2, num_heads=3, decoder_start_token_id=0
    )
    return saved(transformers.T5ForConditionalGeneration(config), folder)


def told(folder: Path, copy: Path, **settings) -> Path:
    """The same folder with other words in generation_config.json."""
    for file in folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    known = json.loads((folder / "generation_config.json").read_text())
    (copy / "generation_config.json").write_text(json.dumps(known | settings))
    return copy


class Letters:
    """Every letter a token, an end after them."""

    def __init__(self, side: str) -> None:
        letters = (names_folder() / f"{side}_vocabulary.txt").read_text(encoding="utf-8").split("\n")
        self.letters = letters
        self.vocabulary = {letter: number for number, letter in enumerate(letters)}
        self.special = frozenset((0, 1, 2))

    def encode(self, text, pair, asked, *, bare):
        assert pair is None
        assert not asked
        positions = range(len(text))
        ids = tuple(self.vocabulary[letter] for letter in text)
        count = len(text)
        return Encoded(
            ids, tuple(text), tuple((at, at + 1) for at in positions), (0,) * count, (0,) * count, (0,) * count
        )

    def decode(self, ids):
        return "".join(self.letters[number] for number in ids)


def transliterator(model) -> TranslateTask:
    """The task for Arabic names."""
    config = {"decoder_start_token_id": 1, "eos_token_id": 2}
    source, target = (Tokenizer(Letters(side), Specials(bos=1, eos=2, pad=0)) for side in ("source", "target"))
    source.target = target
    return TranslateTask(Checkpoint(model, config, "", names_folder()), source)

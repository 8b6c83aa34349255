"""Vocabularies of other projects' kinds, made up from the lines in varied.py: small, and the same each time."""

import json
import random
import re
import unicodedata
from pathlib import Path

from text.varied import LINES
from tokenizers import pre_tokenizers

ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
WORDS, LETTERS = 400, re.compile(r"\w+")


def wordpieces() -> list[str]:
    """Pieces as BERT has them: most letters, some beginnings and middles of words; the special ones in between."""
    chance = random.Random(11)
    spelled = [part for line in LINES for part in (line, unicodedata.normalize("NFD", line.lower()))]
    letters = sorted({letter for line in spelled for letter in line if not letter.isspace()})
    known = [letter for letter in letters if letter.isascii() or chance.random() < 0.8]  # the others are unknown
    words = sorted({word for line in spelled for word in LETTERS.findall(line)})
    cuts = [(word, chance.randrange(len(word))) for word in chance.choices(words, k=WORDS)]
    pieces = [word[: cut + 1] if chance.random() < 0.5 else f"##{word[cut:]}" for word, cut in cuts]
    special = ["[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    found = ["[PAD]", *known, *special, *(f"##{letter}" for letter in known), *pieces]
    return list(dict.fromkeys(piece for piece in found if len(piece.splitlines()) == 1))


def byte_pieces() -> tuple[list[str], list[tuple[str, str]]]:
    """Pieces and merges as GPT-2 has them: all bytes, then words that grow at one end or the other."""
    chance, bytewise = random.Random(12), pre_tokenizers.ByteLevel(add_prefix_space=False)
    words = sorted({word for line in LINES for word, _ in bytewise.pre_tokenize_str(line) if len(word) < 20})
    pieces, merges = sorted(pre_tokenizers.ByteLevel.alphabet()), [("Ġ", "b")]
    for word in chance.choices(words, k=WORDS):
        if chance.random() < 0.5:
            merges += [(word[:end], word[end]) for end in range(1, len(word))]
        else:
            merges += [(word[-end - 1], word[-end:]) for end in range(1, len(word))]
    merges = list(dict.fromkeys(merges))
    return list(dict.fromkeys([*pieces, *("".join(pair) for pair in merges)])), merges


def write_wordpieces(folder: Path) -> Path:
    """A folder with vocab.txt, of BERT's family."""
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in wordpieces()), encoding="utf-8", newline="")
    (folder / "config.json").write_text('{"model_type": "bert"}')
    return folder


def write_byte_pieces(folder: Path, family: str = "gpt2") -> Path:
    """A folder with vocab.json and merges.txt: GPT-2 has its special token last, RoBERTa its five first."""
    pieces, merges = byte_pieces()
    named = [*pieces, "<|endoftext|>"] if family == "gpt2" else [*ROBERTA, *pieces]
    numbers = {piece: number for number, piece in enumerate(named)}
    (folder / "vocab.json").write_text(json.dumps(numbers), encoding="utf-8")
    lines = ["#version: 0.2", *(" ".join(pair) for pair in merges)]
    (folder / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    (folder / "config.json").write_text(json.dumps({"model_type": family}))
    return folder

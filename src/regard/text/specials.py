"""Tokens that mean something: begin, end, padding, a word left out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from regard.text.files import TokenizerError, read_object

USUAL = {
    "pad": ("[PAD]", "<pad>"),
    "unk": ("[UNK]", "<unk>"),
    "cls": ("[CLS]",),
    "sep": ("[SEP]",),
    "mask": ("[MASK]", "<mask>"),
}
"""What these tokens are called where no file says so."""


@dataclass(frozen=True)
class Specials:
    """The numbers of the tokens that mean something; None where there is no such token."""

    bos: int | None = None
    eos: int | None = None
    pad: int | None = None
    unk: int | None = None
    cls: int | None = None
    sep: int | None = None
    mask: int | None = None

    def __iter__(self) -> Iterator[int]:
        """The numbers that there are."""
        for field in fields(self):
            if (number := getattr(self, field.name)) is not None:
                yield number


KINDS = tuple(field.name for field in fields(Specials))


def special_tokens(folder: Path) -> dict[str, str]:
    """How a folder calls its special tokens: {"mask": "[MASK]"}."""
    tokens: dict[str, str] = {}
    for file in ("special_tokens_map.json", "tokenizer_config.json"):
        settings = read_object(folder / file)
        for kind in KINDS:
            token = settings.get(f"{kind}_token")
            token = token.get("content") if isinstance(token, dict) else token
            if token is not None and not isinstance(token, str):
                raise TokenizerError(f"{folder / file}: {kind}_token = {token!r} is not a token")
            if token is not None:
                tokens[kind] = token
    return tokens


def additional_tokens(folder: Path) -> list[str]:
    """Further special tokens that a folder names."""
    added: list[str] = []
    for file in ("special_tokens_map.json", "tokenizer_config.json"):
        settings = read_object(folder / file)
        for key in ("additional_special_tokens", "extra_special_tokens"):
            more = settings.get(key) or []
            more = list(more.values()) if isinstance(more, dict) else more
            tokens: list[Any] = [token.get("content") if isinstance(token, dict) else token for token in more]
            if not all(isinstance(token, str) for token in tokens):
                raise TokenizerError(f"{folder / file}: {key} is not a list of tokens")
            added += [token for token in tokens if token not in added]
    return added


def flags(folder: Path) -> dict[str, dict[str, bool]]:
    """How a token is to be found in a text, where a folder says so: {"<mask>": {"lstrip": True}}."""
    flags_of: dict[str, dict[str, bool]] = {}
    for file in ("special_tokens_map.json", "tokenizer_config.json"):
        settings = read_object(folder / file)
        more = settings.get("added_tokens_decoder")
        for token in [*settings.values(), *(more.values() if isinstance(more, dict) else [])]:
            if isinstance(token, dict) and isinstance(token.get("content"), str):
                flag_names = ("lstrip", "rstrip", "normalized", "single_word")
                flags_of[token["content"]] = {flag: bool(token[flag]) for flag in flag_names if flag in token}
    return flags_of


def special_ids(
    names: Mapping[str, str], vocabulary: Mapping[str, int], special: set[int], config: Mapping[str, Any]
) -> Specials:
    """The numbers of special tokens: as they are called, as config.json numbers them, as they are usually called.

    `known` is the vocabulary, `special` the numbers in it that the tokeniser itself calls special.
    """
    ids = {kind: vocabulary[name] for kind, name in names.items() if name in vocabulary}
    for kind in KINDS:
        number = config.get(f"{kind}_token_id")
        number = number[0] if isinstance(number, list) and number else number
        if kind not in ids and type(number) is int and number >= 0:
            ids[kind] = number
    for kind, usual in USUAL.items():
        for name in usual:
            if kind not in ids and vocabulary.get(name) in special:
                ids[kind] = vocabulary[name]
    return Specials(**ids)

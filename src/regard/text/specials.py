"""Tokens that mean something: begin, end, padding, a word left out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from regard.settings import Settings, shown
from regard.text.files import read_settings

USUAL: dict[str, tuple[str, ...]] = {
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
        settings = read_settings(folder / file)
        for kind in KINDS:
            if settings.get(f"{kind}_token") is not None:
                tokens[kind] = content_of(settings.get(f"{kind}_token"), settings, f"{kind}_token")
    return tokens


def content_of(token: object, settings: Settings, key: str) -> str:
    """How a token is spelled: as a string, or as an object that says more of it."""
    content = token.get("content") if isinstance(token, dict) else token
    if not isinstance(content, str):
        settings.refuse(key, "a token, or several where several may be,")
    return content


def additional_tokens(folder: Path) -> list[str]:
    """Further special tokens that a folder names."""
    added: list[str] = []
    for file in ("special_tokens_map.json", "tokenizer_config.json"):
        settings = read_settings(folder / file)
        for key in ("additional_special_tokens", "extra_special_tokens"):
            named = settings.get(key)
            tokens = list(named.values()) if isinstance(named, dict) else settings.list(key)
            added += [content_of(token, settings, key) for token in tokens]
    return list(dict.fromkeys(added))


def flags(folder: Path) -> dict[str, dict[str, bool]]:
    """How a token is to be found in a text, where a folder says so: {"<mask>": {"lstrip": True}}."""
    flags_of: dict[str, dict[str, bool]] = {}
    for file in ("special_tokens_map.json", "tokenizer_config.json"):
        settings = read_settings(folder / file)
        for token in [*settings.entries.values(), *settings.object("added_tokens_decoder").values()]:
            if isinstance(token, dict) and isinstance(token.get("content"), str):
                said = Settings(token, f"{settings.where}: {shown(token['content'])}", settings.error)
                flag_names = ("lstrip", "rstrip", "normalized", "single_word")
                flags_of[token["content"]] = {flag: said.flag(flag, False) for flag in flag_names if flag in token}
    return flags_of


def special_ids(
    names: Mapping[str, str], vocabulary: Mapping[str, int], special: set[int], config: Settings
) -> Specials:
    """The numbers of special tokens: as they are called, as config.json numbers them, as they are usually called.

    `known` is the vocabulary, `special` the numbers in it that the tokeniser itself calls special.
    """
    ids = {kind: vocabulary[name] for kind, name in names.items() if name in vocabulary}
    for kind in KINDS:
        numbers = config.tokens(f"{kind}_token_id")
        if kind not in ids and numbers:
            ids[kind] = numbers[0]
    for kind, usual in USUAL.items():
        for name in usual:
            if kind not in ids and vocabulary.get(name) in special:
                ids[kind] = vocabulary[name]
    return Specials(**ids)

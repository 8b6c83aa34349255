"""Tokens as people read them: byte-level vocabularies spell every byte as a letter, ü as Ã¼."""

from collections.abc import Iterable
from functools import cache

from regard.text import Tokenizer

HALF = "\N{REPLACEMENT CHARACTER}"  # what a decoder writes for bytes that are no character


def token_texts(tokenizer: Tokenizer, ids: Iterable[int]) -> tuple[str, ...]:
    """What each token stands for by itself, the space before it included."""
    return tuple(token_text(tokenizer, int(number)) for number in ids)


def token_text(tokenizer: Tokenizer, number: int) -> str:
    """What a token stands for: its name in the vocabulary, or its bytes as text where the name spells bytes.

    A byte that is only part of a character is written <0xC3>. Whether a name spells bytes is known from what the token
    is decoded to: other vocabularies may have the letters Ã and ¼ and mean them.
    """
    name = tokenizer.token(number)
    letters = byte_letters()
    if name.isascii() or not all(letter in letters for letter in name):
        return name
    spelled = bytes(letters[letter] for letter in name).decode("utf-8", errors="surrogateescape")
    decoded = tokenizer.decode([number], special=True)
    if HALF in decoded or decoded.strip() == spelled.strip():
        return "".join(f"<0x{ord(letter) - 0xDC00:02X}>" if is_half(letter) else letter for letter in spelled)
    return name


def is_half(letter: str) -> bool:
    """Whether this is a byte that belongs to no whole character, as `surrogateescape` marks it."""
    return 0xDC80 <= ord(letter) <= 0xDCFF


@cache
def byte_letters() -> dict[str, int]:
    """The byte behind each letter of a byte-level vocabulary: Radford et al. 2019."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + index): byte for index, byte in enumerate(others)}

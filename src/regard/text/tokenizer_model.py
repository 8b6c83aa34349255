"""What every kind of tokeniser can do."""

from collections.abc import Collection, Sequence
from typing import Protocol, runtime_checkable

from regard.text.encoded import Encoded


@runtime_checkable
class TokenizerModel(Protocol):
    """Text to pieces and back. `special` numbers are those of tokens that text cannot spell unless asked."""

    vocabulary: dict[str, int]
    special: frozenset[int]

    def encode(self, text: str, pair: str | None, special_tokens: Collection[str], *, bare: bool) -> Encoded:
        """`asked` are the special tokens that are to be read from the text; `bare` adds none around it."""
        ...

    def decode(self, ids: Sequence[int]) -> str: ...

"""The tokeniser of a model."""

from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from regard.text.encoded import Encoded
from regard.text.files import TokenizerError
from regard.text.specials import Specials
from regard.text.streaming import DetokenizingStream
from regard.text.tokenizer_model import TokenizerModel


class Tokenizer:
    """Text to tokens and back, with the special tokens of a model.

    Text that looks like a special token stays text, unless it is asked for: `special=True` reads all of them from
    the text, `special=["[MASK]"]` these. `target` is the tokeniser of what the model writes, often the same one.
    """

    def __init__(
        self,
        model: TokenizerModel,
        specials: Specials = Specials(),
        *,
        side: Literal["left", "right"] = "right",
        target: "Tokenizer | None" = None,
    ) -> None:
        self.model = model
        self.specials = specials
        self.side = side
        self.target: Tokenizer = self if target is None else target
        self.vocabulary: dict[str, int] = model.vocabulary
        self._tokens = {number: token for token, number in self.vocabulary.items()}
        special = {*model.special, *specials}
        self._hidden = special - {specials.unk} if specials.unk != specials.eos else special
        self._names = frozenset(self._tokens[number] for number in special if number in self._tokens)

    def __len__(self) -> int:
        """As many as the largest number needs."""
        return max(self._tokens, default=-1) + 1

    def encode(
        self, text: str, pair: str | None = None, *, special: bool | Collection[str] = False, bare: bool = False
    ) -> Encoded:
        """The tokens of a text or of two, with what the model wants around them; `bare` leaves that out."""
        if isinstance(special, str):
            raise TokenizerError(f"special is True, False or several tokens, got the one string {special!r}")
        special_tokens = (self._names if special else ()) if isinstance(special, bool) else special
        if unknown := set(special_tokens) - self._names:
            raise TokenizerError(f"no special token: {', '.join(sorted(unknown))}; there are {self.special_names()}")
        return self.model.encode(text, pair, special_tokens, bare=bare)

    def decode(self, ids: Iterable[int], *, special: bool = False) -> str:
        """The text of some tokens. Special ones are left out unless asked for; an unknown word is always shown."""
        return self.model.decode([int(number) for number in ids if special or int(number) not in self._hidden])

    def stream(self, *, special: bool = False) -> DetokenizingStream:
        """Text from tokens that come one by one."""
        return DetokenizingStream(lambda ids: self.decode(ids, special=special))

    def token(self, number: int) -> str:
        """How a token is spelled in the vocabulary."""
        return self._tokens.get(number, f"<{number}>")

    def tokens(self, ids: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.token(int(number)) for number in ids)

    def number(self, token: str) -> int:
        """The number of a token."""
        if token not in self.vocabulary:
            raise TokenizerError(f"no token {token!r} among the {len(self.vocabulary)} of this tokeniser")
        return self.vocabulary[token]

    def special_names(self, limit: int = 8) -> str:
        """The special tokens, the first few of many."""
        names: Sequence[str] = sorted(self._names, key=lambda name: self.vocabulary[name])
        return ", ".join(names[:limit]) + (f", … ({len(names)} in all)" if len(names) > limit else "")

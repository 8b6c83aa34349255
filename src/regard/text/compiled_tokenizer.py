"""Tokenisers that the `tokenizers` package runs."""

import json
import secrets
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tokenizers

from regard.errors import RegardError
from regard.settings import TOKEN
from regard.text.encoded import Encoded
from regard.text.files import TokenizerError, read_text
from regard.untrusted import first_line

SIGNS = frozenset("<[")  # that names of special tokens begin with, as in <s>, [CLS] and <|endoftext|>


class CompiledTokenizer:
    """A tokeniser of the `tokenizers` package.

    The package reads special tokens out of any text. Here a copy that does not know them does the reading; those
    that somebody asks for stay in a copy of their own.
    """

    def __init__(self, whole: tokenizers.Tokenizer) -> None:
        whole.no_truncation()
        whole.no_padding()
        self.whole = whole
        self.vocabulary: dict[str, int] = whole.get_vocab(with_added_tokens=True)
        added = whole.get_added_tokens_decoder()
        self.special: frozenset[int] = frozenset(number for number, token in added.items() if token.special)
        self.special_signs: frozenset[str] = frozenset(token.content[:1] for token in added.values() if token.special)
        self.readers: dict[frozenset[str], tokenizers.Tokenizer] = {}

    def encode(self, text: str, pair: str | None, special_tokens: Collection[str], *, bare: bool) -> Encoded:
        with package_errors("the tokeniser cannot read this text"):
            is_plain = not self.may_spell_special(text) and (pair is None or not self.may_spell_special(pair))
            reader = self.whole if is_plain else self.reader(frozenset(special_tokens))
            encoding = reader.encode(text, pair, add_special_tokens=not bare)
        return Encoded(
            tuple(encoding.ids),
            tuple(encoding.tokens),
            tuple(encoding.offsets),
            tuple(encoding.word_ids),
            tuple(encoding.type_ids),
            tuple(encoding.sequence_ids),
        )

    def decode(self, ids: Sequence[int]) -> str:
        with package_errors("the tokeniser cannot write these tokens"):
            return self.whole.decode(list(ids), skip_special_tokens=False)

    def may_spell_special(self, text: str) -> bool:
        """Whether a text has a sign that a special token begins with, before or after it is normalised. Where it has
        none, all copies read the same; only signs that no step of a tokeniser makes of others tell that."""
        if not self.special_signs <= SIGNS:
            return True
        normalizer = self.whole.normalizer
        forms = [text] if normalizer is None else [text, normalizer.normalize_str(text)]
        return any(sign in form for form in forms for sign in self.special_signs)

    def reader(self, special_tokens: frozenset[str]) -> tokenizers.Tokenizer:
        """A tokeniser that finds these special tokens in a text, and no others; made once."""
        if special_tokens not in self.readers:
            self.readers[special_tokens] = self.make_reader(special_tokens)
        return self.readers[special_tokens]

    def make_reader(self, special_tokens: frozenset[str]) -> tokenizers.Tokenizer:
        names = {token for token, number in self.vocabulary.items() if number in self.special}
        if names <= special_tokens:
            return self.whole
        return tokenizers.Tokenizer.from_str(
            json.dumps(without_tokens(json.loads(self.whole.to_str()), names - special_tokens))
        )


def without_tokens(description: dict[str, Any], hidden: Collection[str]) -> dict[str, Any]:
    """A tokeniser's description in which no text spells the hidden tokens. All numbers stay.

    A hidden token is renamed to what nobody can guess: among the added tokens, where numbers are given in order, and
    in the model, which would find it as a word. The model's own unknown word has to stay.
    """
    model = description["model"]
    words = model["vocab"]
    unknown = words[model["unk_id"]][0] if model.get("unk_id") is not None else model.get("unk_token")
    names = {name: f"\0{secrets.token_hex(16)}" for name in hidden}
    inside = {word for word, _ in words} if isinstance(words, list) else set(words)
    added = [token for token in description["added_tokens"] if token["content"] not in names.keys() & inside]
    added = [token | {"content": names.get(token["content"], token["content"])} for token in added]
    names.pop(unknown, None)
    if isinstance(words, list):
        words = [[names.get(word, word), score] for word, score in words]
    else:
        words = {names.get(word, word): number for word, number in words.items()}
    model = model | {"vocab": words}
    if "merges" in model:
        prefix = model.get("continuing_subword_prefix") or ""
        model["merges"] = [pair for pair in model["merges"] if merge_result(pair, prefix) not in names]
    return description | {"model": model, "added_tokens": added}


def merge_result(pair: str | list[str], prefix: str) -> str:
    """What a merge makes of its two pieces."""
    left, right = pair.split(" ", 1) if isinstance(pair, str) else pair
    return left + right.removeprefix(prefix)


def load_compiled(path: Path) -> CompiledTokenizer:
    """Read tokenizer.json."""
    description = read_text(path)
    with package_errors(f"{path}: no readable tokeniser"):
        tokenizer = CompiledTokenizer(tokenizers.Tokenizer.from_str(description))
        for pair in (None, ""):  # what it puts around texts is in its vocabulary
            tokenizer.whole.encode("", pair)
    if (largest := max(tokenizer.vocabulary.values(), default=0)) not in TOKEN:
        raise TokenizerError(f"{path}: a token has the number {largest}: {TOKEN} expected")
    return tokenizer


@contextmanager
def package_errors(line: str) -> Iterator[None]:
    """Whatever the package raises, which is nothing more telling, or panics with, in one line."""
    try:
        yield
    except RegardError:
        raise
    except BaseException as problem:
        if not isinstance(problem, Exception) and type(problem).__name__ != "PanicException":
            raise
        raise TokenizerError(f"{line} ({first_line(problem)})") from None

"""Tokens as a page shows them: what each stands for in the text, its word, whether it was written."""

from collections.abc import Sequence

from regard.tasks.alignment import words_at
from regard.text import Encoded, Tokenizer
from regard.viewer.payload import TokenColumn

CONTEXT = 32  # tokens that the text of the next one may depend on


def read(name: str, texts: Sequence[str], encoded: Encoded, tokenizer: Tokenizer) -> TokenColumn:
    """A text, or two, that was given."""
    shown, words, before, first = [], [], [0] * len(texts), 0
    numbers = []
    for which, text in enumerate(texts):
        ends = [offset[1] if of == which else None for offset, of in zip(encoded.offsets, encoded.texts, strict=True)]
        found = words_at(text, ends)
        numbers.append([None if word is None else word + first for word in found])
        first += max((word + 1 for word in found if word is not None), default=0)
    for place, which in enumerate(encoded.texts):
        if which is None:
            shown.append(encoded.tokens[place])
            words.append(None)
            continue
        end = max(encoded.offsets[place][1], before[which])
        shown.append(texts[which][before[which] : end])
        words.append(numbers[which][place])
        before[which] = end
    return TokenColumn(
        name=name,
        texts=shown,
        ids=list(encoded.ids),
        words=words,
        special=[
            which is None or is_special(number, tokenizer)
            for number, which in zip(encoded.ids, encoded.texts, strict=True)
        ],
        segments=list(encoded.segments),
        prefix_length=len(encoded),
        scores=[None] * len(encoded),
        next=[None] * len(encoded),
    )


def written(
    side: TokenColumn, ids: Sequence[int], scores: Sequence[float], is_finished: bool, tokenizer: Tokenizer
) -> TokenColumn:
    """The same with the tokens that a model wrote after it."""
    texts = pieces(side.ids, ids, tokenizer)
    text = "".join(side.texts[: side.prefix_length]) if side.name == "text" else ""
    ends, reached = [], len(text)
    for piece in texts:
        reached += len(piece)
        ends.append(reached)
    words = words_at(text + "".join(texts), ends)
    following = [*texts, ending(tokenizer) if is_finished else None]
    blank = [None] * (side.prefix_length - 1)
    return side.model_copy(
        update={
            "texts": [*side.texts, *texts],
            "ids": [*side.ids, *ids],
            "words": [*side.words, *words],
            "special": [*side.special, *(is_special(number, tokenizer) for number in ids)],
            "segments": [*side.segments, *[0] * len(ids)],
            "scores": [*side.scores, *scores[: len(ids)]],
            "next": [*blank, *following] if side.prefix_length else following[1:],
        }
    )


class Spelling:
    """What each token adds to a text, as they come. Half a letter is nothing; the token that ends it adds all of it."""

    def __init__(self, before: Sequence[int], tokenizer: Tokenizer) -> None:
        self.tokenizer, self.ids = tokenizer, list(before[-CONTEXT:])
        self.known = tokenizer.decode(self.ids)

    def add(self, number: int) -> str:
        self.ids.append(number)
        text = self.tokenizer.decode(self.ids)
        if not text.startswith(self.known) or text.endswith("\ufffd"):
            return ""
        added, self.known = text[len(self.known) :], text
        if len(self.ids) > 4 * CONTEXT:  # what is far behind changes nothing
            self.ids = self.ids[-CONTEXT:]
            self.known = self.tokenizer.decode(self.ids)
        return added or (self.tokenizer.token(number) if is_special(number, self.tokenizer) else "")

    def end(self) -> str:
        """What is left of a letter that was never finished."""
        return self.tokenizer.decode(self.ids).removeprefix(self.known)


def pieces(before: Sequence[int], ids: Sequence[int], tokenizer: Tokenizer) -> list[str]:
    """What each written token adds to the text."""
    spelling = Spelling(before, tokenizer)
    found = [spelling.add(number) for number in ids]
    if found:
        found[-1] += spelling.end()
    return found


def begun(start: int, tokenizer: Tokenizer) -> TokenColumn:
    """The side that is written, before anything is: the token that it begins with."""
    return TokenColumn(
        name="target",
        texts=[tokenizer.token(start)],
        ids=[start],
        words=[None],
        special=[True],
        segments=[0],
        prefix_length=1,
        scores=[None],
        next=[None],
    )


def named(name: str, texts: Sequence[str]) -> TokenColumn:
    """Whole sentences as if they were tokens."""
    count = len(texts)
    return TokenColumn(
        name=name,
        texts=list(texts),
        ids=[-1] * count,
        words=list(range(count)),
        special=[False] * count,
        segments=[0] * count,
        prefix_length=count,
        scores=[None] * count,
        next=[None] * count,
    )


def is_special(number: int, tokenizer: Tokenizer) -> bool:
    """Whether a token means something else than letters."""
    return number in set(tokenizer.specials) and number != tokenizer.specials.unk


def ending(tokenizer: Tokenizer) -> str:
    """How the token that ends a text is spelled."""
    specials = tokenizer.specials
    number = specials.sep if specials.eos is None else specials.eos
    return "" if number is None else tokenizer.token(number)

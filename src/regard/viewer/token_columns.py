"""Tokens as a page shows them: what each stands for in the text, its word, whether it was written."""

from collections.abc import Sequence

from regard.tasks.alignment import words_at
from regard.tasks.spelling import HALF, token_text
from regard.text import Encoded, Tokenizer
from regard.viewer.payload import TokenColumn

CONTEXT = 32  # tokens that the text of the next one may depend on


def text_column(name: str, texts: Sequence[str], encoded: Encoded, tokenizer: Tokenizer) -> TokenColumn:
    """A text, or two, that was given."""
    shown, words, before, first = [], [], [0] * len(texts), 0
    numbers, special = [], special_ids(tokenizer)
    for which, text in enumerate(texts):
        ends = [offset[1] if of == which else None for offset, of in zip(encoded.offsets, encoded.texts, strict=True)]
        text_words = words_at(text, ends)
        numbers.append([None if word is None else word + first for word in text_words])
        first += max((word + 1 for word in text_words if word is not None), default=0)
    for position, which in enumerate(encoded.texts):
        if which is None:
            shown.append(token_text(tokenizer, encoded.ids[position]))
            words.append(None)
            continue
        end = max(encoded.offsets[position][1], before[which])
        shown.append(texts[which][before[which] : end])
        words.append(numbers[which][position])
        before[which] = end
    return TokenColumn(
        name=name,
        texts=shown,
        ids=list(encoded.ids),
        words=words,
        special=[which is None or number in special for number, which in zip(encoded.ids, encoded.texts, strict=True)],
        segments=list(encoded.segments),
        prefix_length=len(encoded),
        scores=[None] * len(encoded),
        next=[None] * len(encoded),
    )


def start_column(name: str, start: int, tokenizer: Tokenizer) -> TokenColumn:
    """What is written, before anything is: the token that it begins with."""
    return TokenColumn(
        name=name,
        texts=[token_text(tokenizer, start)],
        ids=[start],
        words=[None],
        special=[True],
        segments=[0],
        prefix_length=1,
        scores=[None],
        next=[None],
    )


def sentence_column(name: str, texts: Sequence[str]) -> TokenColumn:
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


def join_columns(first: TokenColumn, second: TokenColumn) -> TokenColumn:
    """Two columns as one stream, under the name of the first; nothing of either was written."""
    lists = ("texts", "ids", "words", "special", "segments", "scores", "next")
    joined = {name: [*getattr(first, name), *getattr(second, name)] for name in lists}
    return first.model_copy(update=joined | {"prefix_length": first.prefix_length + second.prefix_length})


def written_column(
    column: TokenColumn, ids: Sequence[int], scores: Sequence[float], is_finished: bool, tokenizer: Tokenizer
) -> TokenColumn:
    """The same with the tokens that a model wrote after it."""
    texts = added_texts(column.ids, ids, tokenizer)
    text = "".join(column.texts[: column.prefix_length]) if column.name == "text" else ""
    ends, reached = [], len(text)
    for added in texts:
        reached += len(added)
        ends.append(reached)
    words = words_at(text + "".join(texts), ends)
    following = [*texts, end_text(tokenizer) if is_finished else None]
    blank, special = [None] * (column.prefix_length - 1), special_ids(tokenizer)
    return column.model_copy(
        update={
            "texts": [*column.texts, *texts],
            "ids": [*column.ids, *ids],
            "words": [*column.words, *words],
            "special": [*column.special, *(number in special for number in ids)],
            "segments": [*column.segments, *[0] * len(ids)],
            "scores": [*column.scores, *scores[: len(ids)]],
            "next": [*blank, *following] if column.prefix_length else following[1:],
        }
    )


class TokenSpelling:
    """What each token adds to a text, as they come. Half a letter is nothing; the token that ends it adds all of it."""

    def __init__(self, before: Sequence[int], tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.ids: list[int] = list(before[-CONTEXT:])
        self.text: str = tokenizer.decode(self.ids).rstrip(HALF)

    def add(self, number: int) -> str:
        self.ids.append(number)
        text = self.tokenizer.decode(self.ids)
        if not text.startswith(self.text) or text.endswith(HALF):
            return ""
        added, self.text = text[len(self.text) :], text
        if len(self.ids) > 4 * CONTEXT:  # what is far behind changes nothing
            self.ids = self.ids[-CONTEXT:]
            self.text = self.tokenizer.decode(self.ids)
        return added or (token_text(self.tokenizer, number) if number in special_ids(self.tokenizer) else "")

    def end(self) -> str:
        """What is left of a letter that was never finished."""
        text = self.tokenizer.decode(self.ids)
        return text[len(self.text) :] if text.startswith(self.text) else ""


def added_texts(before: Sequence[int], ids: Sequence[int], tokenizer: Tokenizer) -> list[str]:
    """What each written token adds to the text."""
    spelling = TokenSpelling(before, tokenizer)
    texts = [spelling.add(number) for number in ids]
    if texts:
        texts[-1] += spelling.end()
    return texts


def option_texts(before: Sequence[int], options: Sequence[int], tokenizer: Tokenizer) -> list[str]:
    """What each of some tokens would add to a text, or what it stands for by itself: if that is nothing, or half a
    letter."""
    ids = list(before[-CONTEXT:])
    text = tokenizer.decode(ids).rstrip(HALF)
    longer = [tokenizer.decode([*ids, number]) for number in options]
    is_whole = [added.startswith(text) and not added.endswith(HALF) for added in longer]
    return [
        (added[len(text) :] if whole else "") or token_text(tokenizer, number)
        for number, added, whole in zip(options, longer, is_whole, strict=True)
    ]


def special_ids(tokenizer: Tokenizer) -> frozenset[int]:
    """The tokens that mean something else than letters."""
    return frozenset(tokenizer.specials) - {tokenizer.specials.unk}


def end_text(tokenizer: Tokenizer) -> str:
    """How the token that ends a text is spelled."""
    specials = tokenizer.specials
    number = specials.sep if specials.eos is None else specials.eos
    return "" if number is None else token_text(tokenizer, number)

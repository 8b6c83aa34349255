"""Texts in capitals, for models that learned from small letters: what is read and written stays as long as it was."""

ENOUGH = 4  # letters: fewer may be an abbreviation
LARGE = {"ß": "ẞ"}  # upper() makes two letters of it


def is_in_capitals(text: str) -> bool:
    """Whether all letters of a text are capitals, and it would stay as long in small ones."""
    return text.isupper() and sum(map(str.isalpha, text)) >= ENOUGH and len(text.lower()) == len(text)


def to_sentence_case(text: str) -> str:
    """A text in capitals as a sentence: its first letter stays."""
    first = next(position for position, letter in enumerate(text) if letter.isalpha())
    return text[: first + 1] + text[first + 1 :].lower()


def to_capitals(text: str) -> str:
    """A text in capitals, letter by letter."""
    raised = (LARGE.get(letter, letter.upper()) for letter in text)
    return "".join(new if len(new) == 1 else old for old, new in zip(text, raised, strict=True))

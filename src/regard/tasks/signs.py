"""Signs in a text that are no words: those before a letter that is a key to press, and whether there are tags."""

import re
from dataclasses import replace

from regard.tasks.translation import Translation


def without_mnemonic(text: str, sign: str) -> str:
    """A text without the sign before the letter that is a key to press, if there is one."""
    at = mnemonic_in(text, sign)
    return text if at is None else text[:at] + text[at + 1 :]


def mnemonic_in(text: str, sign: str) -> int | None:
    """Where the sign stands that makes the next letter a key; one that is doubled does not."""
    match = re.search(
        rf"(?<![\w{re.escape(sign)}]){re.escape(sign)}(?=\w)|(?<=[a-z]){re.escape(sign)}(?=[a-z]+\b)", text
    )
    return None if match is None else match.start()


def with_mnemonic(source: str, answer: Translation, sign: str) -> Translation:
    """A translation with the sign before the same letter, or else before its first one."""
    at = mnemonic_in(source, sign)
    if at is None:
        return replace(answer, source=source)
    key = source[at + 1].casefold()
    places = [index for index, letter in enumerate(answer.text) if letter.casefold() == key]
    places = [place for place in places if not answer.text[place - 1 : place].isalnum()] or places
    places = places or [index for index, letter in enumerate(answer.text) if letter.isalnum()]
    text = answer.text[: places[0]] + sign + answer.text[places[0] :] if places else answer.text
    return replace(answer, source=source, text=text)


def has_tags(text: str) -> bool:
    """Whether a text that is no page has tags that belong together, or stand alone."""
    if not isinstance(text, str) or "<" not in text:
        return False
    from regard.text.markup import plain_tags
    from regard.text.segments import Segment

    return any(part.marks for part in plain_tags(text) if isinstance(part, Segment))

"""What looks wrong in a translation, so that somebody who cannot read it knows where to look."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from regard.decoding.hypothesis import Hypothesis
from regard.tasks.inputs import SourceSentence

if TYPE_CHECKING:
    from regard.tasks.alignment import Alignment

SHORT, LONG = 0.5, 3.0  # tokens of a translation for each of its source
ENOUGH = 20  # tokens: fewer say nothing of a ratio
RATHER_SHORT = 0.85  # so few that a look at what was read is worth its time
FEW_LOOKS = 0.3  # looks, in all, at a word that is left out
LONGEST_LOOP, IN_A_ROW, LOOPING = 8, 3, 6  # tokens that are said again, how often, and all of them together
LONGEST_GAP = 5  # words in a row that nobody looks at


@dataclass(frozen=True)
class TranslationWarning:
    """Something that looks wrong. `kind` is "span", "length", "stopped", "repetition" or "coverage"; a message is one
    line."""

    kind: str
    message: str

    def __str__(self) -> str:
        return self.message


def is_short(sentence: SourceSentence, hypothesis: Hypothesis) -> bool:
    """Whether most of a sentence seems to be missing, or was not written to its end."""
    count = len(sentence.tokens)
    return count >= ENOUGH and (len(hypothesis.ids) < SHORT * count or not hypothesis.is_finished)


def is_collapsed(sentence: SourceSentence, hypothesis: Hypothesis) -> bool:
    """Whether what a sentence says again and again is said far less often, or, if it says hardly anything else, not
    again and again."""
    ids = sentence.tokens.ids
    if not is_looping(ids):
        return False
    is_all_of_it = 2 * len(set(ids)) < len(ids)
    return len(hypothesis.ids) < SHORT * len(ids) or (is_all_of_it and not is_looping(hypothesis.ids))


def may_lack_words(sentence: SourceSentence, hypothesis: Hypothesis | None) -> bool:
    """Whether it is worth while to look what was left out."""
    count = len(sentence.tokens) if hypothesis else 0
    return hypothesis is not None and count >= ENOUGH and len(hypothesis.ids) < RATHER_SHORT * count


def is_looping(ids: Sequence[int]) -> bool:
    """Whether some tokens come three times in a row, six of them in all: three noughts are a number."""
    if len(set(ids)) > len(ids) - 4:  # the shortest loops are of two tokens, three times, or of one, six times
        return False
    for size in range(1, LONGEST_LOOP + 1):
        run = 0
        for token, later in zip(ids, ids[size:], strict=False):
            run = run + 1 if token == later else 0
            if run >= max(IN_A_ROW * size, LOOPING) - size:
                return True
    return False


def is_repeating(sentence: SourceSentence, hypothesis: Hypothesis) -> bool:
    """Whether a translation loops where its source does not."""
    return is_looping(hypothesis.ids) and not is_looping(sentence.tokens.ids)


def length_warnings(sentence: SourceSentence, hypothesis: Hypothesis, text: str) -> list[TranslationWarning]:
    """What the length of a translation tells of it."""
    begin = sentence.sentence[:40] + ("…" if len(sentence.sentence) > 40 else "")
    counts = f"{len(sentence.sentence.split())} words became {len(text.split())}: {begin}"
    written, read = len(hypothesis.ids), len(sentence.tokens)
    if not hypothesis.is_finished:
        return [TranslationWarning("stopped", f"stopped after {written} tokens, before its end: {begin}")]
    if is_repeating(sentence, hypothesis):
        return [TranslationWarning("repetition", f"says the same again and again: {begin}")]
    is_long = read >= 4 and written > LONG * read + 10
    if is_long or (read >= ENOUGH and written < SHORT * read):
        return [TranslationWarning("length", counts)]
    return []


def coverage_warnings(source: str, alignment: "Alignment") -> list[TranslationWarning]:
    """What no word of a translation looked at, if it is several words in a row."""
    from regard.text.align.words import membership

    words = source.split()
    belongs = membership([*alignment.source_words, len(words) - 1])[:, :-1]  # a row for every word
    looks = alignment.weights.sum(0) @ belongs.T
    is_seen = looks >= FEW_LOOKS
    gaps = np.split(np.arange(len(words)), np.flatnonzero(np.diff(is_seen)) + 1)
    longest = max((gap for gap in gaps if len(gap) and not is_seen[gap[0]]), key=len, default=np.arange(0))
    if len(longest) < LONGEST_GAP:
        return []
    missing = " ".join(words[longest[0] : longest[-1] + 1])
    shown = missing[:60] + ("…" if len(missing) > 60 else "")
    return [TranslationWarning("coverage", f"nothing seems to stand for {len(longest)} words: {shown}")]

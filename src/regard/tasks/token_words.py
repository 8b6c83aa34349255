"""Which word of a text each token belongs to, and what it is called."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np


def words_at(text: str, ends: Sequence[int | None]) -> tuple[int | None, ...]:
    """The number of the word in which each token ends, given how many characters of the text are read by then."""
    numbers, count, outside = [-1], -1, True
    for letter in text:
        count += outside and not letter.isspace()
        outside = letter.isspace()
        numbers.append(count)
    return tuple(None if end is None or numbers[end] < 0 else numbers[end] for end in ends)


def texts_at(text: str, ends: Sequence[int | None], tokens: Sequence[str]) -> tuple[str, ...]:
    """The letters of the text that each token adds to those before it; its name where it adds none."""
    texts, begin = [], 0
    for end, token in zip(ends, tokens, strict=True):
        texts.append((text[begin:end].strip() if end is not None else "") or token)
        begin = begin if end is None else max(begin, end)
    return tuple(texts)


def block_diagonal(blocks: Sequence[np.ndarray]) -> np.ndarray:
    """One matrix of several, zero wherever a row of one meets a column of another."""
    rows, columns = ([0, *accumulate(block.shape[axis] for block in blocks)] for axis in (0, 1))
    matrix = np.zeros((rows[-1], columns[-1]), dtype=np.result_type(np.float32, *(block.dtype for block in blocks)))
    for number, block in enumerate(blocks):
        matrix[rows[number] : rows[number + 1], columns[number] : columns[number + 1]] = block
    return matrix

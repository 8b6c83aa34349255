"""Answers to questions about a story: both are read, and the likeliest word is the answer."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from jaxtyping import Float
from rich.cells import cell_len

from regard.config import MemoryNetworkConfig
from regard.errors import CheckpointError, RegardError
from regard.pictures import Picture, terminal
from regard.pictures.labels import visible
from regard.tasks.inputs import StoryQuestion
from regard.tasks.processors.processor import ModelDescription, Processor
from regard.text import Tokenizer
from regard.text.sentences import split
from regard.text.story_rows import encode_story

Story = str | Sequence[str]
"""A text, or its sentences."""
NOTHING = "(nothing)"
"""How the empty memory is shown, if the model has one."""


@dataclass(frozen=True, eq=False)
class HopWeights:
    """How much each hop looked at each sentence, and last at nothing if the model can; a row sums to 1."""

    weights: Float[np.ndarray, "hops sentences"]
    sentences: tuple[str, ...]

    @property
    def reads(self) -> tuple[int, ...]:
        """The number of the sentence that each hop looked at most, counted from 0."""
        return tuple(self.weights.argmax(-1).tolist())

    def draw(self, *, colour: bool = False) -> str:
        """For the terminal: a column for each hop, beside each sentence."""
        lines = terminal.heat(self.weights.T, None, self.columns, colour=colour).split("\n")
        width = cell_len(lines[0])
        rows = zip(lines, ("", *self.sentences), strict=True)
        return "\n".join(
            f"{line}{' ' * (width - visible_width(line))}  {visible(sentence)}".rstrip() for line, sentence in rows
        )

    def picture(self, title: str = "") -> Picture:
        """A row for each sentence, a column for each hop."""
        return Picture(self.weights.T, self.sentences, self.columns, title)

    def svg(self, title: str = "") -> str:
        """The picture with the exact weights under the pointer."""
        return self.picture(title).svg()

    def save(self, path: str | Path, title: str = "") -> None:
        """Write the picture in the form that the file's ending says: .svg, .png, .html or .txt."""
        self.picture(title).save(path)

    @property
    def columns(self) -> list[str]:
        return [f"hop {number}" for number in range(1, len(self.weights) + 1)]

    def _repr_html_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.draw()


def visible_width(line: str) -> int:
    """The cells of the terminal that a line takes, its colours left out."""
    return cell_len(re.sub(r"\x1b\[[0-9;]*m", "", line))


@dataclass(frozen=True)
class AnswerResult:
    """An answer, its probability, and how it was found.

    `story` are the sentences that the model remembers, which are the last ones of a long story; `unknown` the words
    that it never learned, which it reads as if they were all the same.
    """

    story: tuple[str, ...]
    question: str
    text: str
    score: float
    unknown: tuple[str, ...]
    hops: HopWeights = field(repr=False, compare=False)


@dataclass(frozen=True, eq=False)
class AnswerProbabilities:
    """The probability of every word as an answer, and how much each hop looked at each memory, the empty one last."""

    probabilities: Float[np.ndarray, " words"]
    hops: Float[np.ndarray, "hops memories"]


class AnswerProcessor(Processor):
    """Reads a story and a question, and names the answer and what it rests on."""

    def __init__(self, description: ModelDescription, tokenizer: Tokenizer | None) -> None:
        super().__init__(description, tokenizer)
        config = description.config
        assert isinstance(config, MemoryNetworkConfig)
        if tokenizer is not None and (tokenizer.specials.pad or 0) != config.pad:
            pad = tokenizer.specials.pad
            raise CheckpointError(f"{description.folder}: the tokeniser pads with {pad}, the model with {config.pad}")
        self.config = config

    def read(self, story: Story, question: str) -> StoryQuestion:
        """As many sentences of a story as the model remembers, and a question about it."""
        sentences = self.remembered_sentences(story)
        story_ids, question_ids = encode_story(sentences, question, self.tokenizer)
        for ids in (*story_ids, question_ids):
            self.check_known(ids.tolist())
        if not len(question_ids):
            raise RegardError("no question: at least one word expected")
        return StoryQuestion(sentences, question, story_ids, question_ids)

    def answer(self, question: StoryQuestion, result: AnswerProbabilities) -> AnswerResult:
        best, story = int(result.probabilities.argmax()), question.story
        weights, names = result.hops[:, : len(story)], story  # the padding of the batch is left out
        if self.config.empty:
            weights, names = np.concatenate([weights, result.hops[:, -1:]], 1), (*story, NOTHING)
        return AnswerResult(
            story,
            question.question,
            self.tokenizer.token(best),
            float(result.probabilities[best]),
            self.unknown((*story, question.question)),
            HopWeights(weights, names),
        )

    def remembered_sentences(self, story: Story) -> tuple[str, ...]:
        """The sentences of a story, as many as the model remembers."""
        texts = [story] if isinstance(story, str) else story
        sentences = [sentence for text in texts for sentence, _ in split(text)]
        result = tuple(sentence for sentence in sentences if self.tokenizer.encode(sentence, bare=True).ids)
        if not result:
            raise RegardError("no story: at least one sentence expected")
        return result[-self.config.memories :]

    def unknown(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Words that the model never learned, each once."""
        number = self.tokenizer.specials.unk
        unknown_words: dict[str, None] = {}
        for text in texts:
            encoded = self.tokenizer.encode(text, bare=True)
            ids_and_offsets = zip(encoded.ids, encoded.offsets, strict=True)
            unknown_words.update((text[begin:end], None) for token, (begin, end) in ids_and_offsets if token == number)
        return tuple(unknown_words)

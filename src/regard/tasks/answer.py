"""Answers to questions about a story, and which sentences they rest on."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import overload

import numpy as np
import torch
from jaxtyping import Float
from rich.cells import cell_len

from regard.checkpoints import Checkpoint, CheckpointError
from regard.config import Config
from regard.errors import RegardError
from regard.looking import watch
from regard.models import MemoryNetworkConfig
from regard.pictures import Picture, terminal
from regard.pictures.labels import visible
from regard.tasks.inputs import StoryQuestion
from regard.tasks.task import OnProgress, Task, as_array
from regard.text import Tokenizer
from regard.text.sentences import split
from regard.text.story_batch import StoryBatch, encode_story

Story = str | Sequence[str]
"""A text, or its sentences."""
ROWS = 64  # questions that are answered at a time
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


class AnswerTask(Task):
    """Answer a question about a story: `answer("Brian is a frog. Brian is green.", "What color is Brian?").text`."""

    name = "answer"

    def __init__(self, checkpoint: Checkpoint, tokenizer: Tokenizer | None) -> None:
        super().__init__(checkpoint, tokenizer)
        config = checkpoint.model.config
        assert isinstance(config, MemoryNetworkConfig)
        if tokenizer is not None and (tokenizer.specials.pad or 0) != config.pad:
            pad = tokenizer.specials.pad
            raise CheckpointError(f"{checkpoint.folder}: the tokeniser pads with {pad}, the model with {config.pad}")
        self.config = config

    @classmethod
    def serves(cls, config: Config, folder: Path) -> bool:
        return isinstance(config, MemoryNetworkConfig)

    @overload
    def __call__(self, story: Story, question: str) -> AnswerResult: ...  # pyright: ignore[reportOverlappingOverload]  (a str is an iterable, too)

    @overload
    def __call__(self, story: Story, question: Iterable[str]) -> list[AnswerResult]: ...

    def __call__(self, story: Story, question: str | Iterable[str]) -> AnswerResult | list[AnswerResult]:
        """One answer, or one for each of several questions about the same story."""
        if isinstance(question, str):
            return self.all([(story, question)])[0]
        return self.all([(story, text) for text in question])

    def all(self, questions: Iterable[tuple[Story, str]]) -> list[AnswerResult]:
        """An answer for every pair of a story and a question."""
        read = [self.read(story, question) for story, question in questions]
        return [self.answer(*pair) for pair in zip(read, self.run(read), strict=True)]

    def read(self, story: Story, question: str) -> StoryQuestion:
        """As many sentences of a story as the model remembers, and a question about it."""
        sentences = self.remembered_sentences(story)
        story_ids, question_ids = encode_story(sentences, question, self.tokenizer)
        if not len(question_ids):
            raise RegardError("no question: at least one word expected")
        return StoryQuestion(sentences, question, story_ids, question_ids)

    def run(
        self, questions: Sequence[StoryQuestion], *, progress: OnProgress | None = None
    ) -> list[AnswerProbabilities]:
        """How likely every word is to answer each question; stories of like length are read together."""
        order = sorted(range(len(questions)), key=lambda row: len(questions[row].story))
        results: dict[int, AnswerProbabilities] = {}
        for start in range(0, len(order), ROWS):
            rows = order[start : start + ROWS]
            results.update(zip(rows, self.run_batch([questions[row] for row in rows]), strict=True))
            if progress is not None:
                progress(len(rows))
        return [results[row] for row in range(len(questions))]

    @torch.no_grad()
    def run_batch(self, questions: Sequence[StoryQuestion]) -> list[AnswerProbabilities]:
        nothing = np.zeros(1, dtype=np.int64)
        batch = StoryBatch.of([(one.story_ids, one.question_ids, nothing) for one in questions], self.config.pad)
        with watch(self.model, "hop.*") as seen:
            logits = self.model(batch.story.to(self.device), batch.question.to(self.device))[:, 0]
        hops = as_array(torch.stack([seen[name].weights()[:, 0, 0] for name in seen], 1))
        return list(map(AnswerProbabilities, as_array(logits.softmax(-1)), hops))

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

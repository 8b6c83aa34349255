"""Answers to questions about a story, and which sentences they rest on."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from rich.cells import cell_len
from torch import Tensor

from regard.checkpoints import Checkpoint, CheckpointError
from regard.checkpoints.hub import Config
from regard.errors import RegardError
from regard.looking import watch
from regard.models import MemoryNetworkConfig
from regard.pictures import Picture, terminal
from regard.pictures.labels import visible
from regard.tasks.task import Task
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

    weights: Float[Tensor, "hops sentences"]
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
    def serves(cls, config: Config) -> bool:
        return isinstance(config, MemoryNetworkConfig)

    def __call__(self, story: Story, question: str | Iterable[str]) -> Any:
        """One answer, or one for each of several questions about the same story."""
        alone = isinstance(question, str)
        questions = [question] if isinstance(question, str) else list(question)
        answers = self.all([(story, text) for text in questions])
        return answers[0] if alone else answers

    def all(self, questions: Iterable[tuple[Story, str]]) -> list[AnswerResult]:
        """An answer for every pair of a story and a question."""
        pairs = [(self.remembered_sentences(story), question) for story, question in questions]
        order = sorted(range(len(pairs)), key=lambda row: len(pairs[row][0]))
        answers: dict[int, AnswerResult] = {}
        for start in range(0, len(order), ROWS):
            rows = order[start : start + ROWS]
            answers.update(zip(rows, self.answer_batch([pairs[row] for row in rows]), strict=True))
        return [answers[row] for row in range(len(pairs))]

    def remembered_sentences(self, story: Story) -> tuple[str, ...]:
        """The sentences of a story, as many as the model remembers."""
        texts = [story] if isinstance(story, str) else story
        sentences = [sentence for text in texts for sentence, _ in split(text)]
        result = tuple(sentence for sentence in sentences if self.tokenizer.encode(sentence, bare=True).ids)
        if not result:
            raise RegardError("no story: at least one sentence expected")
        return result[-self.config.memories :]

    @torch.no_grad()
    def answer_batch(self, pairs: Sequence[tuple[tuple[str, ...], str]]) -> list[AnswerResult]:
        nothing = torch.zeros(1, dtype=torch.long).numpy()
        rows = [(*encode_story(story, question, self.tokenizer), nothing) for story, question in pairs]
        for _, question, _ in rows:
            if not len(question):
                raise RegardError("no question: at least one word expected")
        batch = StoryBatch.of(rows, self.config.pad)  # type: ignore[arg-type]
        with watch(self.model, "hop.*") as seen:
            scores = self.model(batch.story.to(self.device), batch.question.to(self.device))[:, 0]
        hops = torch.stack([seen[name].weights()[:, 0, 0] for name in seen], 1).cpu()
        best = scores.softmax(-1).max(-1)
        return [
            AnswerResult(
                story,
                question,
                self.tokenizer.token(int(best.indices[row])),
                float(best.values[row]),
                self.unknown((*story, question)),
                self.hops(hops[row], story),
            )
            for row, (story, question) in enumerate(pairs)
        ]

    def hops(self, weights: Float[Tensor, "hops keys"], story: tuple[str, ...]) -> HopWeights:
        """The looks at one story, without its padding."""
        story_weights = weights[:, : len(story)]
        return (
            HopWeights(torch.cat([story_weights, weights[:, -1:]], 1), (*story, NOTHING))
            if self.config.empty
            else HopWeights(story_weights, story)
        )

    def unknown(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Words that the model never learned, each once."""
        number = self.tokenizer.specials.unk
        unknown_words: dict[str, None] = {}
        for text in texts:
            encoded = self.tokenizer.encode(text, bare=True)
            ids_and_offsets = zip(encoded.ids, encoded.offsets, strict=True)
            unknown_words.update((text[begin:end], None) for token, (begin, end) in ids_and_offsets if token == number)
        return tuple(unknown_words)

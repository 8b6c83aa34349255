"""Answers to questions about a story, and which sentences they rest on."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import overload

import numpy as np

from regard.config import Config
from regard.tasks.folder_memory import FolderMemory
from regard.tasks.inputs import StoryQuestion
from regard.tasks.processors.answer import AnswerProbabilities, AnswerProcessor, AnswerResult, Story
from regard.tasks.purposes import can_answer
from regard.tasks.task import OnProgress, Task, as_array
from regard.text.story_rows import pad_stories

ROWS = 64  # questions that are answered at a time


class AnswerTask(Task[AnswerProcessor]):
    """Answer a question about a story: `answer("Brian is a frog. Brian is green.", "What color is Brian?").text`."""

    name = "answer"
    processor_class = AnswerProcessor

    @classmethod
    def serves(cls, config: Config, folder: Path) -> bool:
        return can_answer(config, folder)

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
        return self.processor.read(story, question)

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

    def run_batch(self, questions: Sequence[StoryQuestion]) -> list[AnswerProbabilities]:
        nothing = np.zeros(1, dtype=np.int64)
        rows = [(one.story_ids, one.question_ids, nothing) for one in questions]
        stories, texts = pad_stories(rows, self.processor.config.pad)
        if isinstance(self._light, FolderMemory):
            probabilities, hops = self._light.answer(stories, texts)
        else:
            probabilities, hops = self.run_model(stories, texts)
        return list(map(AnswerProbabilities, probabilities, hops))

    def run_model(self, stories: np.ndarray, questions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What FolderMemory.answer gives, by the model of torch."""
        import torch

        from regard.looking import watch

        with torch.no_grad(), watch(self.model, "hop.*") as seen:
            tensors = (torch.from_numpy(array).to(self.device) for array in (stories, questions))
            logits = self.model(*tensors)[:, 0]
            hops = torch.stack([seen[name].weights()[:, 0, 0] for name in seen], 1)
            return as_array(logits.softmax(-1)), as_array(hops)

    def answer(self, question: StoryQuestion, result: AnswerProbabilities) -> AnswerResult:
        return self.processor.answer(question, result)

"""Words that were left out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

from regard.checkpoints.hub import Config
from regard.models import EncoderConfig
from regard.tasks.task import Item, OnProgress, Task, Text, text_name
from regard.text import Batch, Encoded, TokenizerError


@dataclass(frozen=True)
class FillCandidate:
    """One word for one gap, and its probability."""

    token: str
    score: float
    id: int


@dataclass(frozen=True)
class FilledText:
    """A text with its gaps filled. `choices` are the likeliest words of each gap; `text` has the first ones in it,
    `score` is the probability of these together."""

    text: str
    score: float
    tokens: tuple[str, ...]
    candidates: tuple[tuple[FillCandidate, ...], ...]


class FillTask(Task):
    """Guess the words behind each mask: `fill("Paris is the [MASK] of France.").text`."""

    name = "fill"

    @classmethod
    def serves(cls, config: Config) -> bool:
        return isinstance(config, EncoderConfig) and config.output is not None

    @property
    def mask(self) -> str:
        """How a gap is written."""
        number = self.tokenizer.specials.mask
        if number is None:
            raise TokenizerError(f"{self.checkpoint.folder}: its tokeniser has no mask token")
        return self.tokenizer.token(number)

    def __call__(
        self, text: Text | Iterable[Text], *, top: int = 5, first: int = 1, progress: OnProgress | None = None
    ) -> Any:
        """Fill one text, or each of several, with the `top` likeliest words of every gap."""
        return self.answers(text, self.read_gaps, partial(self.fill_batch, top=top), progress, first)

    def read_gaps(self, text: Text, number: int | None) -> Encoded:
        encoded = self.read(text, number, special=[self.mask])
        if self.tokenizer.specials.mask not in encoded.ids:
            raise TokenizerError(f"{text_name(number)} has no gap: write {self.mask} where a word is missing")
        return encoded

    def fill_batch(self, batch: Batch, items: list[Item], top: int) -> list[FilledText]:
        probabilities = self.model(batch.tokens, segments=batch.segments, attention_mask=batch.attention_mask).softmax(
            -1
        )
        likeliest = probabilities.topk(min(top, probabilities.shape[-1]))
        results = []
        for row, (text, encoded) in enumerate(items):
            gaps = [position for position, number in enumerate(encoded.ids) if number == self.tokenizer.specials.mask]
            choices = []
            for position in gaps:
                scores, ids = likeliest.values[row, position].tolist(), likeliest.indices[row, position].tolist()
                words = self.tokenizer.tokens(ids)
                choices.append(tuple(FillCandidate(*candidate) for candidate in zip(words, scores, ids, strict=True)))
            best = [gap[0] for gap in choices]
            filled = self.fill_text(text, encoded, gaps, [choice.id for choice in best])
            score = prod(choice.score for choice in best)
            results.append(FilledText(filled, score, tuple(choice.token for choice in best), tuple(choices)))
        return results

    def fill_text(self, text: Text, encoded: Encoded, gaps: Sequence[int], ids: Sequence[int]) -> str:
        """The text with words in its gaps; a piece that continues the word before it is joined to it."""
        parts = [text] if isinstance(text, str) else list(text)
        filled_ids = list(encoded.ids)
        for position, number in zip(gaps, ids, strict=True):
            filled_ids[position] = number
        for position in reversed(gaps):
            text_number = encoded.texts[position] or 0
            before, after = (
                parts[text_number][end]
                for end in (slice(encoded.offsets[position][0]), slice(encoded.offsets[position][1], None))
            )
            gap = parts[text_number][len(before) : len(parts[text_number]) - len(after)]
            earlier = self.tokenizer.decode(filled_ids[max(0, position - 1) : position])
            added = self.tokenizer.decode(filled_ids[max(0, position - 1) : position + 1]).removeprefix(earlier)
            if earlier and added == added.lstrip():
                before, gap = before.rstrip(), gap.lstrip()
            space = gap[: len(gap) - len(gap.lstrip())]
            parts[text_number] = before + space + added.strip() + after
        return " ".join(parts)
